"""Finds usage patterns of an organisation's assistant by counting receipts, and gives hints from them.

It counts, for each intent, which kinds of memory in the prompt the replies drew on, and how often the tools, skills and
research steps succeeded (``tool_experience``). No text is read, and no pattern is stored that rests on fewer than
``FEWEST_PEOPLE`` people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import connection
from django.utils import timezone

from consent.permit import Permit
from consent.querysets import learning_allowed_condition
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.sanitization.services import sanitized_texts
from foundation.sanitization.types import SafeText
from memory.models import AgentExperience, ToolReceipt
from memory.services.tool_experience import ToolUsage, hint_of_runs, run_counts
from memory.services.usage_counts import UsageCount

USES_WITHIN: Final = timedelta(days=90)
FEWEST_USES: Final = 30  # fewer say nothing: the size of a small sample
FEWEST_PEOPLE: Final = 3  # else it would be about one of them
HELPFUL_SHARE: Final = 0.6  # share of uses from which the assistant is told to draw on it
UNHELPFUL_SHARE: Final = 0.2  # and up to which it is told not to count on it
CONFIDENT: Final = 0.8  # what a hint needs
_NAMES: Final = {
    "item": "remembered statements", "event": "remembered events", "turn": "earlier messages", "document": "files",
}  # fmt: skip
_INTENTS: Final = {
    "small_talk": "small talk",
    "research": "research and advice",
    "correction": "corrections",
    "knowledge_question": "questions of knowledge",
    "memory_check": "questions about what is remembered",
    "statement": "statements",
    "chat": "ordinary chat",
}


@dataclass(frozen=True)
class MemoryUsage(UsageCount):
    """How often one kind of memory was given to the model for one intent, and how often replies drew on it."""

    @property
    def pattern(self) -> str:
        """The pattern in words, made of names and numbers we chose."""
        return f"For {_INTENTS[self.intent_type]}, {_NAMES[self.subject]} were drawn on {self.share:.0%} of the time."


def count_usage() -> int:
    """Count usage patterns from the receipts of the last ``USES_WITHIN``; returns how many hold. For the schedule.

    A pattern that the counts no longer support is deleted.
    """
    values = {"since": timezone.now() - USES_WITHIN, "uses": FEWEST_USES, "people": FEWEST_PEOPLE}
    usages: list[MemoryUsage | ToolUsage] = [*_usage_counts(values), *run_counts(values | {"intents": list(_INTENTS)})]
    with in_role(WORKER_ROLE):
        kept = [_store_pattern(usage).pk for usage in usages]
        AgentExperience.objects.exclude(pk__in=kept).delete()
    return len(kept)


def experience_hints(permit: Permit, user: User, intent_type: str, *, may_look_up: bool = True) -> tuple[SafeText, ...]:
    """What the assistant should know about its own work for this intent; of tools only where it ``may_look_up``.

    Call in a transaction acting for the user. A user without an organisation gets none, without a query.
    """
    if user.tenant_id is None or not permit.has_decided:
        return ()
    sure = AgentExperience.objects.filter(
        tenant_id=user.tenant_id, intent_type=intent_type, confidence__gte=CONFIDENT
    ).order_by("-confidence", "subject")
    told = (row for row in sure if may_look_up or row.statistics.get("kind") != ToolReceipt.Kind.TOOL)
    return sanitized_texts(map(_hint_of, told))


def _hint_of(experience: AgentExperience) -> str:
    if experience.subject not in _NAMES:
        return hint_of_runs(experience)
    share = experience.statistics["utilized"] / experience.statistics["uses"]
    if share >= HELPFUL_SHARE:
        return f"{experience.pattern} Draw on them."
    return f"{experience.pattern} Do not count on them." if share <= UNHELPFUL_SHARE else ""


# Only receipts of people under whose consent the organisation may learn now.
_COUNTED = f"""
    SELECT u.tenant_id, r.intent_type, l.kind, count(*), count(*) FILTER (WHERE l.utilized), count(DISTINCT r.user_id)
    FROM memory_receipt r
    JOIN memory_receiptline l ON l.receipt_id = r.id
    JOIN accounts_user u ON u.id = r.user_id
    WHERE r.kind = 'injection' AND r.created_at >= %(since)s AND r.intent_type = ANY(%(intents)s)
      AND l.status = 'accepted' AND l.utilized IS NOT NULL AND l.kind = ANY(%(kinds)s) AND u.tenant_id IS NOT NULL
      AND {learning_allowed_condition("r.user_id")}
    GROUP BY u.tenant_id, r.intent_type, l.kind
    HAVING count(*) >= %(uses)s AND count(DISTINCT r.user_id) >= %(people)s
"""  # noqa: S608  our own constants


def _usage_counts(values: Mapping[str, Any]) -> list[MemoryUsage]:
    with in_role(OPERATOR_ROLE), connection.cursor() as cursor:
        cursor.execute(_COUNTED, {**values, "intents": list(_INTENTS), "kinds": list(_NAMES)})
        return [MemoryUsage(*row) for row in cursor.fetchall()]


def _store_pattern(usage: MemoryUsage | ToolUsage) -> AgentExperience:
    row, _ = AgentExperience.objects.update_or_create(
        tenant_id=usage.tenant_id,
        intent_type=usage.intent_type,
        subject=usage.subject,
        defaults={
            "pattern": usage.pattern,
            "statistics": usage.statistics,
            "confidence": usage.confidence,
            "updated_at": timezone.now(),
        },
    )
    return row
