"""Stores imported conversations: each speaker's rows are written acting for that speaker."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from uuid import UUID

from django.db.models import QuerySet

from consent.models import Tombstone
from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.services import screen_text
from consent.services import permit_for, scope_held_since
from foundation.accounts.models import User
from foundation.accounts.services import lock_user
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import NotFound
from foundation.outbox.models import Priority
from foundation.personal_data import ConsentScope
from memory.external_refs import stored_refs
from memory.importing.imported_people import SpeakerUsers, people_of, permit_of
from memory.importing.types import ImportedTurn, SessionPart
from memory.importing.validation import BadRecord
from memory.indexing import services as indexing
from memory.indexing.documents import SearchDocument, turn_documents
from memory.indexing.embedding import index
from memory.indexing.withheld_messages import find_withheld_messages
from memory.learning.services import observe
from memory.models import ConversationEvent, SearchEntry, Session
from memory.services.sessions import record_messages, start_session
from memory.types import IMPORTED_ASSISTANT, NewMessage

Since = Mapping[UUID, int | None]  # user → the version of consent from which on learning holds
_CASTS = 64  # conversations whose people are cached


@dataclass(frozen=True)
class ImportedPart:
    """What a part brought: turns written, turns that were there before, and the session they are in."""

    recorded: int
    known: int
    session_id: UUID


class ConversationImporter:
    """One import run. Parts may come in any order and repeatedly: what is stored already is not written twice."""

    def __init__(self) -> None:
        self._cast = lru_cache(maxsize=_CASTS)(people_of)

    def add(self, part: SessionPart) -> ImportedPart:
        """Record, queue for learning and index one part. To be called outside any request's transaction.

        Messages are stored and queued for learning in one transaction. If the run ends before they are indexed, the
        next run or the worker indexes them. Raises ``BadRecord`` if the accounts of the conversation's people cannot be
        used, or its name holds what must not be kept.
        """
        _check_names(part)
        cast = self._cast(part.conversation, part.people)
        session, recorded = _record(part, cast)
        _index(part, cast, session)
        return ImportedPart(recorded, len(part.turns) - recorded, session.pk)


def _check_names(part: SessionPart) -> None:
    """Refuse names that would not do as titles or as the name of a group."""
    try:
        screen_text("group_name", part.conversation)
        screen_text("title", part.session)
    except SensitiveInput as error:
        raise BadRecord(error.message) from None


def _record(part: SessionPart, cast: SpeakerUsers) -> tuple[Session, int]:
    with acting_as(cast.host.pk):
        _hold(cast)
        session = _session(part, cast)
        known = _known_refs(part, cast, session)
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


def _hold(cast: SpeakerUsers) -> None:
    """Lock the conversation's people, so that no erasure of theirs begins before the transaction ends.

    Raises ``BadRecord`` while one runs: messages that it hides would be taken for new.
    """
    people = sorted(user.pk for user in cast.users.values())
    try:
        for key in people:
            lock_user(key)
    except NotFound:
        raise BadRecord("One of its people is gone.") from None
    with in_role(OPERATOR_ROLE):
        if Tombstone.objects.filter(user_id__in=people, completed_at=None).exists():
            raise BadRecord("Something of one of its people is being erased: import it again later.")


def _session(part: SessionPart, cast: SpeakerUsers) -> Session:
    ref = f"{part.conversation}/{part.session}"
    there = Session.objects.filter(user=cast.host, external_ref__in=stored_refs(cast.host, [ref])).first()
    return there or start_session(
        permit_of(cast.host), cast.host, group_id=cast.group_id, title=part.session, external_ref=ref
    )


def _message(turn: ImportedTurn) -> NewMessage:
    speaker = turn.person if turn.role == "user" else IMPORTED_ASSISTANT
    return NewMessage(turn.role, turn.blocks, speaker, occurred_at=turn.at, external_ref=turn.ref)


def _known_refs(part: SessionPart, cast: SpeakerUsers, session: Session) -> set[str]:
    """The references of the part's turns that are stored already, even if their words were erased since."""
    refs: dict[str, str] = {}
    for turn in part.turns:
        refs |= stored_refs(cast.users[turn.person], [turn.ref])
    stored = ConversationEvent.objects.filter(session=session, external_ref__in=refs)
    return {refs[ref] for ref in stored.values_list("external_ref", flat=True)}


def _events(part: SessionPart, session: Session) -> QuerySet[ConversationEvent]:
    return ConversationEvent.objects.filter(session=session, external_ref__in=[turn.ref for turn in part.turns])


def _index(part: SessionPart, cast: SpeakerUsers, session: Session) -> None:
    """Index the part's learnable turns that have no search entry. Texts are embedded outside any transaction."""
    with acting_as(cast.host.pk):
        documents, _ = _unindexed_documents(part, cast, session)
    embedded, model_id = indexing.embed([document.text for document in documents])
    vectors = {document.id: vector for document, vector in zip(documents, embedded, strict=True)}
    with acting_as(cast.host.pk):
        _hold(cast)
        indexing.lock_conversation(session.pk)
        documents, around = _unindexed_documents(part, cast, session)  # some may have been taken back meanwhile
        fresh = [document for document in documents if document.id in vectors]
        for user_id, group in groupby(sorted(fresh, key=attrgetter("user_id")), key=attrgetter("user_id")):
            own = list(group)
            with acting_as(user_id):
                index(own, [vectors[document.id] for document in own], model_id)
        indexing.refresh_neighbours(around, [document.id for document in fresh])


def _unindexed_documents(
    part: SessionPart, cast: SpeakerUsers, session: Session
) -> tuple[list[SearchDocument], list[ConversationEvent]]:
    """The documents of what is not indexed yet, and the turns around them."""
    since = {user.pk: _learning_since(user) for user in cast.users.values()}
    missing = _unindexed(part, session, since)
    around = _around(session, missing, since)
    return turn_documents(around, [event.pk for event in missing]), around


def _learning_since(user: User) -> int | None:
    """The version of consent since which learning holds without a break; None where it does not hold."""
    with acting_as(user.pk):
        allowed = permit_for(user).may_learn
        return scope_held_since(user.pk, ConsentScope.MEMORY_LEARNING) if allowed else None


def _unindexed(part: SessionPart, session: Session, since: Since) -> list[ConversationEvent]:
    learnable = [
        event for event in _events(part, session).filter(learnable=True).order_by("seq") if _held(event, since)
    ]
    indexed = SearchEntry.objects.filter(pk__in=[event.pk for event in learnable]).values_list("pk", flat=True)
    there = set(indexed)
    out = [event for event in learnable if event.pk not in there]
    withheld = _withheld(out)
    return [event for event in out if event.pk not in withheld]


def _withheld(events: Sequence[ConversationEvent]) -> set[UUID]:
    """The messages that were indexed before and are withheld from search until their user decides."""
    found: set[UUID] = set()
    for user_id, own in groupby(sorted(events, key=attrgetter("user_id")), key=attrgetter("user_id")):
        with acting_as(user_id):
            found |= find_withheld_messages(user_id, [event.pk for event in own])
    return found


def _around(session: Session, missing: Sequence[ConversationEvent], since: Since) -> list[ConversationEvent]:
    if not missing:
        return []
    around = indexing.messages_with_neighbours(session.pk, [event.pk for event in missing])
    return [event for event in around if _held(event, since)]


def _held(event: ConversationEvent, since: Since) -> bool:
    """Whether the event may be found: words from before a withdrawal of consent stays out even after a new consent."""
    version = since.get(event.user_id)
    return version is not None and event.consent_version >= version
