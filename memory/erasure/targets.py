"""Which rows fall with a memory, an event or a conversation (C-9): everything derived from it, and where it came from.

A memory falls with its whole chain, whatever was merged with it, and the replies that were given it. The messages it
was learned from lose their words, and with them the events an ``end`` made of them; unless their person keeps them:
then nothing is ever learned from them again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import Q

from consent.erasure.types import Targets
from consent.models import Sources
from consent.permit import Permit
from foundation.exceptions import NotFound
from memory.erasure.echoes import repeats_of, said_in, words_of
from memory.erasure.portraits import EVENT, PORTRAIT, echoes_of
from memory.models import (
    CognitiveEvent,
    CognitiveJob,
    ConversationEvent,
    EntityProfile,
    EvolutionEvent,
    EvolutionProposal,
    MemoryItem,
    ReceiptLine,
    Session,
)
from memory.models.sessions import text_of
from memory.querysets import MemoryItemQuerySet
from memory.services.events import event_of, split_ref
from memory.services.items import item_of

ITEM, JOB = "memory.MemoryItem", "memory.CognitiveJob"
TURN, ENTRY, SESSION = "memory.ConversationEvent", "memory.SearchEntry", "memory.Session"
PROPOSAL = "memory.EvolutionProposal"


def targets_of_item(permit: Permit, memory_id: UUID, sources: Sources) -> Targets:
    """What goes with one memory. Raises ``NotFound`` for one that is not the person's."""
    versions = _kin(permit, item_of(permit, memory_id))
    apart = _taken_apart(versions)
    learned = (item for item in versions if item.pk not in apart)
    named = {UUID(key) for item in learned for key in item.provenance_detail.get("message_ids", ())}
    ids = {item.pk for item in versions}
    words = words_of(item.content for item in versions)
    return _with_sources(permit, {ITEM: ids, PROPOSAL: _proposed(ids)}, named, words, sources)


def targets_of_event(permit: Permit, ref: str, sources: Sources) -> Targets:
    """What goes with one event, in all its perspectives: with all its parts, or with the one that ``ref`` names. Raises
    ``NotFound``.
    """
    event = event_of(permit, ref)
    if event.user_id != permit.user_id:
        raise NotFound()  # a group's event is its sender's
    whole = CognitiveEvent.objects.filter(user_id=permit.user_id, event_id=event.event_id)
    same = whole if split_ref(ref)[1] is None else whole.filter(part=event.part)
    jobs = CognitiveJob.objects.filter(user_id=permit.user_id, request_id=event.request_id, end_seq=event.end_seq)
    if same.count() < whole.count():  # the others need it, unless it holds the words itself
        jobs = jobs.exclude(action_summary="", new_info="")
    ids = set(same.values_list("pk", flat=True))
    named = {key for keys in same.values_list("message_ids", flat=True) for key in keys}
    words = words_of(same.values_list("canonical_text", flat=True))
    return _with_sources(permit, {EVENT: ids, JOB: set(jobs.values_list("pk", flat=True))}, named, words, sources)


def targets_of_session(permit: Permit, session: Session) -> Targets:
    """A whole conversation and what was learned from it. In a group: the person's own part of it.

    Raises ``NotFound`` for a conversation that somebody else began, unless the person spoke in it.
    """
    turns = set(session.events.filter(user_id=permit.user_id).values_list("pk", flat=True))
    if session.user_id != permit.user_id and not turns:
        raise NotFound()
    learned = MemoryItem.objects.owned_by(permit.user_id).filter(_taught_in(session))
    items = set(_all_versions(permit, learned.values_list("chain_id", flat=True)).values_list("pk", flat=True))
    events = set(CognitiveEvent.objects.filter(session=session, user_id=permit.user_id).values_list("pk", flat=True))
    jobs = set(CognitiveJob.objects.filter(session=session, user_id=permit.user_id).values_list("pk", flat=True))
    delete = {ITEM: items, PROPOSAL: _proposed(items), EVENT: events, JOB: jobs, TURN: turns}
    echoes = (_echoes(permit, items | events | turns) | echoes_of(permit, events)) - turns
    whole = session.group_id is None
    if whole:
        delete[SESSION] = {session.pk}
    return Targets(
        delete=_ids(delete | {ENTRY: items | events | turns}),
        redact=_ids({TURN: echoes}),
        touched=_ids({SESSION: _sessions_of(echoes) | (set() if whole else {session.pk})}),
    )


def _taught_in(session: Session) -> Q:
    """Items whose words come from a conversation: it was their first, or one of those behind what was merged. What was
    only said again there stays, as learned elsewhere.
    """
    merged = Q(source_sessions__contains=[session.pk], provenance_detail__has_key="merged_from")
    return Q(source_sessions__0=session.pk) | merged


def targets_of_portrait(permit: Permit, portrait_id: UUID) -> Targets:
    """A portrait, with all its versions; what it was made of stays. Raises ``NotFound`` for one that is not theirs."""
    if not EntityProfile.objects.filter(pk=portrait_id, user_id=permit.user_id).exists():
        raise NotFound()
    return Targets(delete=_ids({PORTRAIT: {portrait_id}, ENTRY: {portrait_id}}))


