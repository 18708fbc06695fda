"""Runs the job of one claimed row, and writes to the row how it ended."""

from __future__ import annotations

import structlog

from foundation.call_priority import background_calls
from foundation.deadlines import DeadlineExceeded
from foundation.llm.exceptions import ProviderFailure
from foundation.outbox import services
from foundation.outbox.exceptions import LostLease, WorkSuspended
from foundation.outbox.jobs import Job, handlers
from foundation.outbox.models import OutboxMessage
from foundation.outbox.suspension import suspend, wait_for_provider
from foundation.telemetry.metrics import OUTBOX_FINISHED, OUTBOX_SECONDS
from foundation.telemetry.spans import set_span_attributes, span

log = structlog.get_logger(__name__)


def run(message: OutboxMessage) -> ProviderFailure | None:
    """Run one claimed row through its topic's handler. Whatever it raises becomes an attempt, never a crash.

    Answers the failure of a provider that the row waits for now, if it does.
    """
    down: ProviderFailure | None = None
    with span(f"job {message.topic}", topic=message.topic, attempt=message.attempts), background_calls():
        try:
            outcome = _run_handler(message)
        except ProviderFailure as failure:
            outcome, down = wait_for_provider(message, failure), failure
            log.info("job_waits_for_provider", job=str(message.pk), topic=message.topic, reason=failure.reason,
                     outcome=outcome)  # fmt: skip
        set_span_attributes(outcome=outcome)
    OUTBOX_FINISHED.labels(topic=message.topic, outcome=outcome).inc()
    return down


def _run_handler(message: OutboxMessage) -> str:
    """The outcome in a word. Raises what a provider failed with, where it may be waited for."""
    handler = handlers().get(message.topic)
    try:
        if handler is None:
            raise LookupError("no handler for this topic")
        with OUTBOX_SECONDS.labels(topic=message.topic).time():
            handler(Job(message))
    except LostLease:
        return "lost_lease"
    except WorkSuspended:
        suspend(message)
        return "suspended"
    except Exception as error:
        if isinstance(error, ProviderFailure) and error.is_outage:
            raise
        # What computed for too long would do so again.
        services.fail(message, error, final=handler is None or isinstance(error, DeadlineExceeded))
        log.warning("job_failed", job=str(message.pk), topic=message.topic, attempt=message.attempts,
                    error=type(error).__name__)  # fmt: skip
        return "failed"
    return "done"
