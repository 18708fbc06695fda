"""Selects the rows that are erased with a memory, an event or a conversation: derived rows and sources.

A memory is erased with its whole chain and whatever was merged with it. The messages it was learned from lose the
sentences that disclose it; so do the events that an ``end`` made of the messages, and the replies that quote it. Other
sentences stay. If no sentence can be found, the whole text is erased. If the user chooses to keep the messages, they
stay whole, but nothing is ever learned from them again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_
from uuid import UUID

from django.db.models import Q

from consent.erasure.types import Targets
from consent.models import Sources
from consent.permit import Permit
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from foundation.exceptions import NotFound
from memory.erasure.disclosure import ErasedWords
from memory.erasure.erased_statements import erased_words_beside, statements_of_events, statements_of_items
from memory.erasure.labels import ENTRY, EVENT, ITEM, JOB, PORTRAIT, PROPOSAL, SESSION, TURN
from memory.erasure.portrait_sources import lines_made_of
from memory.erasure.portraits import replies_echoing_events
from memory.erasure.redaction_plan import (
    own_messages,
    plan_for_events,
    plan_for_messages,
    plan_for_neighbours,
    plan_for_replies,
    quotes_of,
    replies_in,
)
from memory.erasure.reply_echoes import replies_given
from memory.historian.events import event_of, split_ref
from memory.models import (
    ChatImport,
    CognitiveEvent,
    CognitiveJob,
    ConversationEvent,
    EntityProfile,
    EvolutionEvent,
    EvolutionProposal,
    MemoryItem,
    SearchEntry,
    Session,
)
from memory.models.items import BROUGHT_BY
from memory.querysets import MemoryItemQuerySet
from memory.services.item_queries import item_of
from memory.services.sessions import session_of

IMPORTED_AT_ONCE = 300
"""How many conversations of an import one erasure takes: its rows are named by their ids."""


def targets_of_item(permit: Permit, memory_id: UUID, sources: Sources) -> Targets:
    """The rows erased with one memory. Raises ``NotFound`` for one that is not the user's."""
    versions = _related_versions(permit, item_of(permit, memory_id))
    apart = _undone_merges(versions)
    learned = [item for item in versions if item.pk not in apart]
    ids = {item.pk for item in versions}
    forgotten = _ForgottenStatements(
        statements=statements_of_items(versions),
        said_in=[set(item.message_ids) for item in learned],
        delete={ITEM: ids, PROPOSAL: _proposals_of(ids)},
    )
    return _with_sources(permit, forgotten, sources)


def targets_of_event(permit: Permit, ref: str, sources: Sources) -> Targets:
    """The rows erased with one event in all its perspectives, or with the one part that ``ref`` names.

    Raises ``NotFound``.
    """
    event = event_of(permit, ref)
    if event.user_id != permit.user_id:
        raise NotFound()  # only its sender may erase a group's event
    whole = CognitiveEvent.objects.filter(user_id=permit.user_id, event_id=event.event_id)
    same = whole if split_ref(ref)[1] is None else whole.filter(part=event.part)
    jobs = CognitiveJob.objects.filter(user_id=permit.user_id, request_id=event.request_id, end_seq=event.end_seq)
    if same.count() < whole.count():  # the other parts need the job, unless it has words
        jobs = jobs.exclude(action_summary="", new_info="")
    events = list(same)
    forgotten = _ForgottenStatements(
        statements=statements_of_events(events),
        said_in=[set(event.message_ids) for event in events],
        delete={EVENT: {event.pk for event in events}, JOB: set(jobs.values_list("pk", flat=True))},
        quotes=frozenset(quote for event in events for quote in quotes_of(event)),
    )
    return _with_sources(permit, forgotten, sources)


def targets_of_session(permit: Permit, session_id: UUID) -> Targets:
    """The rows erased with a conversation and what was learned from it; in a group the user's own part of it.

    Raises ``NotFound`` for a conversation that somebody else began, unless the user spoke in it.
    """
    session = session_of(permit, session_id)
    spoke = session.events.filter(user_id=permit.user_id).exists()
    if session.user_id != permit.user_id and not spoke:
        raise NotFound()
    return _targets_of_sessions(permit, {session.pk}, whole=session.group_id is None)


