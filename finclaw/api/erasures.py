"""Erasures: request one, watch its progress, download its signed certificate."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.urls import path, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from consent.erasure.services import erasure_by_secret, erasure_of, erasures_of, link_secret, on_request_of
from consent.exceptions import ErasureInProgress
from consent.models import ErasureScope, ErasureStep, Sources, Tombstone
from finclaw import erasure
from finclaw.api.base import ApiView, PublicView
from finclaw.api.operations import FORGETS, located, raises
from finclaw.api.schema import PAGE, page_of
from finclaw.api.serializers import QuerySerializer, StrictSerializer
from finclaw.erasure_preview import ErasurePreview, preview_erasure
from finclaw.erasure_scopes import SCOPES
from foundation.accounts.addresses import client_address
from foundation.accounts.attempts import AttemptPurpose, begin_attempt
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound, ValidationFailed
from foundation.personal_data import KeptFor

MAX_TARGET_CHARS = 100


class SourcesQuery(QuerySerializer):
    """What happens to the source messages."""

    sources = serializers.ChoiceField(choices=Sources.choices, default=Sources.REDACT)


class ConfirmInput(StrictSerializer):
    confirm = serializers.CharField(max_length=60, help_text="Your user name.")


class ErasureInput(ConfirmInput):
    scope = serializers.ChoiceField(choices=ErasureScope.choices)
    target_id = serializers.CharField(max_length=MAX_TARGET_CHARS, required=False, default="")
    sources = serializers.ChoiceField(choices=Sources.choices, default=Sources.REDACT)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A scope that names a row needs its id, and no other scope takes one."""
        if attrs["scope"] == ErasureScope.IMPORT:
            raise serializers.ValidationError({"scope": [_("An import is undone by DELETE /api/imports/{import_id}.")]})
        if (SCOPES[attrs["scope"]].identifier is None) == bool(attrs["target_id"]):
            raise serializers.ValidationError({"target_id": [_("Name what to erase, for these scopes and no other.")]})
        return attrs


class DeletionReceiptOutput(serializers.Serializer[Tombstone]):
    """The deletion receipt."""

    receipt_id = serializers.UUIDField(source="id")
    tombstone_id = serializers.UUIDField(source="id")
    item_count = serializers.IntegerField()
    estimated_completion = serializers.DateTimeField()
    certificate_url = serializers.SerializerMethodField()

    def get_certificate_url(self, tombstone: Tombstone) -> str:
        """Opens the certificate without signing in, also when the account is gone: to be kept like a key."""
        return certificate_url(self.context["request"], tombstone)


class StepOutput(serializers.ModelSerializer[ErasureStep]):
    class Meta:
        model = ErasureStep
        fields = ("state", "at")


class KeptOutput(serializers.Serializer[Any]):
    place = serializers.CharField(help_text="The table.")
    rows = serializers.IntegerField()
    reason = serializers.ChoiceField(choices=[reason.value for reason in KeptFor])


class ErasureOutput(serializers.ModelSerializer[Tombstone]):
    tombstone_id = serializers.UUIDField(source="id")
    on_request = serializers.SerializerMethodField()
    history = StepOutput(source="steps", many=True)
    verification = serializers.DictField(allow_null=True)
    kept = KeptOutput(
        many=True, allow_null=True, help_text="What was left on purpose, and why; null before it is complete."
    )

    class Meta:
        model = Tombstone
        fields = (
            "tombstone_id", "scope", "state", "on_request", "requested_at", "due_at", "completed_at", "item_count",
            "history", "verification", "kept",
        )  # fmt: skip

    def get_on_request(self, tombstone: Tombstone) -> str:
        """The reference of the request on which operators had it erased for you; empty where you did so yourself."""
        return on_request_of(tombstone)


class CertificateOutput(serializers.ModelSerializer[Tombstone]):
    certificate = serializers.DictField()

    class Meta:
        model = Tombstone
        fields = ("certificate", "signature", "public_key_id")


class ForgettingView(ApiView):
    """Base of every view that requests an erasure."""

    def forget(self, scope: ErasureScope, target: str = "", sources: Sources = Sources.REDACT) -> Response:
        """Accept the erasure, once for an Idempotency-Key; the receipt stays the same."""
        return self.once(202, lambda: self._accept(scope, target, sources), self._receipt)

    def require_confirmation(self, typed: str) -> None:
        """Raise ``ValidationFailed`` unless the user typed their own user name."""
        if typed != self.user.username:
            raise ValidationFailed(details={"confirm": [_("Type your user name to confirm.")]})

    def _accept(self, scope: ErasureScope, target: str, sources: Sources) -> Tombstone:
        return erasure.forget(self.user, scope, target, sources, source="api")

    def _receipt(self, key: str) -> Any:
        tombstone = erasure_of(self.user.pk, UUID(key))
        return DeletionReceiptOutput(tombstone, context={"request": self.request}).data


