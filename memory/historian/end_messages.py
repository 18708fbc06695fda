"""Loads the messages that an ``end`` call names, as far as they may be learned from."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from uuid import UUID

from django.db.models import Q

from consent.services import scope_held_since
from foundation.accounts.models import User
from foundation.language import split_sentences
from foundation.personal_data import ConsentScope
from memory.historian.addressees import MESSAGES_LOOKED_BACK, EarlierMessage, addressee_of
from memory.historian.event_parts import SourceMessage
from memory.historian.services import ASSISTANT_NAME
from memory.indexing.unconfirmed_health import find_unconfirmed_health, messages_behind_refused, without_health
from memory.indexing.visibility import OUTDATED, past_messages
from memory.models import CognitiveJob, ConversationEvent, MemoryItem
from memory.rewriting.types import EventClock


def messages_of_end(row: CognitiveJob) -> Iterator[SourceMessage]:
    """The user's own messages that an ``end`` call names, oldest first, as far as they may be learned from.

    Statements about the user's health that the user has not confirmed are left out, and so are messages that the user
    has corrected: they reach no event and no model. Call acting for the user.
    """
    messages = _named_messages(row)
    if not messages:
        return
    keys = [message.pk for message in messages]
    private, past = find_unconfirmed_health(row.user_id, messages), past_messages(row.user_id, keys)
    refused = messages_behind_refused(row.user_id, keys)
    closed = _closed_statements(row.user_id, past)
    spoken = _Chat(row, messages) if row.group_id is not None else None
    for message in messages:
        text = text_of(message)
        if message.pk in private:
            text = " ".join(without_health(split_sentences(text)))
        if not text or message.pk in refused or (message.pk in past and not closed.get(message.pk)):
            continue
        yield SourceMessage(
            message_id=message.pk,
            text=text,
            speaker=row.sender_name,
            clock=EventClock(message.occurred_at, row.time_zone, row.location or None),
            addressee=spoken.addressee(message, text) if spoken else "",
            past=closed.get(message.pk, ()),
        )


def text_of(message: ConversationEvent) -> str:
    """The text of a message, without captions of pictures."""
    return "\n".join(str(block["text"]) for block in message.content if block.get("text"))


def _named_messages(row: CognitiveJob) -> list[ConversationEvent]:
    if not row.message_ids:
        return []
    named = ConversationEvent.objects.filter(
        pk__in=row.message_ids,
        user_id=row.user_id,
        role=ConversationEvent.Role.USER,
        learnable=True,
        redacted_at=None,
        consent_version__gte=scope_held_since(row.user_id, ConsentScope.MEMORY_LEARNING),
    )
    return list(named.order_by("seq"))


def _closed_statements(user_id: UUID, messages: Collection[UUID]) -> Mapping[UUID, tuple[str, ...]]:
    """The statements learned from these messages that no longer hold, by message."""
    if not messages:
        return {}
    mine = MemoryItem.objects.owned_by(user_id).taught_by(messages)
    taught = mine.filter(Q(epistemic_type=OUTDATED) | ~Q(superseded_at=None))
    found: dict[UUID, tuple[str, ...]] = {}
    for content, keys in taught.values_list("content", "provenance_detail__message_ids"):
        for key in map(UUID, keys):
            found[key] = (*found.get(key, ()), content)
    return found


class _Chat:
    """The speakers around the messages of a group chat."""

    def __init__(self, row: CognitiveJob, messages: Sequence[ConversationEvent]) -> None:
        first, last = messages[0].seq, messages[-1].seq
        rows = ConversationEvent.objects.filter(
            session_id=row.session_id, seq__gte=first - MESSAGES_LOOKED_BACK, seq__lte=last
        )
        self._lines = {
            seq: EarlierMessage(ASSISTANT_NAME if role == ConversationEvent.Role.ASSISTANT else speaker)
            for seq, speaker, role in rows.values_list("seq", "speaker", "role")
        }
        members = User.objects.filter(memberships__group_id=row.group_id, memberships__left_at=None)
        names = {member.name for member in members} | {line.speaker for line in self._lines.values()}
        self._others = names - {row.sender_name}
        self._own_name = row.sender_name

    def addressee(self, message: ConversationEvent, text: str) -> str:
        """The name of whom "you" means in one of the messages."""
        before = [
            self._lines[seq] for seq in range(message.seq - MESSAGES_LOOKED_BACK, message.seq) if seq in self._lines
        ]
        return addressee_of(text, self._own_name, before, self._others)
