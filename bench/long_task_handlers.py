"""The product's handlers for workers that are killed, but for webhooks, which nobody there receives."""

from __future__ import annotations

from finclaw import jobs
from foundation.outbox.jobs import Handler, Job
from foundation.webhooks.services import WEBHOOK_TOPIC


def _told(job: Job) -> None:
    with job.completing():
        return


HANDLERS: dict[str, Handler] = {**jobs.HANDLERS, WEBHOOK_TOPIC: _told}
