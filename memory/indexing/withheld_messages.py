"""Withholds messages from search whose memories await the user's confirmation or were refused.

Search could otherwise quote them, or the answers to them, in other conversations. Their entries are deleted, not
marked, and created again after the user confirms: so search needs no further filter, and no neighbouring message is
found by their words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from memory.indexing import neighbour_terms
from memory.indexing import services as indexing
from memory.indexing.documents import turn_documents
from memory.indexing.embedding import index_now
from memory.indexing.unconfirmed_health import find_unconfirmed_health, messages_behind_withheld
from memory.models import ConversationEvent, SearchEntry


def withhold_messages(user_id: UUID, message_ids: Collection[UUID]) -> None:
    """Take these messages, and the answers to them, out of search. Call while acting for the user."""
    for session_id, turns in _by_conversation(user_id, message_ids).items():
        indexing.lock_conversation(session_id)
        taken, _ = SearchEntry.objects.filter(pk__in=turns, user_id=user_id).delete()
        if taken:
            indexing.remove_words(session_id, turns)


def restore_messages(user_id: UUID, message_ids: Collection[UUID]) -> None:
    """Return these messages and the answers to them to search, unless they are withheld for another reason.

    Call while acting for the user. Messages that were erased meanwhile, or for which consent was withdrawn, stay out,
    and so do the answers to them.
    """
    messages = set(message_ids) - _still_withheld(user_id, message_ids)
    for session_id, turns in _by_conversation(user_id, messages, learnable=True).items():
        if SearchEntry.objects.filter(pk__in=turns).count() < len(turns):
            _index_again(user_id, session_id, turns)


def _index_again(user_id: UUID, session_id: UUID, turns: Sequence[UUID]) -> None:
    indexing.lock_conversation(session_id)
    around = [
        event
        for event in neighbour_terms.messages_with_neighbours(user_id, session_id, turns)
        if event.redacted_at is None
    ]
    out = [event.pk for event in around if event.pk in turns and not event.indexed]
    index_now(neighbour_terms.storable_documents(user_id, turn_documents(around, out)))
    indexing.refresh_neighbours(around, out)


def _still_withheld(user_id: UUID, among: Collection[UUID]) -> set[UUID]:
    """The messages whose memories await confirmation or were refused, or that state unconfirmed facts of health."""
    said = ConversationEvent.objects.filter(pk__in=among, user_id=user_id, role=ConversationEvent.Role.USER)
    return messages_behind_withheld(user_id, among) | find_unconfirmed_health(user_id, said if among else ())


def find_withheld_messages(user_id: UUID, message_ids: Collection[UUID]) -> set[UUID]:
    """The user's messages that search does not show, with the answers among them."""
    if not message_ids:
        return set()
    said = [*message_ids, *_answered_by(user_id, message_ids)]
    found = _by_conversation(user_id, _still_withheld(user_id, said))
    return {key for turns in found.values() for key in turns} & set(message_ids)


def _answered_by(user_id: UUID, message_ids: Collection[UUID]) -> list[UUID]:
    """The messages just before those of these messages that are the assistant's answers."""
    mine = ConversationEvent.objects.filter(user_id=user_id)
    answers = mine.filter(pk__in=message_ids, role=ConversationEvent.Role.ASSISTANT).values_list("session_id", "seq")
    return list(mine.at((session_id, seq - 1) for session_id, seq in answers).values_list("pk", flat=True))


def _by_conversation(
    user_id: UUID, message_ids: Collection[UUID], *, learnable: bool = False
) -> Mapping[UUID, list[UUID]]:
    """The messages and the answers to them by conversation, in the order in which conversations are locked.

    With ``learnable`` only messages that may be learned from.
    """
    mine = ConversationEvent.objects.filter(user_id=user_id, **({"learnable": True} if learnable else {}))
    said = list(mine.filter(pk__in=message_ids).values_list("session_id", "seq", "pk")) if message_ids else []
    after = mine.at((session_id, seq + 1) for session_id, seq, _ in said)
    answers = after.filter(role=ConversationEvent.Role.ASSISTANT)
    turns: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for session_id, _, key in sorted({*said, *answers.values_list("session_id", "seq", "pk")}):
        turns[session_id].append(key)
    return turns
