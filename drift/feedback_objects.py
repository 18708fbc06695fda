"""What a feedback speaks of: one of the person's own objects, or one of their groups', by a reference (D-1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from consent.permit import Permit
from foundation.exceptions import NotFound, ValidationFailed
from memory.models import ConversationEvent, ResearchTask, Snapshot, Thread
from memory.profiles.services import view_of
from memory.research.results import checkpoint_of, refresh_of, snapshot_of
from memory.research.task_lifecycle import task_of
from memory.research.threads import thread_of
from memory.research.types import CognitionObject
from memory.services.events import event_of
from memory.services.items import item_of
from memory.services.sessions import session_of

MAX_REF_CHARS: Final = 120


@dataclass(frozen=True)
class NamedObject:
    """An object by the one spelling of its reference; ``about`` is the cognition object, of research alone."""

    ref: str
    about: CognitionObject | None = None


def object_named(permit: Permit, ref: str) -> NamedObject:
    """The object behind ``<kind>:<id>``, of an event its ``event_id``, of a portrait its person's or group's id, of a
    report its task's.

    Raises ``ValidationFailed`` for a kind that there is not, ``NotFound`` for what is not theirs to see.
    """
    kind, _, key = ref.partition(":")
    if kind not in _FINDERS:
        known = ", ".join(_FINDERS)
        raise ValidationFailed(details={"related_object_ref": [f"One of these, a colon and its id: {known}."]})
    if len(ref) > MAX_REF_CHARS:
        raise NotFound()
    return _FINDERS[kind](permit, key)


def _snapshot(permit: Permit, key: str) -> NamedObject:
    snapshot = snapshot_of(permit, _uuid(key))
    return NamedObject(f"snapshot:{snapshot.pk}", _about(snapshot))


def _thread(permit: Permit, key: str) -> NamedObject:
    thread = thread_of(permit, _uuid(key))
    return NamedObject(f"thread:{thread.pk}", _about(thread))


def _checkpoint(permit: Permit, key: str) -> NamedObject:
    checkpoint = checkpoint_of(permit, _uuid(key))
    return NamedObject(f"checkpoint:{checkpoint.pk}", _about(checkpoint.thread) if checkpoint.thread else None)


def _refresh(permit: Permit, key: str) -> NamedObject:
    refresh = refresh_of(permit, _uuid(key))
    return NamedObject(f"refresh:{refresh.pk}", _about(refresh.thread))


def _report(permit: Permit, key: str) -> NamedObject:
    task = task_of(permit, _uuid(key))
    if task.result_kind != ResearchTask.ResultKind.REPORT:
        raise NotFound()
    return NamedObject(f"report:{task.pk}", _about(task.thread) if task.thread else None)


def _memory(permit: Permit, key: str) -> NamedObject:
    return NamedObject(f"memory:{item_of(permit, _uuid(key)).pk}")


def _message(permit: Permit, key: str) -> NamedObject:
    message = ConversationEvent.objects.filter(pk=_uuid(key)).first()
    if message is None:
        raise NotFound()
    session_of(permit, message.session_id)
    return NamedObject(f"message:{message.pk}")


def _event(permit: Permit, key: str) -> NamedObject:
    return NamedObject(f"event:{event_of(permit, key).event_id}")


def _profile(permit: Permit, key: str) -> NamedObject:
    entity = _uuid(key)
    view = view_of(permit, "user" if entity == permit.user_id else "group", entity)
    if view is None:
        raise NotFound()
    return NamedObject(f"profile:{view.entity_id}")


_FINDERS: Final[dict[str, Callable[[Permit, str], NamedObject]]] = {
    "snapshot": _snapshot,
    "thread": _thread,
    "checkpoint": _checkpoint,
    "refresh": _refresh,
    "report": _report,
    "memory": _memory,
    "message": _message,
    "event": _event,
    "profile": _profile,
}


def _about(research: Snapshot | Thread) -> CognitionObject:
    return CognitionObject(research.object_kind, research.object_name)


def _uuid(value: str) -> UUID:
    try:
        return UUID(value)
    except ValueError:
        raise NotFound() from None
