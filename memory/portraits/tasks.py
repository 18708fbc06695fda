"""The worker's jobs that rebuild portraits from memories, and from what only events tell."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid5

from django.conf import settings
from django.utils import timezone

from consent.permit import Permit
from consent.services import learning_permit
from foundation.accounts.groups import group_ids_of, is_member
from foundation.accounts.models import User
from foundation.accounts.services import tenant_id_of
from foundation.ids import new_id
from foundation.llm import configured_model
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.personal_data import ConsentScope
from foundation.telemetry.metrics import EVOLUTION_BLOCKED
from memory.evolution import style_preferences
from memory.models import CognitiveEvent, EntityProfile
from memory.models.profiles import CURRENT_MAKING
from memory.portraits import storage
from memory.portraits.durable_sentences import select_durable_sentences
from memory.portraits.ended_statements import EndedStatements, find_ended
from memory.portraits.line_resolution import drop_oldest_lines, merge_lines
from memory.portraits.lines import events_of, from_json, lines_holding, without_learned
from memory.portraits.material import Material, contents_of_all_items, material_of
from memory.portraits.model_arrangement import arrange_lines
from memory.portraits.rebuild import event_lines, rebuild_lines
from memory.portraits.sentence_classifier import classify_sentence, sentences_of
from memory.portraits.types import EntityType, LineSource, PortraitLine

PORTRAIT_TOPIC = "memory.portrait"
_BY_PERSON: Final = "person"
_OF_PERSPECTIVE: Final[dict[str, EntityType]] = {
    CognitiveEvent.Perspective.SENDER: "user",
    CognitiveEvent.Perspective.GROUP: "group",
}


def queue_events(events: Sequence[CognitiveEvent], *, anew: bool = False) -> None:
    """Queue the rebuild of the portraits that these events belong to, in the transaction that stores the events.

    All events come from one job of the historian. They are not queued twice, unless they are to be learned ``anew``
    because the user corrected them. Does nothing without ``COGNITIVE_ENABLED`` or new information.
    """
    telling = [event for event in events if event.has_new_info and event.new_info.strip()]
    if not telling or not settings.COGNITIVE_ENABLED:
        return
    outbox.enqueue(
        PORTRAIT_TOPIC,
        key=None if anew else uuid5(telling[0].pk, PORTRAIT_TOPIC),
        user_id=telling[0].user_id,
        payload={"events": [str(event.pk) for event in telling], "anew": anew},
        scope=ConsentScope.MEMORY_LEARNING.value,
    )


@dataclass(frozen=True)
class _PortraitDraft:
    """The material for rebuilding a portrait: its row and present lines (``known``), new ``events``, and memories.

    ``said`` are the words of every memory, in force or not; ``ended`` are the statements that are no longer true.
    """

    entity_type: EntityType
    entity_id: UUID
    name: str
    row: EntityProfile | None
    events: tuple[CognitiveEvent, ...]
    known: tuple[PortraitLine, ...]
    material: Material
    said: tuple[str, ...]
    ended: EndedStatements

    @property
    def former(self) -> tuple[PortraitLine, ...]:
        """The present lines."""
        return from_json(self.row.lines) if self.row else ()

    @property
    def sentences(self) -> set[str]:
        """The sentences to be judged: those of new events; of an outdated portrait, its lines of events."""
        new = {sentence for event in self.events for sentence in sentences_of(event.new_info)}
        if not self.was_made_before:
            return new
        return new | {leaf.text for line in self.known for leaf in line.leaves if events_of([leaf]) and not leaf.stated}

    @property
    def was_made_before(self) -> bool:
        """Whether it was made in the older way, from events alone, and may contain what is not lasting."""
        return self.row is not None and self.row.made_by < CURRENT_MAKING


def write_portraits(job: Job) -> None:
    """Rebuild each portrait that the job's events belong to.

    Running it again changes nothing, nor does running it after a withdrawal or an erasure.
    """
    _write_all(job, lambda: _drafts_of_events(job))


def remake_portraits(job: Job) -> None:
    """Rebuild all portraits of a user after their memories have changed."""
    _write_all(job, lambda: _drafts_of_person(job))


def _write_all(job: Job, drafts_of: Callable[[], list[_PortraitDraft]]) -> None:
    with job.acting():
        drafts = drafts_of()
    model, degraded = configured_model(tenant_id_of(job.user_id)), list[str]()
    lasting = select_durable_sentences({text: draft.name for draft in drafts for text in draft.sentences})
    ordered: dict[UUID, tuple[PortraitLine, ...]] = {}
    for draft in drafts:
        lines = _rebuilt_lines(draft, lasting)
        if not model.is_offline and _says_something_else(lines, draft.former):
            outbox.require_lease(job.message)
            lines, reasons = arrange_lines(lines, model)
            degraded += reasons
        ordered[draft.entity_id] = lines
    with job.completing():
        permit = learning_permit(job.user_id, _oldest_consent(drafts))
        if permit is None:
            return
        before = {draft.entity_id: draft for draft in drafts}
        now = [draft for draft in drafts_of() if draft.entity_id in before]
        if len(now) < len(drafts):  # erased meanwhile
            EVOLUTION_BLOCKED.inc()
        written = [
            _write_revision(permit, draft, before[draft.entity_id], ordered[draft.entity_id], lasting) for draft in now
        ]
        job.result |= {"portraits": sum(written), "degraded": degraded}


def _oldest_consent(drafts: Sequence[_PortraitDraft]) -> int | None:
    return min((event.consent_version for draft in drafts for event in draft.events), default=None)


def _drafts_of_events(job: Job) -> list[_PortraitDraft]:
    """Drafts of the portraits that the events belong to; none once the consent is gone."""
    events = list(CognitiveEvent.objects.filter(pk__in=job.payload["events"], user_id=job.user_id).order_by("pk"))
    permit = learning_permit(job.user_id, min((event.consent_version for event in events), default=None))
    told: dict[tuple[EntityType, UUID], list[CognitiveEvent]] = {}
    for event in events:
        entity_type = _OF_PERSPECTIVE[event.perspective]
        entity_id = event.group_id if entity_type == "group" else event.user_id
        if entity_id is not None:
            told.setdefault((entity_type, entity_id), []).append(event)
    anew = bool(job.payload.get("anew"))
    drafts = (_draft_portrait(permit, *entity, of, anew=anew) for entity, of in told.items()) if permit else ()
    return [draft for draft in drafts if draft is not None]


def _drafts_of_person(job: Job) -> list[_PortraitDraft]:
    permit = learning_permit(job.user_id)
    if permit is None:
        return []
    entities: list[tuple[EntityType, UUID]] = [("user", job.user_id)]
    entities += [("group", group_id) for group_id in group_ids_of(job.user_id)]
    return [draft for entity in entities if (draft := _draft_portrait(permit, *entity, ())) is not None]


def _draft_portrait(
    permit: Permit, entity_type: EntityType, entity_id: UUID, events: Sequence[CognitiveEvent], *, anew: bool = False
) -> _PortraitDraft | None:
    """The draft of a portrait; None for a group the user has left, or where all these events were learned before.

    Events learned before are not learned again, even if their lines were removed since. With ``anew`` the lines learned
    from these events before are replaced.
    """
    if entity_type == "group" and not is_member(permit.user_id, entity_id):
        return None
    row = storage.current_row(permit, entity_type, entity_id)
    lines = from_json(row.lines) if row else ()
    fresh = tuple(events)
    if anew:
        for event in events:
            lines = without_learned(lines, event.pk)
    elif row is not None:
        before = (
            line for told in storage.former_revisions(row).values_list("lines", flat=True) for line in from_json(told)
        )
        known = events_of([*lines, *before]) | set(row.left_out)
        fresh = tuple(event for event in events if event.pk not in known)
    if events and not fresh:
        return None
    name = User.objects.get(pk=permit.user_id).name
    return _PortraitDraft(
        entity_type,
        entity_id,
        name,
        row,
        fresh,
        lines,
        material_of(permit, entity_type, entity_id),
        tuple(contents_of_all_items(permit)),
        _ended_since(permit, lines, fresh, name),
    )


def _ended_since(
    permit: Permit, lines: Iterable[PortraitLine], events: Collection[CognitiveEvent], name: str
) -> EndedStatements:
    told = [(leaf.said_at, leaf.text) for line in lines for leaf in line.leaves]
    told += [(event.timestamp_utc, sentence) for event in events for sentence in sentences_of(event.new_info)]
    keys = events_of(lines) | {event.pk for event in events}
    return find_ended(permit, told, keys, name, timezone.now())


def _rebuilt_lines(draft: _PortraitDraft, lasting: Collection[str]) -> tuple[PortraitLine, ...]:
    """The portrait's lines as the rules make them."""
    told = event_lines(draft.known, lasting.__contains__ if draft.was_made_before else None)
    for event in draft.events:
        told = _with_event(told, event, draft.name, lasting)
    told = lines_holding(told, lambda leaf: leaf.stated or not draft.ended.says_ended(leaf.said_at, leaf.text))
    left_out = draft.row.left_out if draft.row else ()
    lines = rebuild_lines(told, draft.material, draft.said, left_out, timezone.now().date())
    return drop_oldest_lines(draft.entity_type, lines, settings.PROFILE_MAX_CHARS)


