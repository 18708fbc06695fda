"""Handles what an erased user leaves in groups: conversations with others, and replies to others that quote them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import models
from django.db.models import QuerySet

from foundation.accounts.models import Membership
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE
from memory.erasure.disclosure import NO_WORDS, ErasedWords
from memory.erasure.message_redaction import redact
from memory.erasure.portraits import replies_quoting, shared_portraits
from memory.erasure.reply_echoes import Said, Words, repeating_replies, words_by_place
from memory.erasure.session_traces import NOTHING_SUMMARISED, forget_summaries
from memory.models import (
    CognitiveEvent,
    CognitiveJob,
    ConversationEvent,
    Receipt,
    ReceiptLine,
    SearchEntry,
    Session,
    ToolReceipt,
)
from memory.services.sessions import lock_replies

_REFERRERS: Final[tuple[type[models.Model], ...]] = (ToolReceipt, Receipt, CognitiveEvent, CognitiveJob)
"""Rows that a user may have in a conversation without a message of theirs, because an ``end`` needs none."""


def hand_over_sessions(user_id: UUID) -> int:
    """Hand the user's group conversations in which others spoke, or ended a turn, to one of those; returns how many.

    Title, slots and summaries are removed: they were made of everybody's words.
    """
    with in_role(ERASER_ROLE):
        own = list(Session.with_erased.filter(user_id=user_id, group__isnull=False).values_list("pk", flat=True))
    heirs = _next_owners(own, user_id)
    with in_role(ERASER_ROLE):
        for session_id, heir in heirs.items():
            Session.with_erased.filter(pk=session_id).update(
                user_id=heir, title="", entity_slots={}, external_ref="", **NOTHING_SUMMARISED
            )
    return len(heirs)


@dataclass(frozen=True)
class SharedWords:
    """The messages and events a user shared with groups, and the groups that could read them.

    ``portraits`` are keyed by row, with their words.
    """

    ids: frozenset[UUID]  # of messages and events
    groups: frozenset[UUID]
    said: Said
    portraits: Mapping[UUID, Words] = field(default_factory=dict)

    def __or__(self, other: SharedWords) -> SharedWords:
        portraits = {**self.portraits, **other.portraits}
        return SharedWords(
            self.ids | other.ids, self.groups | other.groups, dict(self.said) | dict(other.said), portraits
        )


def content_shared_by(user_id: UUID, *, before: datetime, with_messages: bool = True) -> SharedWords:
    """Everything the user shared up to ``before``: events, portraits and, unless excluded, messages.

    Call as the eraser, before it is deleted.
    """
    mine = {"user_id": user_id, "created_at__lte": before}
    events = _combine(CognitiveEvent.with_erased.filter(**mine)) | _portraits(shared_portraits(user_id))
    return events | _combine(ConversationEvent.with_erased.filter(**mine)) if with_messages else events


def shared_part_of(user_id: UUID, messages: Collection[UUID], events: Collection[UUID]) -> SharedWords:
    """The part of these rows that the user shared with a group. Call as the eraser, before they are deleted."""
    found = _combine(CognitiveEvent.with_erased.filter(pk__in=events, user_id=user_id))
    found |= shared_in_portraits(user_id, events)
    return found | _combine(ConversationEvent.with_erased.filter(pk__in=messages, user_id=user_id))


def shared_in_portraits(user_id: UUID, events: Collection[UUID]) -> SharedWords:
    """What the user's part of group portraits says of these events. Call as the eraser, before its lines go."""
    return _portraits(shared_portraits(user_id, events))


def redact_replies_to_others(user_id: UUID, shared: SharedWords, words: ErasedWords = NO_WORDS) -> int:
    """Redact replies to other members that were given the erased words or repeat them; returns how many.

    Of a forgotten statement only the replies that disclose it, in the same conversation. Replies to members who left
    since are included.
    """
    if not shared.groups:
        return 0
    for group_id in sorted(shared.groups):
        lock_replies(group_id)  # a reply just being stored is found, or finds what it quotes gone
    by_member = _disclosing_replies(_replies_with(user_id, shared), words)
    redacted = sum(_redact_replies_to(member, by_member[member]) for member in sorted(by_member))
    forget_summaries(_sessions_of_replies(reply for replies in by_member.values() for reply in replies))
    return redacted


