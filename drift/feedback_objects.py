"""Finds the object that feedback refers to by a reference: one of the user's own, or of their groups'."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils.translation import gettext

from consent.permit import Permit
from foundation.exceptions import NotFound, ValidationFailed, require_found
from memory.historian.events import event_of
from memory.models import ConversationEvent, ResearchTask, Snapshot, Thread
from memory.portraits.services import portrait_even_if_emptied
from memory.research.results import checkpoint_of, refresh_of, snapshot_of
from memory.research.task_lifecycle import task_of
from memory.research.threads import thread_of
from memory.research.types import CognitionObject
from memory.services.item_queries import item_of
from memory.services.sessions import session_of

MAX_REF_CHARS: Final = 120


@dataclass(frozen=True)
class FeedbackObject:
    """An object with its canonical reference; ``cognition_object`` is what research is about, else None."""

    ref: str
    cognition_object: CognitionObject | None = None


def feedback_object(permit: Permit, ref: str) -> FeedbackObject:
    """The object behind ``<kind>:<id>``: an event by its ``event_id``, a portrait by its user's or group's id, a report
    by its task's.

    Raises ``ValidationFailed`` for a kind that there is not, ``NotFound`` for what is not theirs to see.
    """
    kind, _, key = ref.partition(":")
    if kind not in _FINDERS:
        known = ", ".join(_FINDERS)
        sentence = gettext("One of these, a colon and its id: %(values)s.") % {"values": known}
        raise ValidationFailed(details={"related_object_ref": [sentence]})
    if len(ref) > MAX_REF_CHARS:
        raise NotFound()
    return _FINDERS[kind](permit, key)


def _find_snapshot(permit: Permit, key: str) -> FeedbackObject:
    snapshot = snapshot_of(permit, _uuid(key))
    return FeedbackObject(f"snapshot:{snapshot.pk}", _cognition_object(snapshot))


def _find_thread(permit: Permit, key: str) -> FeedbackObject:
    thread = thread_of(permit, _uuid(key))
    return FeedbackObject(f"thread:{thread.pk}", _cognition_object(thread))


def _find_checkpoint(permit: Permit, key: str) -> FeedbackObject:
    checkpoint = checkpoint_of(permit, _uuid(key))
    return FeedbackObject(
        f"checkpoint:{checkpoint.pk}", _cognition_object(checkpoint.thread) if checkpoint.thread else None
    )


def _find_refresh(permit: Permit, key: str) -> FeedbackObject:
    refresh = refresh_of(permit, _uuid(key))
    return FeedbackObject(f"refresh:{refresh.pk}", _cognition_object(refresh.thread))


def _find_report(permit: Permit, key: str) -> FeedbackObject:
    task = task_of(permit, _uuid(key))
    if task.result_kind != ResearchTask.ResultKind.REPORT:
        raise NotFound()
    return FeedbackObject(f"report:{task.pk}", _cognition_object(task.thread) if task.thread else None)


def _find_memory(permit: Permit, key: str) -> FeedbackObject:
    return FeedbackObject(f"memory:{item_of(permit, _uuid(key)).pk}")


def _find_message(permit: Permit, key: str) -> FeedbackObject:
    message = require_found(ConversationEvent.objects.filter(pk=_uuid(key)).first())
    session_of(permit, message.session_id)
    return FeedbackObject(f"message:{message.pk}")


def _find_event(permit: Permit, key: str) -> FeedbackObject:
    return FeedbackObject(f"event:{event_of(permit, key).event_id}")


def _find_profile(permit: Permit, key: str) -> FeedbackObject:
    entity = _uuid(key)
    view = portrait_even_if_emptied(permit, "user" if entity == permit.user_id else "group", entity)
    if view is None:
        raise NotFound()
    return FeedbackObject(f"profile:{view.entity_id}")


_FINDERS: Final[dict[str, Callable[[Permit, str], FeedbackObject]]] = {
    "snapshot": _find_snapshot,
    "thread": _find_thread,
    "checkpoint": _find_checkpoint,
    "refresh": _find_refresh,
    "report": _find_report,
    "memory": _find_memory,
    "message": _find_message,
    "event": _find_event,
    "profile": _find_profile,
}


def _cognition_object(research: Snapshot | Thread) -> CognitionObject:
    return CognitionObject(research.object_kind, research.object_name)


def _uuid(value: str) -> UUID:
    try:
        return UUID(value)
    except ValueError:
        raise NotFound() from None