def _with_event(
    lines: tuple[PortraitLine, ...], event: CognitiveEvent, name: str, lasting: Collection[str]
) -> tuple[PortraitLine, ...]:
    """The lines with the durable sentences of an event."""
    for sentence in sentences_of(event.new_info):
        reading = classify_sentence(sentence, name, event.timestamp_utc)
        if reading.is_command or reading.must_be_asked:  # not confirmed for use in every answer
            continue
        if reading.is_style and not style_preferences.may_be_learned():
            continue
        if sentence not in lasting and not (reading.retracts or (event.rewritten_by == _BY_PERSON and reading.slot)):
            continue
        new = PortraitLine(
            new_id(), sentence, reading.section, event.timestamp_utc,
            sources=(LineSource("event", event.pk, event_id=event.event_id),), slot=reading.slot, value=reading.value,
        )  # fmt: skip
        lines = merge_lines(lines, new, reading)
    return lines


def _says_something_else(lines: Sequence[PortraitLine], former: Sequence[PortraitLine]) -> bool:
    """Whether the lines, apart from their arrangement, differ from the former ones."""
    return _leaf_texts(lines) != _leaf_texts(former)


def _leaf_texts(lines: Sequence[PortraitLine]) -> set[tuple[frozenset[LineSource], str]]:
    return {(frozenset(leaf.sources), leaf.text) for line in lines for leaf in line.leaves}


def _write_revision(
    permit: Permit,
    draft: _PortraitDraft,
    before: _PortraitDraft,
    ordered: tuple[PortraitLine, ...],
    lasting: Collection[str],
) -> bool:
    """Store the next revision.

    If the material has changed since it was read, the rules' lines are stored instead of the model's arrangement.
    """
    unchanged = (draft.known, draft.material, draft.said) == (before.known, before.material, before.said)
    same_events = [event.new_info for event in draft.events] == [event.new_info for event in before.events]
    lines = ordered if unchanged and same_events else _rebuilt_lines(draft, lasting)
    row = draft.row or storage.blank_row(User.objects.get(pk=permit.user_id), draft.entity_type, draft.entity_id)
    if not _says_something_else(lines, draft.former):
        begins = draft.row is None and draft.entity_type == "user" and bool(draft.said)
        if draft.was_made_before or begins:
            storage.mark_as_made(permit, row)
        return False
    storage.store_revision(permit, row, lines, EntityProfile.Change.LEARNED)
    return True
