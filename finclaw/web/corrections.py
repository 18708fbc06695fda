"""What a message changed of what is remembered, once it has been learned from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from consent.permit import Permit
from finclaw.web.changes import show_undo
from finclaw.web.types import Shown
from foundation.exceptions import NotFound
from foundation.outbox.models import OutboxMessage
from memory.evolution.history import undoable
from memory.evolution.services import OBSERVE_TOPIC
from memory.models import ConversationEvent, EvolutionEvent, Session
from memory.services.items import items_of

_UNFINISHED = (OutboxMessage.State.PENDING, OutboxMessage.State.PROCESSING)


@dataclass(frozen=True)
class Learned:
    """``is_over`` once nothing more is to come; ``corrections`` see ``web/partials/chat_learning.html``."""

    is_over: bool
    corrections: list[Shown]


def learned_after(permit: Permit, session: Session, answer_id: UUID) -> Learned:
    """What the message before this answer corrected. Raises ``NotFound`` for an answer that is not the person's."""
    answer = session.events.filter(pk=answer_id, user_id=permit.user_id).first()
    if answer is None:
        raise NotFound()
    asked = session.events.filter(seq=answer.seq - 1, user_id=permit.user_id).first()
    job = _job_of(permit, asked) if asked is not None else None
    if asked is None or job is None:
        return Learned(is_over=True, corrections=[])
    if job.state in _UNFINISHED:
        return Learned(is_over=False, corrections=[])
    return Learned(is_over=True, corrections=list(_corrections(permit, asked, job)))


def _job_of(permit: Permit, asked: ConversationEvent) -> OutboxMessage | None:
    jobs = OutboxMessage.objects.filter(user_id=permit.user_id, topic=OBSERVE_TOPIC)
    return jobs.filter(payload__messages__contains=[str(asked.pk)]).order_by("-created_at").first()


def _corrections(permit: Permit, asked: ConversationEvent, job: OutboxMessage) -> Iterator[Shown]:
    """What took the place of something else, and what is no longer true, as long as that is the last word on it.

    What was only added or said again is no correction, whatever later messages made of it.
    """
    results = (job.result or {}).get("results", [])
    changed = [UUID(entry["memory_id"]) for entry in results if entry["event"] != "ADD"]
    for item in items_of(permit).filter(pk__in=changed):
        change = undoable(permit, item)
        if change is None or change.item_id != item.pk or change.created_at < asked.created_at:
            continue
        if sentence := _sentence(change):
            yield {"sentence": sentence, "memory_id": item.pk, "undo": show_undo(permit, item)}


def _sentence(change: EvolutionEvent) -> str:
    words = {"words": change.item.content}
    if change.action in {EvolutionEvent.Action.SUPERSEDED, EvolutionEvent.Action.CORRECTED}:
        return _("From now on I go by “%(words)s”.") % words
    if change.action == EvolutionEvent.Action.RETIRED:
        return _("I no longer go by “%(words)s”.") % words
    return ""