def targets_of_import(permit: Permit, import_id: UUID) -> Targets:
    """The next ``IMPORTED_AT_ONCE`` conversations that an import began, with what was learned from them, and as many of
    the memories that it brought unchanged.

    Raises ``NotFound`` for an import of somebody else's.
    """
    if not ChatImport.objects.filter(pk=import_id, user_id=permit.user_id).exists():
        raise NotFound()
    began = Session.objects.filter(user_id=permit.user_id, group=None, brought_by=import_id)
    told = _targets_of_sessions(permit, set(began.values_list("pk", flat=True)[:IMPORTED_AT_ONCE]), whole=True)
    chains = items_brought_by(permit.user_id, [import_id]).values_list("chain_id", flat=True)[:IMPORTED_AT_ONCE]
    items = set(_all_versions(permit, list(chains)).values_list("pk", flat=True))
    return told | Targets(delete={ITEM: items, PROPOSAL: _proposals_of(items), ENTRY: items})


def items_brought_by(user_id: UUID, import_ids: Collection[UUID]) -> MemoryItemQuerySet:
    """The memories that these imports of archives brought unchanged, not learned from messages."""
    keys = [str(import_id) for import_id in import_ids]
    return MemoryItem.objects.owned_by(user_id).filter(**{f"provenance_detail__{BROUGHT_BY}__in": keys})


def _targets_of_sessions(permit: Permit, sessions: Collection[UUID], *, whole: bool) -> Targets:
    """Everything of the user's in these conversations; with ``whole`` the conversations themselves."""
    said = {"session__in": sessions, "user_id": permit.user_id}
    turns = set(ConversationEvent.objects.filter(**said).values_list("pk", flat=True))
    learned = MemoryItem.objects.owned_by(permit.user_id).filter(_taught_in(sessions))
    items = set(_all_versions(permit, learned.values_list("chain_id", flat=True)).values_list("pk", flat=True))
    events = set(CognitiveEvent.objects.filter(**said).values_list("pk", flat=True))
    jobs = set(CognitiveJob.objects.filter(**said).values_list("pk", flat=True))
    delete = {ITEM: items, PROPOSAL: _proposals_of(items), EVENT: events, JOB: jobs, TURN: turns}
    echoes = (_prompted_replies(permit, items | events | turns) | replies_echoing_events(permit, events)) - turns
    if whole:
        delete[SESSION] = set(sessions)
    return Targets(
        delete=delete | {ENTRY: items | events | turns},
        redact={TURN: echoes},
        touched={SESSION: _sessions_of(echoes) | (set() if whole else set(sessions))},
    )


def _taught_in(sessions: Collection[UUID]) -> Q:
    """The condition for items that were learned in these conversations.

    An item was if it was first said in one of them, or was merged from one said there. An item that was only repeated
    there stays, because it was learned elsewhere.
    """
    merged = Q(source_sessions__overlap=list(sessions), provenance_detail__has_key="merged_from")
    return Q(source_sessions__0__in=list(sessions)) | merged


def targets_of_portrait(permit: Permit, portrait_id: UUID) -> Targets:
    """The rows of a portrait with all its versions; its sources stay. Raises ``NotFound``."""
    if not EntityProfile.objects.filter(pk=portrait_id, user_id=permit.user_id).exists():
        raise NotFound()
    return Targets(delete={PORTRAIT: {portrait_id}, ENTRY: {portrait_id}})


def _related_versions(permit: Permit, item: MemoryItem) -> list[MemoryItem]:
    """Every version of the item's chain, and of the chains merged into it or that it was merged into.

    A merge that the user undid is erased with any of its sources, whose words it may hold, but without the other ones.
    """
    chains, found = {item.chain_id}, list[MemoryItem]()
    while True:
        found = list(_all_versions(permit, chains))
        apart = _undone_merges(found)
        whole = (version for version in found if version.pk not in apart)
        merged = {UUID(key) for version in whole for key in version.provenance_detail.get("merged_from", ())}
        into = MemoryItem.objects.owned_by(permit.user_id).filter(
            _provenance_naming("merged_from", [version.pk for version in found])
        )
        sources = MemoryItem.objects.owned_by(permit.user_id).filter(pk__in=merged)
        wider = chains | set(into.values_list("chain_id", flat=True)) | set(sources.values_list("chain_id", flat=True))
        if wider == chains:
            return found
        chains = wider


def _all_versions(permit: Permit, chains: Iterable[UUID]) -> MemoryItemQuerySet:
    return MemoryItem.objects.owned_by(permit.user_id).filter(chain_id__in=chains)


def _undone_merges(items: Collection[MemoryItem]) -> set[UUID]:
    """The items that are merges which the user undid."""
    merges = EvolutionEvent.objects.filter(item__in=items, action=EvolutionEvent.Action.MERGED)
    return set(merges.exclude(undone_at=None).values_list("item_id", flat=True))


def _proposals_of(items: Collection[UUID]) -> set[UUID]:
    """The proposals made of these memories."""
    return set(EvolutionProposal.objects.filter(item__in=items).values_list("pk", flat=True))