class ErasureRequestView(ForgettingView):
    @located("erasure", "tombstone_id", status=202)
    @raises(*FORGETS, "kept_in_thread")
    @extend_schema(operation_id="erasure_create", request=ErasureInput, responses={202: DeletionReceiptOutput})
    def post(self, request: Request, user_id: str) -> Response:
        """Forget something, or everything. It is invisible from this moment on."""
        self.require_me(user_id)
        given = self.valid(ErasureInput)
        self.require_confirmation(given["confirm"])
        return self.forget(ErasureScope(given["scope"]), given["target_id"], Sources(given["sources"]))


class ErasurePreviewQuery(SourcesQuery):
    scope = serializers.ChoiceField(
        choices=[choice for choice in ErasureScope.choices if SCOPES[choice[0]].has_preview]
    )
    target_id = serializers.CharField(max_length=MAX_TARGET_CHARS)


class ErasurePreviewOutput(serializers.Serializer[ErasurePreview]):
    """What an erasure would take now: rows that go, and sentences removed from texts that stay."""

    memories = serializers.IntegerField(help_text="Counting earlier versions.")
    events = serializers.ListField(child=serializers.CharField(), help_text="The words of those that go.")
    rewritten_events = serializers.ListField(
        child=serializers.CharField(), help_text="The words of those that stay without what tells it."
    )
    portrait_lines = serializers.IntegerField()
    messages = serializers.IntegerField(help_text="Messages of yours that lose all their words.")
    message_sentences = serializers.IntegerField(help_text="Sentences taken out of other messages of yours.")
    answers = serializers.IntegerField(help_text="Answers that lose all their words.")
    answer_sentences = serializers.IntegerField(help_text="Sentences taken out of other answers.")
    research = serializers.IntegerField(help_text="Pieces of research, with what came of them.")
    prompts = serializers.IntegerField(help_text="Pieces of research that a thread keeps and that lose their prompt.")


class ErasurePreviewView(ApiView):
    query_input = ErasurePreviewQuery

    @raises("not_found")
    @extend_schema(
        operation_id="erasure_preview",
        parameters=[ErasurePreviewQuery],
        responses=ErasurePreviewOutput,
    )
    def get(self, request: Request) -> Response:
        """What forgetting a memory, an event or a conversation would take. It is counted as the erasure would carry it
        out; nothing is forgotten.
        """
        given = self.query
        counted = preview_erasure(
            self.permit, ErasureScope(given["scope"]), given["target_id"], Sources(given["sources"])
        )
        return Response(ErasurePreviewOutput(counted).data)


class ErasuresView(ApiView):
    @extend_schema(operation_id="erasure_list", parameters=PAGE, responses=page_of(ErasureOutput))
    def get(self, request: Request) -> Response:
        """Your erasures, latest first."""
        rows = erasures_of(self.user.pk).prefetch_related("steps")
        return self.page(rows, ErasureOutput, ordering="-requested_at")


class ErasureView(ApiView):
    @extend_schema(operation_id="erasure_retrieve", responses=ErasureOutput)
    def get(self, request: Request, tombstone_id: UUID) -> Response:
        """One erasure: its progress, and what the final check found."""
        return Response(ErasureOutput(erasure_of(self.user.pk, tombstone_id)).data)


class SecretQuery(QuerySerializer):
    secret = serializers.CharField(max_length=64, required=False, default="")


@method_decorator(transaction.non_atomic_requests, name="dispatch")  # a wrong link counts
class CertificateView(PublicView):
    permission_classes = (AllowAny,)
    query_input = SecretQuery

    @raises("erasure_in_progress")
    @extend_schema(
        operation_id="erasure_certificate",
        parameters=[OpenApiParameter("secret", str, description="From ``certificate_url``; then nobody signs in.")],
        responses=CertificateOutput,
    )
    def get(self, request: Request, tombstone_id: UUID) -> Response:
        """The signed certificate of a completed erasure: ``manage.py verify_certificate`` checks it."""
        tombstone = self._tombstone(tombstone_id)
        if tombstone.certificate is None:
            raise ErasureInProgress()
        return Response(CertificateOutput(tombstone).data)

    def _tombstone(self, tombstone_id: UUID) -> Tombstone:
        if self.query["secret"]:
            attempt = begin_attempt(AttemptPurpose.LINK, client_address(self.request.META))
            found = erasure_by_secret(self.query["secret"])
            if found.pk != tombstone_id:
                raise NotFound()
            attempt.succeed()
            return found
        if not isinstance(self.request.user, User):
            raise NotAuthenticated()
        with acting_as(self.request.user.pk):
            return erasure_of(self.request.user.pk, tombstone_id)


def certificate_url(request: Request, tombstone: Tombstone) -> str:
    """The address that opens the certificate to whoever holds it; a query string, since logs leave those out."""
    address = reverse("api:certificate", args=[tombstone.pk])
    url: str = request.build_absolute_uri(f"{address}?secret={link_secret(tombstone.pk)}")
    return url


urlpatterns = [
    path("users/<str:user_id>/erasure", ErasureRequestView.as_view(), name="erasure_request"),
    path("erasures/preview", ErasurePreviewView.as_view(), name="erasure_preview"),
    path("erasures", ErasuresView.as_view(), name="erasures"),
    path("erasures/<uuid:tombstone_id>", ErasureView.as_view(), name="erasure"),
    path("erasures/<uuid:tombstone_id>/certificate", CertificateView.as_view(), name="certificate"),
]
