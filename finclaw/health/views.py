"""Serves liveness, readiness and metrics, for orchestrators and Prometheus."""

from __future__ import annotations

from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from finclaw.health.exposition import exposition, is_metrics_token
from finclaw.health.readiness import readiness
from finclaw.server.refusals import is_stopping


@require_safe
@transaction.non_atomic_requests
def live(request: HttpRequest) -> JsonResponse:
    """Say that the process answers, without asking the database."""
    return JsonResponse({"status": "live"})


@require_safe
@transaction.non_atomic_requests
def ready(request: HttpRequest) -> JsonResponse:
    """The database answers, takes writes, is migrated and holds no erased data from a restored backup; 503 otherwise,
    and while it stops.

    With ``?for=proxy`` a full disk does not make it 503: it affects all processes alike, so another one is no better.
    """
    if is_stopping(request.META):
        return JsonResponse({"status": "stopping"}, status=503)
    answer = readiness(reading_is_enough=request.GET.get("for") == "proxy")
    return JsonResponse(answer, status=200 if answer["status"] == "ready" else 503)


@require_safe
@transaction.non_atomic_requests
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus metrics: of all processes that share PROMETHEUS_MULTIPROC_DIR, else of this one.

    Only for ``Authorization: Bearer`` with METRICS_TOKEN: the figures tell what users do here, and how much.
    """
    if not _has_metrics_token(request):
        explanation = "Send METRICS_TOKEN as a bearer token.\n"
        return HttpResponse(explanation, "text/plain", 401, headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)


def _has_metrics_token(request: HttpRequest) -> bool:
    return is_metrics_token(request.headers.get("Authorization", ""))
