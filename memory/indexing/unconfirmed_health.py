"""Messages about the user's health that they have not confirmed, or refused, to be kept.

No search gives them, and no event tells what they say of health (GDPR article 9).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from memory.evolution import health_statements
from memory.evolution.review_reasons import ASKED
from memory.models import ConversationEvent, EvolutionEvent, MemoryItem
from memory.querysets import MemoryItemQuerySet


def unconfirmed_among(user_id: UUID, messages: Iterable[ConversationEvent]) -> set[UUID]:
    """The user's messages that state something of their health which they have not confirmed.

    It is confirmed once a memory that the message taught is, or was asked for, and nothing else in it waits. Call while
    acting for the user.
    """
    stating = {message.pk for message in messages if health_statements.states_health(message.text)}
    return stating - _confirmed_messages(user_id, stating) if stating else stating


def without_health(sentences: Sequence[str]) -> list[str]:
    """The first-person sentences that state nothing of the speaker's health."""
    return [sentence for sentence in sentences if not health_statements.states_health(sentence)]


def _confirmed_messages(user_id: UUID, messages: Collection[UUID]) -> set[UUID]:
    kept = MemoryItem.objects.owned_by(user_id).in_use().filter(provenance=MemoryItem.Provenance.CONFIRMED_BY_USER)
    return _messages_behind(kept, messages) - messages_behind_withheld(user_id, messages)


def messages_behind_withheld(user_id: UUID, among: Collection[UUID] | None = None) -> set[UUID]:
    """The messages (of these, or of all) behind memories that await confirmation or were refused."""
    waits = (
        MemoryItem.objects.owned_by(user_id).awaiting_decision().exclude(provenance_detail__contains={"doubt": ASKED})
    )
    return _messages_behind(waits, among) | messages_behind_refused(user_id, among)


def messages_behind_refused(user_id: UUID, among: Collection[UUID] | None = None) -> set[UUID]:
    """The messages (of these, or of all) behind memories that the user refused."""
    rejected = EvolutionEvent.objects.filter(
        user_id=user_id, action=EvolutionEvent.Action.REJECTED, undone_at=None
    ).values("item")
    return _messages_behind(MemoryItem.objects.owned_by(user_id).filter(pk__in=rejected), among)


def _messages_behind(items: MemoryItemQuerySet, among: Collection[UUID] | None) -> set[UUID]:
    if among is not None:
        items = items.taught_by(among)
    details = items.values_list("provenance_detail__message_ids", flat=True)
    found = {UUID(key) for keys in details for key in keys or ()}
    return found if among is None else found & set(among)
