"""Prometheus metrics. Labels never hold a user's id or text."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

REQUESTS = Counter("http_requests_total", "HTTP requests", ["method", "route", "status"])
REQUEST_SECONDS = Histogram("http_request_seconds", "Time to the response", ["method", "route"])

OUTBOX_ENQUEUED = Counter("outbox_enqueued_total", "Outbox rows written", ["topic"])
OUTBOX_FINISHED = Counter("outbox_finished_total", "Outbox rows run", ["topic", "outcome"])
OUTBOX_SECONDS = Histogram("outbox_handler_seconds", "Time in a handler", ["topic"])
OUTBOX_DROPPED = Counter("outbox_dropped_total", "Low-priority observations dropped by a full queue")

ONBOARDING_STEPS = Counter("onboarding_step_total", "Onboarding steps reached", ["step"])
CONSENT_GRANTED = Counter("profile_consent_granted_total", "Consents granted")
MEMORY_OPS = Counter("memory_op_total", "Reads and writes of memory", ["op", "scope"])
RETRIEVAL_SECONDS = Histogram(
    "memory_retrieval_seconds", "Hybrid search", buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2)
)
DEGRADED = Counter("degraded_total", "Answers given with a part missing", ["reason"])
