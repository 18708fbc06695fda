"""Explains which memories a turn used and why, for the reader of the answer and for the receipt."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from finclaw.brain.context_slices import stated_fields
from finclaw.brain.records.turn_records import Utilization, is_utilized
from finclaw.brain.types import Assembly, CandidateDecision, UsedMemory
from memory.models import UserContext
from memory.types import LineDraft


def used_memories(assembly: Assembly, context: UserContext | None) -> tuple[UsedMemory, ...]:
    """The memories in the prompt in their positions; the stated context counts as one and stands last."""
    taken = [_used_memory(decision) for decision in assembly.decisions if decision.accepted]
    return tuple(sorted([*taken, *_used_context(assembly, context)], key=lambda memory: memory.context_position))


def receipt_lines(
    assembly: Assembly, context: UserContext | None, utilizations: Mapping[UUID, Utilization]
) -> list[LineDraft]:
    """One receipt line for each candidate, taken or left out, by rank; the stated context last. ``utilizations`` say
    how the reply used what was taken.
    """
    from_context = [
        LineDraft(used.kind, used.id, True, used.decision_reason, 1.0, position=used.context_position)
        for used in _used_context(assembly, context)
    ]
    return [*(_receipt_line(decision, utilizations) for decision in assembly.decisions), *from_context]


def _used_memory(decision: CandidateDecision) -> UsedMemory:
    candidate = decision.candidate
    return UsedMemory(
        kind=candidate.kind,
        id=candidate.id,
        text=candidate.text,
        decision_reason=decision.reason,
        context_position=decision.position or 0,
        provenance=candidate.provenance,
        epistemic_type=candidate.epistemic_type,
        confidence=candidate.confidence,
        occurred_at=candidate.occurred_at,
    )


def _receipt_line(decision: CandidateDecision, utilizations: Mapping[UUID, Utilization]) -> LineDraft:
    key = decision.candidate.id
    return LineDraft(
        kind=decision.candidate.kind,
        ref_id=key,
        accepted=decision.accepted,
        reason=decision.reason,
        score=decision.candidate.score,
        signals=decision.candidate.signals,
        position=decision.position,
        guardrail=decision.candidate.guardrail,
        sanitization=decision.candidate.sanitization,
        utilized=is_utilized(utilizations, key),
        utilization=utilizations.get(key, ""),
    )


def _used_context(assembly: Assembly, context: UserContext | None) -> list[UsedMemory]:
    values = stated_fields(context)
    if context is None or not values:
        return []
    position = sum(decision.accepted for decision in assembly.decisions) + 1
    text = "\n".join(f"{name}: {value}" for name, value in values.items())
    return [UsedMemory("context", context.pk, text, "stated", position, None, None, None, context.updated_at)]
