"""Liveness, readiness and metrics, for orchestrators and Prometheus."""

from __future__ import annotations

import os
import secrets

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from psycopg_pool import PoolTimeout

from consent.erasure.journal_check import journal_check
from finclaw.server.refusals import STOPPING
from foundation.llm import configured_model_ids
from foundation.llm.refusals import standing_refusals

NOT_REPLAYED = {"status": "waiting", "database": "reachable", "reason": "run manage.py replay_erasures"}


@require_safe
@transaction.non_atomic_requests
def live(request: HttpRequest) -> JsonResponse:
    """The process answers; the database is not asked."""
    return JsonResponse({"status": "live"})


@require_safe
@transaction.non_atomic_requests
def ready(request: HttpRequest) -> JsonResponse:
    """The database answers and holds no erased data from a restored backup; 503 otherwise, and while it stops.

    That the model server refuses is told and changes no status: memory, pages and searches do without it.
    """
    if STOPPING in request.META:
        return JsonResponse({"status": "stopping"}, status=503)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        if journal_check.has_unreplayed():
            return JsonResponse(NOT_REPLAYED, status=503)
    except (DatabaseError, PoolTimeout):
        return JsonResponse({"status": "waiting", "database": "unreachable"}, status=503)
    return JsonResponse({"status": "ready", "database": "reachable", "model": _model_state()})


def _model_state() -> str:
    """``offline``, ``configured``, ``failing`` while a model's server is down, or ``refused``.

    Whoever asks is not signed in: which model and why is on Today.
    """
    models = configured_model_ids()
    if refusals := standing_refusals(models):
        return "failing" if all(refusal.is_outage for refusal in refusals) else "refused"
    return "configured" if models else "offline"


@require_safe
@transaction.non_atomic_requests
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus metrics: of all processes that share PROMETHEUS_MULTIPROC_DIR, else of this one.

    Only for ``Authorization: Bearer`` with METRICS_TOKEN: the figures tell what users do here, and how much.
    """
    if not _has_metrics_token(request):
        explanation = "Send METRICS_TOKEN as a bearer token.\n"
        return HttpResponse(explanation, "text/plain", 401, headers={"WWW-Authenticate": "Bearer"})
    registry: CollectorRegistry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _has_metrics_token(request: HttpRequest) -> bool:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    is_right = secrets.compare_digest(token.strip().encode(), settings.METRICS_TOKEN.encode())
    return scheme.lower() == "bearer" and is_right
