"""What the worker does for portraits: what an event told of somebody is merged into theirs, and their group's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid5

from django.conf import settings

from consent.permit import Permit
from consent.services import learning_permit
from foundation.accounts.models import User
from foundation.accounts.services import is_member
from foundation.ids import new_id
from foundation.llm import configured_model
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.personal_data import Scope
from foundation.telemetry.metrics import EVOLUTION_BLOCKED
from memory.evolution import style
from memory.models import CognitiveEvent, EntityProfile
from memory.profiles import storing
from memory.profiles.arranging import arranged
from memory.profiles.lines import events_of, from_json, without_learned
from memory.profiles.merging import merged, within
from memory.profiles.reading import read, sentences_of
from memory.profiles.types import EntityType, Line, Source

PORTRAIT_TOPIC = "memory.portrait"
_OF_PERSPECTIVE: Final[dict[str, EntityType]] = {
    CognitiveEvent.Perspective.SENDER: "user",
    CognitiveEvent.Perspective.GROUP: "group",
}


def learn_later(events: Sequence[CognitiveEvent], *, anew: bool = False) -> None:
    """Queue what these events of one end told of their person, in the transaction that stores them.

    Queued again for the same events nothing is queued, unless they are to be learned ``anew``: their person corrected
    them. Without ``COGNITIVE_ENABLED`` or anything new, neither.
    """
    telling = [event for event in events if event.has_new_info and event.new_info.strip()]
    if not telling or not settings.COGNITIVE_ENABLED:
        return
    outbox.enqueue(
        PORTRAIT_TOPIC,
        key=None if anew else uuid5(telling[0].pk, PORTRAIT_TOPIC),
        user_id=telling[0].user_id,
        payload={"events": [str(event.pk) for event in telling], "anew": anew},
        scope=Scope.MEMORY_LEARNING.value,
    )


@dataclass(frozen=True)
class _Told:
    """An event, the portrait it belongs in, the row of that if there is one, and the lines it is to be merged with."""

    event: CognitiveEvent
    entity_type: EntityType
    entity_id: UUID
    row: EntityProfile | None
    lines: tuple[Line, ...]


def write_portraits(job: Job) -> None:
    """Merge each event into its portrait. Done twice it changes nothing; withdrawn or erased meanwhile, neither."""
    with job.acting():
        name, told = _to_learn(job)
    model, degraded = configured_model(), list[str]()
    ordered: dict[UUID, tuple[Line, ...]] = {}
    for one in told:
        if not model.is_offline:
            outbox.renew(job.message)  # an answer may take as long as the job's lease
        ordered[one.event.pk], reasons = arranged(_learned(one, name), model)
        degraded += reasons
    with job.completing():
        permit = learning_permit(job.user_id, min((one.event.consent_version for one in told), default=None))
        if permit is None:
            return
        anew = bool(job.payload.get("anew"))
        written = [_write(permit, one, name, ordered[one.event.pk], anew=anew) for one in told]
        job.result |= {"portraits": sum(written), "degraded": degraded}


def _to_learn(job: Job) -> tuple[str, list[_Told]]:
    """Who it is about, and what is to be merged; nothing goes to a model once the consent is gone."""
    events = list(CognitiveEvent.objects.filter(pk__in=job.payload["events"], user_id=job.user_id).order_by("pk"))
    permit = learning_permit(job.user_id, min((event.consent_version for event in events), default=None))
    if permit is None:
        return "", []
    name = User.objects.get(pk=job.user_id).name
    anew = bool(job.payload.get("anew"))
    return name, [told for event in events if (told := _told(permit, event, anew=anew)) is not None]


def _told(permit: Permit, event: CognitiveEvent, *, anew: bool) -> _Told | None:
    """None for a group its person has left, and for what their portrait has learned before, were it put away since.

    Learned ``anew``, what was learned of it before goes, and nothing else.
    """
    entity_type = _OF_PERSPECTIVE[event.perspective]
    entity_id = event.group_id if entity_type == "group" else event.user_id
    if entity_id is None or (entity_type == "group" and not is_member(permit.user_id, entity_id)):
        return None
    row = storing.current(permit, entity_type, entity_id)
    if row is None:
        return _Told(event, entity_type, entity_id, None, ())
    lines = from_json(row.lines)
    if anew:
        return _Told(event, entity_type, entity_id, row, without_learned(lines, event.pk))
    former = (line for told in storing.former(row).values_list("lines", flat=True) for line in from_json(told))
    known = events_of([*lines, *former])
    return None if event.pk in known else _Told(event, entity_type, entity_id, row, lines)


def _learned(told: _Told, name: str) -> tuple[Line, ...]:
    """The portrait with the event in it, by the rules alone."""
    event, lines = told.event, told.lines
    for sentence in sentences_of(event.new_info):
        reading = read(sentence, name, event.timestamp_utc)
        if reading.is_command or reading.must_be_asked:  # a portrait stands in every answer: nobody has said this may
            continue
        if reading.is_style and not style.may_be_learned():
            continue
        new = Line(
            new_id(), sentence, reading.section, event.timestamp_utc,
            sources=(Source(event.pk, event.event_id),), slot=reading.slot, value=reading.value,
        )  # fmt: skip
        lines = merged(lines, new, reading)
    return within(told.entity_type, lines, settings.PROFILE_MAX_CHARS)


def _write(permit: Permit, told: _Told, name: str, ordered: tuple[Line, ...], *, anew: bool) -> bool:
    """Store the next revision. Where the portrait changed since it was read, or its person corrected the event, it gets
    the event as it is now by the rules, not the model's order of what it was.
    """
    event = CognitiveEvent.objects.filter(pk=told.event.pk).first()
    if event is None:  # erased while the worker thought
        EVOLUTION_BLOCKED.inc()
        return False
    now = _told(permit, event, anew=anew)
    if now is None:
        return False
    unchanged = (now.lines, event.new_info) == (told.lines, told.event.new_info)
    lines = ordered if unchanged else _learned(now, name)
    if lines == (from_json(now.row.lines) if now.row else ()):
        return False
    row = now.row or storing.blank(User.objects.get(pk=permit.user_id), told.entity_type, told.entity_id)
    storing.store(permit, row, lines, EntityProfile.Change.LEARNED)
    return True
