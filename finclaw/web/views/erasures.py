"""Pages of erasures: the list, a receipt with its progress, and the signed certificate."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views import View

from consent.erasure.services import erasure_by_secret, erasure_of, erasures_of, link_secret
from consent.exceptions import ErasureInProgress
from consent.models import Tombstone
from finclaw.web.access import MemberView
from finclaw.web.erasure_progress import proof_of, show_erasure, show_receipt
from finclaw.web.pagination import keyset_page
from foundation.accounts.addresses import client_address
from foundation.accounts.attempts import AttemptPurpose, begin_attempt
from foundation.exceptions import NotFound


class ErasuresPage(MemberView):
    """The erasures so far, and the two ways to forget everything."""

    needs_acknowledgement = False  # users have this right even without reading the notice

    def get(self, request: HttpRequest) -> HttpResponse:
        """One page of the user's erasures, latest first."""
        page = keyset_page(request, erasures_of(self.user.pk), "requested_at")
        context = {
            "erasures": [show_erasure(tombstone) for tombstone in page.rows],
            "newer_url": page.newer_url,
            "older_url": page.older_url,
        }
        return render(request, "web/erasures.html", context)


class ErasurePage(MemberView):
    """The receipt of one erasure, for its signed-in owner."""

    needs_acknowledgement = False  # users have this right even without reading the notice

    def get(self, request: HttpRequest, tombstone_id: UUID) -> HttpResponse:
        """The receipt; htmx asks for it again while the erasure runs."""
        tombstone = erasure_of(self.user.pk, tombstone_id)
        download_url = reverse("web:erasure_proof", args=[tombstone.pk])
        return render(request, "web/erasure.html", _receipt_context(request, tombstone, download_url))


class ErasureProof(MemberView):
    """The signed certificate as a file."""

    needs_acknowledgement = False  # users have this right even without reading the notice

    def get(self, request: HttpRequest, tombstone_id: UUID) -> HttpResponse:
        """Raises ``ErasureInProgress`` while there is none."""
        return _certificate_file(erasure_of(self.user.pk, tombstone_id))


@method_decorator(transaction.non_atomic_requests, name="dispatch")  # a wrong link counts
class CertificatePage(View):
    """The receipt for whoever holds its link; needs no sign-in, and works after the account is gone."""

    def get(self, request: HttpRequest, tombstone_id: UUID) -> HttpResponse:
        """The receipt; htmx asks for it again while the erasure runs."""
        tombstone = _find_by_secret(request, tombstone_id)
        address = reverse("web:certificate_proof", args=[tombstone.pk])
        download_url = f"{address}?secret={link_secret(tombstone.pk)}"
        return render(request, "web/certificate.html", _receipt_context(request, tombstone, download_url))


@method_decorator(transaction.non_atomic_requests, name="dispatch")  # a wrong link counts
class CertificateProof(View):
    """The signed certificate as a file, for whoever holds the link."""

    def get(self, request: HttpRequest, tombstone_id: UUID) -> HttpResponse:
        """Raises ``ErasureInProgress`` while there is none."""
        return _certificate_file(_find_by_secret(request, tombstone_id))


def _find_by_secret(request: HttpRequest, tombstone_id: UUID) -> Tombstone:
    """The erasure that the secret in the address opens. Raises ``NotFound`` without telling what is wrong."""
    attempt = begin_attempt(AttemptPurpose.LINK, client_address(request.META))
    tombstone = erasure_by_secret(request.GET.get("secret", ""))
    if tombstone.pk != tombstone_id:
        raise NotFound()
    attempt.succeed()
    return tombstone


def _receipt_context(request: HttpRequest, tombstone: Tombstone, download_url: str) -> dict[str, object]:
    address = reverse("web:certificate", args=[tombstone.pk])
    return {
        "erasure": show_receipt(tombstone),
        "download_url": download_url if tombstone.certificate else "",
        "certificate_url": request.build_absolute_uri(f"{address}?secret={link_secret(tombstone.pk)}"),
        "public_key_id": tombstone.public_key_id,
    }


def _certificate_file(tombstone: Tombstone) -> JsonResponse:
    if tombstone.certificate is None:
        raise ErasureInProgress()
    name = f"finclaw-erasure-{tombstone.pk}.json"
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return JsonResponse(proof_of(tombstone), headers=disposition, json_dumps_params={"indent": 2})
