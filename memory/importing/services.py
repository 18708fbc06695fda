"""Writing what was read: each speaker's rows acting as that speaker, through the services every turn uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from uuid import UUID

from django.db.models import QuerySet

from consent.services import held_since, permit_for
from foundation.accounts.models import User
from foundation.database.acting import acting_as
from foundation.outbox.models import Priority
from foundation.personal_data import Scope
from memory.evolution.services import observe
from memory.importing.cast import Cast, cast_of, permit_of
from memory.importing.types import ASSISTANT, SessionPart, Turn
from memory.indexing import services as indexing
from memory.indexing.embedding import embed_later
from memory.models import ConversationEvent, SearchEntry, Session
from memory.services.sessions import record_messages, start_session
from memory.types import NewMessage

Since = Mapping[UUID, int | None]  # user → the version of consent from which on learning holds
_CASTS = 64  # conversations whose people are kept at hand


@dataclass(frozen=True)
class Added:
    """What a part brought: turns written, turns that were there before, and the session they are in."""

    recorded: int
    known: int
    session_id: UUID


class Importer:
    """One run. Parts may come in any order, and again: what is there is not written twice."""

    def __init__(self) -> None:
        self._cast = lru_cache(maxsize=_CASTS)(cast_of)

    def add(self, part: SessionPart) -> Added:
        """Record, queue for learning and index one part. To be called outside any request's transaction.

        Messages and their learning stand or fall together; a run that ends before they are indexed is made
        good by the next, or by the worker. Raises ``BadRecord`` where the conversation's people cannot be had.
        """
        cast = self._cast(part.conversation, part.people)
        session, recorded = _record(part, cast)
        _index(part, cast, session)
        return Added(recorded, len(part.turns) - recorded, session.pk)


def _record(part: SessionPart, cast: Cast) -> tuple[Session, int]:
    with acting_as(cast.host.pk):
        session = _session(part, cast)
        known = set(_events(part, session).values_list("external_ref", flat=True))
        fresh = [turn for turn in part.turns if turn.ref not in known]
        permits = {name: permit_of(cast.users[name]) for name in {turn.person for turn in fresh}}
        written: dict[str, list[ConversationEvent]] = defaultdict(list)
        for person, turns in groupby(fresh, key=lambda turn: turn.person):
            with acting_as(cast.users[person].pk):
                written[person] += record_messages(permits[person], session, [_message(turn) for turn in turns])
        for person, events in written.items():
            with acting_as(cast.users[person].pk):
                observe(permits[person], events, priority=Priority.LOW, wake=False)
    return session, len(fresh)


def _session(part: SessionPart, cast: Cast) -> Session:
    ref = f"{part.conversation}/{part.session}"
    there = Session.objects.filter(user=cast.host, external_ref=ref).first()
    return there or start_session(
        permit_of(cast.host), cast.host, group_id=cast.group_id, title=part.session, external_ref=ref
    )


def _message(turn: Turn) -> NewMessage:
    speaker = turn.person if turn.role == "user" else ASSISTANT
    return NewMessage(turn.role, turn.blocks, speaker, occurred_at=turn.at, external_ref=turn.ref)


def _events(part: SessionPart, session: Session) -> QuerySet[ConversationEvent]:
    return ConversationEvent.objects.filter(session=session, external_ref__in=[turn.ref for turn in part.turns])


def _index(part: SessionPart, cast: Cast, session: Session) -> None:
    """Entries for the part's learnable turns that have none. Texts are embedded outside any transaction."""
    since = {user.pk: _learning_since(user) for user in cast.users.values()}
    with acting_as(cast.host.pk):
        missing = _unindexed(part, session, since)
        around = _around(session, missing, since)
    fresh = [event.pk for event in missing]
    documents = indexing.turn_documents(around, fresh)
    vectors, model_id = indexing.embed([document.text for document in documents])
    of_user: dict[UUID, list[int]] = defaultdict(list)
    for at, document in enumerate(documents):
        of_user[document.user_id].append(at)
    for user_id, places in of_user.items():
        with acting_as(user_id):
            indexing.store([documents[at] for at in places], [vectors[at] for at in places], model_id)
            embed_later([documents[at] for at in places if vectors[at] is None])
    with acting_as(cast.host.pk):
        indexing.refresh_neighbours(around, fresh)


def _learning_since(user: User) -> int | None:
    """The version of consent since which learning holds without a break; None where it does not hold."""
    with acting_as(user.pk):
        allowed = permit_for(user).allows(Scope.MEMORY_LEARNING)
        return held_since(user.pk, Scope.MEMORY_LEARNING) if allowed else None


def _unindexed(part: SessionPart, session: Session, since: Since) -> list[ConversationEvent]:
    learnable = [
        event for event in _events(part, session).filter(learnable=True).order_by("seq") if _held(event, since)
    ]
    indexed = SearchEntry.objects.filter(pk__in=[event.pk for event in learnable])
    there = set(indexed.values_list("pk", flat=True))
    return [event for event in learnable if event.pk not in there]


def _around(session: Session, missing: Sequence[ConversationEvent], since: Since) -> list[ConversationEvent]:
    if not missing:
        return []
    around = indexing.surroundings(session.pk, missing[0].seq, missing[-1].seq)
    return [event for event in around if _held(event, since)]


def _held(event: ConversationEvent, since: Since) -> bool:
    """Whether the event may be found: what was said before a withdrawal stays out, though it be granted again."""
    version = since.get(event.user_id)
    return version is not None and event.consent_version >= version
