"""What a conversation's own row keeps of its messages: entity slots, summaries, a title made of one of them.

Summaries go whole, since nobody can tell whose words each line came from; what is left is summarised anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from consent.erasure.types import Targets
from foundation.database.acting import acting_as, in_role
from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE
from memory.erasure.targets import SESSION, TURN
from memory.models import ConversationEvent, Session
from memory.models.sessions import text_of
from memory.services.sessions import title_from

NOTHING_SUMMARISED: Final[dict[str, Any]] = {"summary_blocks": [], "summarized_seq": 0}


def clean_named(user_id: UUID, targets: Targets) -> None:
    """Clean the conversations that the targets touch. To be called acting for their person, before words are gone."""
    said = {*targets.delete.get(TURN, ()), *targets.redact.get(TURN, ())}
    with in_role(ERASER_ROLE):  # they may be invisible already
        titles = _titles_from(ConversationEvent.with_erased.filter(pk__in=said, user_id=user_id))
    clean(targets.touched.get(SESSION, ()), titles)


def clean_everything(user_id: UUID, before: datetime) -> None:
    """Clean every conversation that the person began up to ``before``, or said something in until then."""
    with in_role(ERASER_ROLE):
        begun = Session.with_erased.filter(user_id=user_id, created_at__lte=before)
        begun.update(title="", entity_slots={}, **NOTHING_SUMMARISED)
        said = ConversationEvent.with_erased.filter(user_id=user_id, group__isnull=False, created_at__lte=before)
        titles, shared = _titles_from(said), set(said.values_list("session_id", flat=True))
    clean(shared, titles)


def _titles_from(said: QuerySet[ConversationEvent]) -> set[str]:
    return {title_from(text_of(content)) for content in said.values_list("content", flat=True).iterator()}


def clean(session_ids: Collection[UUID], titles: Collection[str]) -> None:
    """Take slots and summaries from these conversations, and a title that is among ``titles``."""

    def take(rows: QuerySet[Session]) -> None:
        rows.update(entity_slots={}, **NOTHING_SUMMARISED)
        rows.filter(title__in=titles).update(title="")

    _as_their_owners(session_ids, take)


def forget_summaries(session_ids: Collection[UUID]) -> None:
    """Take the summaries alone: for words that gave these conversations neither title nor slot."""
    _as_their_owners(session_ids, lambda rows: rows.update(**NOTHING_SUMMARISED))


def _as_their_owners(session_ids: Collection[UUID], change: Callable[[QuerySet[Session]], object]) -> None:
    """Change the conversations, each as its owner: whoever began it, and whether or not the person is still of its
    group.
    """
    with in_role(OPERATOR_ROLE):
        owners = list(Session.objects.filter(pk__in=session_ids).values_list("user_id", "pk"))
    by_owner: dict[UUID, list[UUID]] = defaultdict(list)
    for owner, session_id in owners:
        by_owner[owner].append(session_id)
    for owner in sorted(by_owner):
        with acting_as(owner), in_role(ERASER_ROLE):
            change(Session.with_erased.filter(pk__in=by_owner[owner]))
