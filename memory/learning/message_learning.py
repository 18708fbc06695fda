"""Reports what was learned from a message: the changes to memories, how to undo each, and whether more may come."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal
from uuid import UUID

from django.db.models import Q, QuerySet

from consent.permit import Permit
from foundation.exceptions import NotFound
from foundation.outbox.models import OutboxMessage
from foundation.personal_data import ConsentScope
from memory.learning.learned_changes import Action, LearnedChange, RecordedChange, learned_change
from memory.learning.model_amendment import AMEND_TOPIC
from memory.learning.services import OBSERVE_TOPIC
from memory.models import ConversationEvent, EvolutionEvent, MemoryItem
from memory.services.conflicts import open_conflicts
from memory.services.contradicted_items import MAY_CHANGE
from memory.services.history import undoable_changes
from memory.services.item_queries import items_of

Status = Literal["pending", "done", "none"]
"""``none``: nothing is ever learned from the message; ``pending``: it is still being read."""
_TOLD: Final = (Action.ADDED, Action.SUPERSEDED, Action.MERGED, Action.RETIRED, Action.ACCEPTED)
_CLOCK_DIFFERENCE: Final = timedelta(minutes=5)
"""The most by which clocks of machines that store messages and learn from them may differ."""


@dataclass(frozen=True)
class MessageLearning:
    """What one message taught.

    ``is_read``: the rules have read it; a model may still, while ``status`` is pending.
    """

    status: Status
    is_read: bool = True
    changes: tuple[LearnedChange, ...] = ()


NOTHING_LEARNED: Final = MessageLearning("none")


def own_message(permit: Permit, message_id: UUID) -> ConversationEvent:
    """The user's message of this id, or the one that the answer of this id answers. Raises ``NotFound``."""
    mine = ConversationEvent.objects.filter(user_id=permit.user_id)
    message = mine.filter(pk=message_id).first()
    if message is not None and message.role == ConversationEvent.Role.ASSISTANT:
        message = mine.filter(session_id=message.session_id, seq=message.seq - 1, role="user").first()
    if message is None:
        raise NotFound()
    return message


def message_learning(permit: Permit, message: ConversationEvent) -> MessageLearning:
    """What the message taught its user; nothing for another user's message."""
    return learning_by_message(permit, [message])[message.pk]


def is_being_read(permit: Permit, message: ConversationEvent) -> bool:
    """Whether the rules have yet to read a message of the user's: one query, to be asked again and again."""
    return OBSERVE_TOPIC in _topics_queued(permit, [message.pk]).get(message.pk, ())


def learning_by_message(permit: Permit, messages: Sequence[ConversationEvent]) -> dict[UUID, MessageLearning]:
    """What each message taught its user, in a fixed number of queries.

    Another user's message, an answer, and what may not be learned from taught nothing.
    """
    mine = {message.pk: message for message in messages if may_teach(permit, message)}
    # Jobs are read before changes: a job that ends in between has written the changes that are read then. The other
    # way round, its message would be reported as read without having taught anything.
    queued = _topics_queued(permit, mine) if mine else {}
    changes = _changes_by_message(permit, mine) if mine else {}
    taught = {
        key: MessageLearning(
            status="pending" if queued.get(key) and permit.may_learn else "done",
            is_read=OBSERVE_TOPIC not in queued.get(key, ()),
            changes=tuple(changes.get(key, ())),
        )
        for key in mine
    }
    return {message.pk: taught.get(message.pk, NOTHING_LEARNED) for message in messages}


def may_teach(permit: Permit, message: ConversationEvent) -> bool:
    """Whether the user's memory may learn from this message."""
    own = message.user_id == permit.user_id and message.role == ConversationEvent.Role.USER
    return own and message.learnable and permit.allows(ConsentScope.MEMORY_LEARNING)


def _topics_queued(permit: Permit, keys: Collection[UUID]) -> Mapping[UUID, set[str]]:
    """The topics still queued for each message."""
    jobs = OutboxMessage.objects.filter(
        user_id=permit.user_id,
        state__in=OutboxMessage.UNFINISHED,
        topic__in=(OBSERVE_TOPIC, AMEND_TOPIC),
        payload__messages__has_any_keys=[str(key) for key in keys],
    )
    queued: defaultdict[UUID, set[str]] = defaultdict(set)
    for topic, payload in jobs.values_list("topic", "payload"):
        for named in payload["messages"]:
            queued[UUID(named)].add(topic)
    return queued


def _changes_by_message(
    permit: Permit, messages: Mapping[UUID, ConversationEvent]
) -> Mapping[UUID, list[LearnedChange]]:
    found = list(_made_by(permit, messages))
    last = undoable_changes(permit, {change.chain_id for change in found})
    former = _former_items(permit, [*found, *last.values()])
    rivals = _open_rivals(permit, found)
    by_message: defaultdict[UUID, list[LearnedChange]] = defaultdict(list)
    for change in found:
        told = learned_change(RecordedChange(change, last.get(change.chain_id), former, rivals.get(change.item_id)))
        if told is not None:
            by_message[_messages_of_change(change)].append(told)
    return by_message


def _made_by(permit: Permit, messages: Mapping[UUID, ConversationEvent]) -> QuerySet[EvolutionEvent]:
    """The changes that these messages made.

    Records of earlier releases have no ``said_in``: for these the item's version names the message.
    """
    keys = [str(key) for key in messages]
    since = min(message.created_at for message in messages.values()) - _CLOCK_DIFFERENCE
    named = Q(inputs__said_in__0__in=keys)
    taught = Q(item__provenance_detail__message_ids__0__in=keys) & ~Q(inputs__has_key="said_in")
    made = EvolutionEvent.objects.filter(
        named | taught,
        user_id=permit.user_id,
        item__tombstone_id=None,
        actor=EvolutionEvent.Actor.PIPELINE,
        action__in=_TOLD,
        created_at__gte=since,
    )
    return made.select_related("item").order_by("created_at", "id")


def _messages_of_change(change: EvolutionEvent) -> UUID:
    named = change.inputs.get("said_in") or change.item.provenance_detail["message_ids"]
    return UUID(named[0])


def _former_items(permit: Permit, changes: Sequence[EvolutionEvent]) -> dict[UUID, MemoryItem]:
    """The version that each change replaced, by the change, as far as it is kept."""
    replaced = {change.pk: _replaced_version(change) for change in changes}
    wanted = {UUID(key) for key in replaced.values() if key}
    kept = items_of(permit).in_bulk(wanted) if wanted else {}
    return {pk: kept[UUID(key)] for pk, key in replaced.items() if key and UUID(key) in kept}


def _open_rivals(permit: Permit, changes: Sequence[EvolutionEvent]) -> dict[UUID, MemoryItem]:
    """The older statement that each newer one perhaps replaces, where nobody has settled it."""
    if not any(MAY_CHANGE in change.item.provenance_detail for change in changes):
        return {}
    return {conflict.newer.pk: conflict.older for conflict in open_conflicts(permit)}


def _replaced_version(change: EvolutionEvent) -> str:
    """The id of the version that a change replaced, "" for none."""
    merged = change.inputs.get("merged", ())
    return str(change.inputs.get("previous") or (merged[0] if merged else ""))