def _provenance_naming(key: str, ids: Collection[UUID]) -> Q:
    """The condition for rows whose provenance names any of these ids; matches none without ids."""
    named = (Q(**{f"provenance_detail__{key}__contains": [str(row_id)]}) for row_id in ids)
    return reduce(or_, named, Q(pk__in=()))


@dataclass(frozen=True)
class _ForgottenStatements:
    """The ``statements`` to be forgotten, each with its value, and the rows that hold them, by label.

    ``said_in`` are the messages behind each row; ``quotes`` are sentences of these messages, letter for letter, where
    they are known.
    """

    statements: list[tuple[str, str]]
    said_in: list[set[UUID]]
    delete: dict[str, set[UUID]]
    quotes: frozenset[str] = frozenset()


def _with_sources(permit: Permit, forgotten: _ForgottenStatements, sources: Sources) -> Targets:
    lost = Targets(delete=forgotten.delete)
    items, events = forgotten.delete.get(ITEM, set()), forgotten.delete.get(EVENT, set())
    said = own_messages(permit, set[UUID]().union(*forgotten.said_in))
    keys = {message.pk for message in said}
    with in_role(ERASER_ROLE):  # former versions of portraits
        lines = lines_made_of(permit.user_id, items | events)
    words_beside = partial(
        erased_words_beside, permit.user_id, [*forgotten.statements, *((line, "") for line in lines)], gone=items,
        messages=keys,
    )  # fmt: skip
    words = words_beside((), around=[message.text for message in said])
    unlearn, heard = keys, set[UUID]()
    if sources != Sources.KEEP:
        planned, sentences = plan_for_messages(said, forgotten.said_in, words, forgotten.quotes)
        words = words_beside(sentences)
        lost |= planned | plan_for_neighbours(permit, said, words)
        lost |= plan_for_events(permit, said, lost, sentences, words)
        unlearn, heard = set[UUID](), keys
    # Replies that quote it lose it even if the messages stay: the assistant wrote them, and they would teach it again.
    told = lost.losing(EVENT)
    given = items | events | heard
    prompted = _prompted_replies(permit, given) | replies_echoing_events(permit, told)
    lost |= _plan_for_prompted_replies(permit, prompted, _sessions_of(heard), words, given)
    return _with_entries(lost, unlearn)


def _with_entries(lost: Targets, unlearn: set[UUID]) -> Targets:
    """The rows with their search entries, and the conversations that they touch; without words to ``unlearn``."""
    emptied = {*lost.redact.get(TURN, ())} - unlearn
    cut_messages = set(lost.cut.get(TURN, {}))
    entries = {*lost.delete.get(ITEM, ()), *lost.delete.get(EVENT, ()), *emptied, *unlearn}
    return Targets(
        delete={**lost.delete, ENTRY: entries},
        redact={TURN: emptied, ENTRY: _indexed_rows(cut_messages | set(lost.cut.get(EVENT, {})))},
        unlearn={TURN: unlearn},
        touched={SESSION: _sessions_of(emptied | unlearn | cut_messages)},
        cut=lost.cut,
    )


def _plan_for_prompted_replies(
    permit: Permit, prompted: set[UUID], sessions: set[UUID], words: ErasedWords, given: Collection[UUID]
) -> Targets:
    """Plan what replies lose that were ``prompted`` with the statement or such a reply, or share a conversation."""
    lost = set[UUID]()
    while True:
        found = plan_for_replies(permit, prompted | replies_in(permit, sessions), words, given)
        losing = found.emptied_or_cut(TURN)
        if losing <= lost:
            return found
        lost = losing
        prompted |= _prompted_replies(permit, losing)
        sessions = sessions | _sessions_of(losing)


def _indexed_rows(keys: Collection[UUID]) -> set[UUID]:
    """The rows among ``keys`` that have a search entry."""
    with in_role(ERASER_ROLE):  # another erasure may have hidden them
        return set(SearchEntry.with_erased.filter(pk__in=keys).values_list("pk", flat=True))


def _prompted_replies(permit: Permit, ids: Collection[UUID]) -> set[UUID]:
    """The replies to the user that had any of these rows, or such a reply, in their prompt."""
    found, new = set[UUID](), set(ids)
    while new:
        new = replies_given([permit.user_id], new) - found
        found |= new
    return found


def _sessions_of(turns: Collection[UUID]) -> set[UUID]:
    with in_role(ERASER_ROLE):  # another erasure may have hidden them
        return set(ConversationEvent.with_erased.filter(pk__in=turns).values_list("session_id", flat=True))
