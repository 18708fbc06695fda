"""The upkeep job of one user: read, ask a model outside any transaction, write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from consent.permit import Permit
from consent.services import learning_permit, scope_held_since
from foundation.accounts.models import User
from foundation.accounts.services import tenant_id_of
from foundation.llm import configured_model, is_model_configured
from foundation.outbox.jobs import Job
from foundation.personal_data import ConsentScope
from foundation.telemetry.metrics import GOVERNED
from memory.governance.arbitration import Verdict
from memory.governance.calibration import calibrate
from memory.governance.conflicts import contradictions, resolve
from memory.governance.consolidation import consolidate
from memory.governance.governor import UpkeepStep
from memory.governance.model_arbitration import ask_for_verdicts
from memory.governance.staleness import end_expired, mark_outdated, remove_outdated_marks
from memory.governance.thresholds import Thresholds, thresholds_of
from memory.indexing.unconfirmed_health import messages_behind_withheld
from memory.indexing.withheld_messages import withhold_messages
from memory.models import MemoryItem

MOST_AT_ONCE: Final = 20
"""The most conflicts put before the model in one prompt; the rest waits for the next run."""
Verdicts = Mapping[UUID, Verdict]


def govern(job: Job) -> None:
    """Run the booked steps in their order; ``result`` counts what each changed."""
    steps = [step for step in UpkeepStep if step in job.payload["steps"]]
    verdicts, degraded = _ask_model(job) if UpkeepStep.RESOLVE in steps else (None, ())
    with job.completing():
        permit = _held_permit(job.user_id)
        if permit is None:
            return
        thresholds = thresholds_of(User.objects.select_related("tenant").get(pk=job.user_id).tenant)
        changed = {step.value: len(_run_step(step, permit, thresholds, verdicts)) for step in steps}
        job.result |= {"changed": changed, "degraded": list(degraded)}
    for step, count in changed.items():
        GOVERNED.labels(step=step).inc(count)


def _run_step(step: UpkeepStep, permit: Permit, thresholds: Thresholds, verdicts: Verdicts | None) -> list[UUID]:
    match step:
        case UpkeepStep.CONSOLIDATE:
            return consolidate(permit, thresholds)
        case UpkeepStep.RESOLVE:
            return resolve(permit, verdicts)
        case UpkeepStep.CALIBRATE:
            return calibrate(permit)
        case UpkeepStep.CLEAN_UP:
            # A message may have been indexed before it had to be withheld: the daily run withholds it.
            withhold_messages(permit.user_id, messages_behind_withheld(permit.user_id))
            return [
                *end_expired(permit),
                *remove_outdated_marks(permit, thresholds),
                *mark_outdated(permit, thresholds),
            ]


def _ask_model(job: Job) -> tuple[Verdicts | None, tuple[str, ...]]:
    """The small model's verdicts on the conflicts; None where no model is configured and the rule decides alone."""
    if not is_model_configured():
        return None, ()
    model = configured_model(tenant_id_of(job.user_id))
    with job.acting():
        permit = _held_permit(job.user_id)
        found = contradictions(permit)[:MOST_AT_ONCE] if permit else []
        named = {item.id for conflict in found for item in (conflict.winner, *conflict.losers)}
        words = dict(MemoryItem.objects.filter(pk__in=named).values_list("pk", "content"))
    return ask_for_verdicts(found, words, model)


def _held_permit(user_id: UUID) -> Permit | None:
    """The permit, held until the transaction ends; None without the scope, or while an erasure is under way."""
    return learning_permit(user_id, scope_held_since(user_id, ConsentScope.MEMORY_LEARNING))