def _disclosing_replies(by_member: Mapping[UUID, set[UUID]], words: ErasedWords) -> Mapping[UUID, set[UUID]]:
    """The replies that disclose the forgotten statement, or may, being in another language.

    All of them where the erasure is not of a single statement.
    """
    if not words.statements:
        return by_member
    with in_role(OPERATOR_ROLE):
        replies = ConversationEvent.objects.filter(pk__in=[key for keys in by_member.values() for key in keys])
        telling = {
            reply.pk for reply in replies if words.disclosed_in(reply.text) or words.speaks_another_language(reply.text)
        }
    return {member: keys & telling for member, keys in by_member.items() if keys & telling}


def _sessions_of_replies(replies: Iterable[UUID]) -> set[UUID]:
    with in_role(OPERATOR_ROLE):
        return set(ConversationEvent.objects.filter(pk__in=replies).values_list("session_id", flat=True))


def _combine(rows: QuerySet[ConversationEvent] | QuerySet[CognitiveEvent]) -> SharedWords:
    found = list(rows.filter(group__isnull=False).values_list("pk", "group_id"))
    ids = frozenset(key for key, _ in found)
    return SharedWords(ids, frozenset(group for _, group in found), words_by_place(ids))


def _portraits(found: Mapping[UUID, tuple[UUID, Words]]) -> SharedWords:
    telling = {key: portrait for key, portrait in found.items() if portrait[1]}
    groups = frozenset(group for group, _ in telling.values())
    return SharedWords(frozenset(), groups, {}, {key: words for key, (_, words) in telling.items()})


def _replies_with(user_id: UUID, shared: SharedWords) -> dict[UUID, set[UUID]]:
    """Replies to others made with these words, by the member each answered."""
    members = Membership.objects.filter(group_id__in=shared.groups).exclude(user_id=user_id)
    others = set(members.values_list("user_id", flat=True))
    found: dict[UUID, set[UUID]] = defaultdict(set)
    with in_role(OPERATOR_ROLE):
        lines = ReceiptLine.objects.filter(
            user_id__in=others, ref_id__in=shared.ids, status=ReceiptLine.Status.ACCEPTED
        )
        for owner, reply in lines.values_list("user_id", "receipt__message_id"):
            found[owner].add(reply)
        quoting = replies_quoting(shared.portraits, others)
        for reply, owner in [*repeating_replies(shared.said, shared.ids).items(), *quoting.items()]:
            found[owner].add(reply)
    found.pop(user_id, None)
    return found


def _redact_replies_to(member: UUID, replies: Collection[UUID]) -> int:
    with acting_as(member), in_role(ERASER_ROLE):
        SearchEntry.with_erased.filter(pk__in=replies).delete()
        return redact(ConversationEvent.with_erased.filter(pk__in=replies, user_id=member), member)


def _next_owners(sessions: Collection[UUID], user_id: UUID) -> dict[UUID, UUID]:
    """For each conversation its next owner: whoever else spoke in it first, else somebody whose row refers to it."""
    heirs: dict[UUID, UUID] = {}
    with in_role(OPERATOR_ROLE):
        for model in _REFERRERS:
            rows = model._base_manager.filter(session_id__in=sessions).exclude(user_id=user_id)
            heirs |= dict(rows.order_by("-created_at", "-pk").values_list("session_id", "user_id"))  # earliest wins
        said = ConversationEvent.objects.filter(session_id__in=sessions).exclude(user_id=user_id)
        first = said.order_by("session_id", "seq").distinct("session_id").values_list("session_id", "user_id")
        return heirs | dict(first)
