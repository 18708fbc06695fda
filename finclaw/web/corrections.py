"""What a message changed of what is remembered, read off the history of changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from consent.permit import Permit
from finclaw.web.changes import show_undo
from finclaw.web.types import Shown
from foundation.exceptions import NotFound
from foundation.outbox.models import OutboxMessage
from memory.evolution.services import OBSERVE_TOPIC
from memory.models import ConversationEvent, EvolutionEvent, Session
from memory.services.items import items_of

_UNFINISHED = (OutboxMessage.State.PENDING, OutboxMessage.State.PROCESSING)
_ROLE = ConversationEvent.Role
_ACTION = EvolutionEvent.Action


@dataclass(frozen=True)
class Learned:
    """``is_over`` once nothing more is to come; ``corrections`` see ``web/partials/chat_learned.html``."""

    is_over: bool
    corrections: list[Shown]


def learned_after(permit: Permit, session: Session, answer_id: UUID) -> Learned:
    """What the message before this answer corrected. Raises ``NotFound`` for an answer that is not the person's."""
    answer = session.events.filter(pk=answer_id, user_id=permit.user_id).first()
    if answer is None:
        raise NotFound()
    asked = session.events.filter(seq=answer.seq - 1, user_id=permit.user_id).first()
    if asked is None:
        return Learned(is_over=True, corrections=[])
    is_over = not _jobs_of(permit, asked).filter(state__in=_UNFINISHED).exists()
    return Learned(is_over, _corrections(permit, [asked.pk]).get(asked.pk, []) if is_over else [])


def corrections_under(permit: Permit, messages: Sequence[ConversationEvent]) -> dict[UUID, list[Shown]]:
    """What these messages, one after the other, corrected: each under its answer, or itself where it has none."""
    asked = [one for one in messages if one.role == _ROLE.USER and one.user_id == permit.user_id]
    under = {one.pk: one.pk for one in asked} | {
        before.pk: after.pk for before, after in pairwise(messages) if _answers(after, before)
    }
    return {under[key]: shown for key, shown in _corrections(permit, under).items()}


def _answers(after: ConversationEvent, before: ConversationEvent) -> bool:
    roles = (before.role, after.role) == (_ROLE.USER, _ROLE.ASSISTANT)
    return roles and before.user_id == after.user_id


def _jobs_of(permit: Permit, asked: ConversationEvent) -> QuerySet[OutboxMessage]:
    jobs = OutboxMessage.objects.filter(user_id=permit.user_id, topic=OBSERVE_TOPIC)
    return jobs.filter(payload__messages__contains=[str(asked.pk)])


def _corrections(permit: Permit, asked: Collection[UUID]) -> dict[UUID, list[Shown]]:
    """By message what took the place of something else, and what is no longer true, as long as that can be undone.

    What was only added or said again is no correction, whatever later messages made of it.
    """
    found: dict[UUID, list[Shown]] = defaultdict(list)
    for change in _changes_by(permit, [str(key) for key in asked]):
        undo = show_undo(permit, change.item)
        if undo is not None and undo["change_id"] == change.pk:
            shown = {"sentence": _sentence(change), "memory_id": change.item_id, "undo": undo}
            found[_said_in(change)].append(shown)
    return found


def _changes_by(permit: Permit, asked: Sequence[str]) -> QuerySet[EvolutionEvent]:
    """The changes that these messages made. A version names first the message that taught it."""
    replaced = Q(action=_ACTION.SUPERSEDED, item__provenance_detail__message_ids__0__in=asked)
    taken_back = Q(action=_ACTION.RETIRED, inputs__said_in__0__in=asked)
    learned = EvolutionEvent.objects.filter(item__in=items_of(permit), actor=EvolutionEvent.Actor.PIPELINE)
    return learned.filter(replaced | taken_back, undone_at=None).select_related("item").order_by("created_at", "id")


def _said_in(change: EvolutionEvent) -> UUID:
    if change.action == _ACTION.RETIRED:
        return UUID(change.inputs["said_in"][0])
    return UUID(change.item.provenance_detail["message_ids"][0])


def _sentence(change: EvolutionEvent) -> str:
    words = {"words": change.item.content}
    if change.action == _ACTION.RETIRED:
        return _("I no longer go by “%(words)s”.") % words
    return _("From now on I go by “%(words)s”.") % words