def _kin(permit: Permit, item: MemoryItem) -> list[MemoryItem]:
    """Every version of the item's chain, and of the chains merged into it or it into (M-16).

    A merge that its person undid goes with each of its sources, whose words it may hold, but leads to no other.
    """
    chains, found = {item.chain_id}, list[MemoryItem]()
    while True:
        found = list(_all_versions(permit, chains))
        apart = _taken_apart(found)
        whole = (one for one in found if one.pk not in apart)
        merged = {UUID(key) for one in whole for key in one.provenance_detail.get("merged_from", ())}
        into = MemoryItem.objects.owned_by(permit.user_id).filter(_names("merged_from", [one.pk for one in found]))
        sources = MemoryItem.objects.owned_by(permit.user_id).filter(pk__in=merged)
        wider = chains | set(into.values_list("chain_id", flat=True)) | set(sources.values_list("chain_id", flat=True))
        if wider == chains:
            return found
        chains = wider


def _all_versions(permit: Permit, chains: Iterable[UUID]) -> MemoryItemQuerySet:
    return MemoryItem.objects.owned_by(permit.user_id).filter(chain_id__in=chains)


def _taken_apart(items: Collection[MemoryItem]) -> set[UUID]:
    """Those of the items that are merges, and were undone."""
    merges = EvolutionEvent.objects.filter(item__in=items, action=EvolutionEvent.Action.MERGED)
    return set(merges.exclude(undone_at=None).values_list("item_id", flat=True))


def _proposed(items: Collection[UUID]) -> set[UUID]:
    """What was made of these memories for others to know."""
    return set(EvolutionProposal.objects.filter(item__in=items).values_list("pk", flat=True))


def _names(key: str, ids: Collection[UUID]) -> Q:
    """Rows whose provenance names any of these ids; none for no ids."""
    named = (Q(**{f"provenance_detail__{key}__contains": [str(one)]}) for one in ids)
    return reduce(or_, named, Q(pk__in=()))


def _with_sources(
    permit: Permit, delete: dict[str, set[UUID]], named: set[UUID], words: frozenset[str], sources: Sources
) -> Targets:
    ids = delete.get(ITEM, set()) | delete.get(EVENT, set())
    said = set(ConversationEvent.objects.filter(pk__in=named, user_id=permit.user_id).values_list("pk", flat=True))
    if sources == Sources.KEEP:
        # The replies that quote it go all the same: they are ours, and would teach it again.
        given, unlearn = _echoes(permit, ids), said
    else:
        words |= words_of(text for text in _texts(said))
        said |= _answers_to(said)
        given, unlearn = said | _echoes(permit, ids | said), set[UUID]()
        made = _made_of(permit, said)
        delete = {label: delete.get(label, set()) | made.get(label, set()) for label in {*delete, *made}}
    redact = _with_repeats(permit, given | echoes_of(permit, delete.get(EVENT, set())), words) - unlearn
    entries = delete.get(ITEM, set()) | delete.get(EVENT, set()) | redact | unlearn
    return Targets(
        delete=_ids(delete | {ENTRY: entries}),
        redact=_ids({TURN: redact}),
        unlearn=_ids({TURN: unlearn}),
        touched=_ids({SESSION: _sessions_of(redact | unlearn)}),
    )


def _with_repeats(permit: Permit, messages: set[UUID], words: frozenset[str]) -> set[UUID]:
    """The messages, and the person's replies that repeat in the same conversation what they hold of these words;
    with those, the replies that had one of them in their prompt.
    """
    found = messages
    while True:
        repeating = {reply for reply, owner in repeats_of(said_in(found, words)).items() if owner == permit.user_id}
        wider = found | repeating | _echoes(permit, repeating)
        if wider == found:
            return found
        found = wider


def _answers_to(said: Collection[UUID]) -> set[UUID]:
    """The reply right after each message: it speaks of what was said."""
    at = ConversationEvent.objects.filter(pk__in=said).values_list("session_id", "seq", "user_id")
    following = (
        Q(session_id=session, seq=seq + 1, user_id=user, role=ConversationEvent.Role.ASSISTANT)
        for session, seq, user in at
    )
    answers = ConversationEvent.objects.filter(reduce(or_, following, Q(pk__in=())))
    return set(answers.values_list("pk", flat=True))


def _echoes(permit: Permit, ids: Collection[UUID]) -> set[UUID]:
    """The person's replies that had any of these in their prompt, and those that had such a reply in theirs."""
    found, new = set[UUID](), set(ids)
    while new:
        new = _replies_given(permit, new) - found
        found |= new
    return found


def _replies_given(permit: Permit, ids: Collection[UUID]) -> set[UUID]:
    lines = ReceiptLine.objects.filter(
        user_id=permit.user_id, ref_id__in=ids, status=ReceiptLine.Status.ACCEPTED, receipt__kind="injection"
    )
    return set(lines.values_list("receipt__message_id", flat=True))


def _made_of(permit: Permit, said: Collection[UUID]) -> dict[str, set[UUID]]:
    """The events and jobs that an ``end`` made of these messages."""
    made = {"user_id": permit.user_id, "message_ids__overlap": list(said)}
    return {
        EVENT: set(CognitiveEvent.objects.filter(**made).values_list("pk", flat=True)),
        JOB: set(CognitiveJob.objects.filter(**made).values_list("pk", flat=True)),
    }


def _texts(turns: Collection[UUID]) -> list[str]:
    return [
        text_of(content) for content in ConversationEvent.objects.filter(pk__in=turns).values_list("content", flat=True)
    ]


def _sessions_of(turns: Collection[UUID]) -> set[UUID]:
    return set(ConversationEvent.objects.filter(pk__in=turns).values_list("session_id", flat=True))


def _ids(by_label: dict[str, set[UUID]]) -> dict[str, tuple[UUID, ...]]:
    return {label: tuple(sorted(keys)) for label, keys in by_label.items() if keys}
