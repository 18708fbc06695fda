"""Finds the user's messages about their own health that they did not confirm or that they refused to have stored.

Search does not return such messages, and the text of events leaves out what they say about health (GDPR article 9).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from memory.evolution import health_statements
from memory.evolution.review_reasons import ASKED_BY_GATE
from memory.models import ConversationEvent, EvolutionEvent, MemoryItem
from memory.querysets import MemoryItemQuerySet


def find_unconfirmed_health(user_id: UUID, messages: Iterable[ConversationEvent]) -> set[UUID]:
    """The messages among these that state something about the user's health which the user has not confirmed.

    A message counts as confirmed when a memory learned from it is in use and was confirmed by the user (or they asked
    to have it remembered), and ``messages_behind_withheld`` does not name the message. Call while acting for the user.
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
    """The messages (of these, or of all) from which memories were learned that await confirmation or were refused.

    Memories of which the gate only doubts that they last (``ASKED_BY_GATE``) are left out: they withhold no message.
    """
    waits = (
        MemoryItem.objects.owned_by(user_id)
        .awaiting_decision()
        .exclude(provenance_detail__contains={"doubt": ASKED_BY_GATE})
    )
    return _messages_behind(waits, among) | messages_behind_refused(user_id, among)


def messages_behind_refused(user_id: UUID, among: Collection[UUID] | None = None) -> set[UUID]:
    """The messages (of these, or of all) from which memories were learned that the user refused."""
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
