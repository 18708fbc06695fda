"""Counts what an erasure would take, from the same targets that it would carry out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from consent.erasure.types import Targets
from consent.models import ErasureScope, Sources
from consent.permit import Permit
from finclaw.erasure import plan_erasure
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from memory.erasure.erased_statements import erased_words
from memory.erasure.labels import EVENT, ITEM, TASK, TURN
from memory.erasure.portraits import count_lines_going
from memory.models import CognitiveEvent, ConversationEvent

_USER, _ASSISTANT = ConversationEvent.Role.USER, ConversationEvent.Role.ASSISTANT


@dataclass(frozen=True)
class ErasurePreview:
    """What is erased with one memory, event or conversation.

    ``messages`` and ``answers`` lose all their words; ``message_sentences`` and ``answer_sentences`` are cut out of
    others. ``events`` are deleted and ``rewritten_events`` lose only a part; both list each event's text once, however
    many perspectives it has. ``prompts`` are requests for research that a thread keeps.
    """

    targets: Targets
    memories: int
    events: tuple[str, ...]
    rewritten_events: tuple[str, ...]
    portrait_lines: int
    messages: int
    message_sentences: int
    answers: int
    answer_sentences: int
    research: int
    prompts: int


def preview_erasure(permit: Permit, scope: ErasureScope, target: str, sources: Sources) -> ErasurePreview:
    """What ``forget`` would take now. Raises as that does; call in a transaction acting for the user."""
    plan = plan_erasure(permit, scope, target, sources)
    targets, words = plan.targets, erased_words(plan)
    role_of = _message_roles(targets.emptied_or_cut(TURN))
    emptied = targets.redact.get(TURN, ())
    taken = {key: len(cut.spans) for key, cut in targets.cut.get(TURN, {}).items()}
    deleted = set(targets.delete.get(EVENT, ()))
    return ErasurePreview(
        targets=targets,
        memories=len(targets.delete.get(ITEM, ())),
        events=_event_texts(deleted),
        rewritten_events=_event_texts(targets.cut.get(EVENT, {})),
        portrait_lines=count_lines_going(permit, targets, words),
        messages=sum(role_of.get(key) == _USER for key in emptied),
        message_sentences=sum(number for key, number in taken.items() if role_of.get(key) == _USER),
        answers=sum(role_of.get(key) == _ASSISTANT for key in emptied),
        answer_sentences=sum(number for key, number in taken.items() if role_of.get(key) == _ASSISTANT),
        research=len(targets.delete.get(TASK, ())),
        prompts=len(targets.touched.get(TASK, ())),
    )


def _message_roles(messages: Collection[UUID]) -> dict[UUID, str]:
    with in_role(ERASER_ROLE):  # another erasure may have hidden some
        return dict(ConversationEvent.with_erased.filter(pk__in=messages).values_list("pk", "role"))


def _event_texts(events: Collection[UUID]) -> tuple[str, ...]:
    with in_role(ERASER_ROLE):
        rows = CognitiveEvent.with_erased.filter(pk__in=list(events)).order_by("timestamp_utc", "event_id", "part")
        return tuple(dict.fromkeys(rows.values_list("canonical_text", flat=True)))
