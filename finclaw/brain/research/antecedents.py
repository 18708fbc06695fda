"""What "it" is: the object that a request without one of its own takes from what came before it.

From the conversation the request stands in, the latest message first; without one from the user's research of the last
24 hours; else from what is remembered. Assets and their events alone are taken: their names are everybody's, whereas a
theme is named in somebody's words, which go when those are forgotten. What was taken can be corrected with the thread.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import timedelta
from typing import Final

from consent.permit import Permit
from finclaw.brain.material.subject import find_asset, find_object
from finclaw.brain.types import PromptCandidate
from finclaw.brain.understanding.aliases import AliasGroup
from memory.models import ConversationEvent, ObjectKind, ResearchTask, Snapshot
from memory.models.sessions import text_of
from memory.research.task_lifecycle import tasks_of
from memory.research.types import CognitionObject

MESSAGES_READ: Final = 20
TASKS_READ: Final = 5
TASKS_REACH: Final = timedelta(hours=24)


def find_antecedent(
    permit: Permit, task: ResearchTask, names: Collection[AliasGroup], remembered: Iterable[PromptCandidate]
) -> CognitionObject | None:
    """The object spoken of before the task; None where nothing named one. Call acting for the user."""
    asked = ConversationEvent.objects.filter(pk=task.pk, user_id=permit.user_id).first()
    before = _messages_before(permit, asked) if asked else None
    said = (named_object(text, names) for text in before) if before is not None else _researched(permit, task, names)
    best = sorted(remembered, key=lambda candidate: candidate.score, reverse=True)
    recalled = (named_object(candidate.text, names) for candidate in best[:1])
    return next((about for source in (said, recalled) for about in source if about), None)


def _messages_before(permit: Permit, asked: ConversationEvent) -> list[str]:
    """What the user said in the conversation before the message, the latest first, then the tickers it has noted."""
    earlier = ConversationEvent.objects.filter(
        session_id=asked.session_id, user_id=permit.user_id, role="user", seq__lt=asked.seq, redacted_at=None
    )
    said = map(text_of, earlier.order_by("-seq").values_list("content", flat=True)[:MESSAGES_READ])
    # A group's slots hold what other members named.
    noted = () if asked.group_id else reversed(asked.session.entity_slots.get("tickers", []))
    return [*said, *noted]


def _researched(permit: Permit, task: ResearchTask, names: Collection[AliasGroup]) -> Iterator[CognitionObject | None]:
    """What the user's earlier tasks were about, the latest first."""
    earlier = tasks_of(permit).filter(created_at__lt=task.created_at, created_at__gte=task.created_at - TASKS_REACH)
    for done in earlier.exclude(pk=task.pk)[:TASKS_READ]:
        made = done.thread or Snapshot.objects.filter(task=done, user_id=permit.user_id).first()
        yield _public(made.object_kind, made.object_name, names) if made else named_object(done.prompt, names)


def named_object(text: str, names: Collection[AliasGroup]) -> CognitionObject | None:
    """The asset, or the event of one, that a text is about; None where it names none."""
    about = find_object(text, names)
    return _public(about.kind, about.name, names) or _asset_anywhere(text, names)


def _public(kind: str, name: str, names: Collection[AliasGroup]) -> CognitionObject | None:
    is_public = kind != ObjectKind.THEME and bool(find_asset(name, names))
    return CognitionObject(kind, name) if is_public else None


def _asset_anywhere(text: str, names: Collection[AliasGroup]) -> CognitionObject | None:
    asset = find_asset(text, names)
    return CognitionObject(ObjectKind.ASSET, asset) if asset else None
