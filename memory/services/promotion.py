"""Selects memories that could become their organisation's knowledge, by five thresholds.

Four are counted here. The fifth compares with the organisation's knowledge, which this package does not read: the
caller passes the result as ``conflict_ratio``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.utils import timezone

from consent.permit import Permit
from consent.services import scope_held_since
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.personal_data import ConsentScope
from memory.evolution.deidentification import deidentified, may_be_told
from memory.models import EvolutionProposal, MemoryItem

# The thresholds for a memory to be proposed.
CANDIDATE_CONFIDENCE: Final = 0.75
FREQUENCY: Final = 3  # times put before the model or confirmed
FREQUENCY_WITHIN: Final = timedelta(days=30)
SOURCE_SESSIONS: Final = 2  # conversations it must have been said in
EPISTEMIC_TYPES: Final = ("fact", "preference")
CONFLICT_RATIO: Final = 0.3  # below it


@dataclass(frozen=True)
class PromotionCandidate:
    """A memory that passes the four thresholds counted here. ``text`` is de-identified."""

    item_id: UUID
    chain_id: UUID
    text: str
    subject: str
    slot: str
    epistemic_type: str
    confidence: float
    frequency_30d: int
    source_session_count: int


def users_with_candidates() -> list[UUID]:
    """The ids of users of organisations who have a memory with enough confidence. For the schedule."""
    sure = MemoryItem.objects.in_use().filter(
        group=None,
        confidence__gte=CANDIDATE_CONFIDENCE,
        epistemic_type__in=EPISTEMIC_TYPES,
        user__tenant__isnull=False,
        user__is_active=True,
    )
    with in_role(OPERATOR_ROLE):
        return list(sure.order_by("user_id").values_list("user_id", flat=True).distinct())


def promotion_candidates(permit: Permit, user: User) -> Iterator[PromotionCandidate]:
    """The user's memories over the four thresholds that were never proposed.

    Call in a transaction acting for the user. None without ``memory_learning_allowed``.
    """
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        return
    names = {user.username, user.display_name}
    for row in _count_evidence(permit):
        text = deidentified(row["content"], names) if may_be_told(row["attributes"], None) else None
        if text is not None:
            yield PromotionCandidate(
                item_id=row["id"],
                chain_id=row["chain_id"],
                text=text,
                subject=str(row["attributes"].get("subject", "")),
                slot=str(row["attributes"].get("slot", "")),
                epistemic_type=row["epistemic_type"],
                confidence=row["confidence"],
                frequency_30d=row["frequency"],
                source_session_count=row["sessions"],
            )


def propose(permit: Permit, candidate: PromotionCandidate, tenant_id: UUID, conflict_ratio: float) -> bool:
    """Ask the user about a candidate unless the organisation's knowledge contradicts it, which is the fifth threshold.

    Returns whether a proposal was created. Call in a transaction that has locked the user.
    """
    if conflict_ratio >= CONFLICT_RATIO:
        return False
    _, asked = EvolutionProposal.objects.get_or_create(
        user_id=permit.user_id,
        chain_id=candidate.chain_id,
        defaults={
            "item_id": candidate.item_id,
            "tenant_id": tenant_id,
            "text": candidate.text,
            "statistics": {
                "candidate_confidence": candidate.confidence,
                "frequency_30d": candidate.frequency_30d,
                "source_session_count": candidate.source_session_count,
                "epistemic_type": candidate.epistemic_type,
                "conflict_ratio": conflict_ratio,
            },
            "consent_version": permit.version,
        },
    )
    return asked


# A hit is an injection into a prompt; a validation is the user's own confirmation. Both count for any version of the
# chain, and so do the conversations it came from.
_COUNTED = """
    SELECT i.id, i.chain_id, i.content, i.attributes, i.epistemic_type, i.confidence,
           seen.hits + said.confirmations AS frequency, cardinality(said.sessions) AS sessions
    FROM memory_memoryitem i
    CROSS JOIN LATERAL (
        SELECT count(*) AS hits FROM memory_receiptline l JOIN memory_receipt r ON r.id = l.receipt_id
        WHERE l.user_id = i.user_id AND l.status = 'accepted' AND r.kind = 'injection' AND r.created_at >= %(since)s
          AND l.ref_id IN (SELECT v.id FROM memory_memoryitem v WHERE v.user_id = i.user_id AND v.chain_id = i.chain_id)
    ) seen
    CROSS JOIN LATERAL (
        SELECT (SELECT count(*) FROM memory_evolutionevent e
                WHERE e.user_id = i.user_id AND e.chain_id = i.chain_id AND e.action = 'confirmed'
                  AND e.undone_at IS NULL AND e.created_at >= %(since)s) AS confirmations,
               ARRAY(SELECT DISTINCT s FROM memory_memoryitem v, unnest(v.source_sessions) s
                     WHERE v.user_id = i.user_id AND v.chain_id = i.chain_id) AS sessions
    ) said
    WHERE i.user_id = %(user)s AND i.superseded_at IS NULL AND i.state = 'active' AND i.group_id IS NULL
      AND i.valid_at <= %(now)s AND (i.invalid_at IS NULL OR i.invalid_at > %(now)s)
      AND i.confidence >= %(confidence)s AND i.epistemic_type = ANY(%(types)s) AND i.consent_version >= %(consent)s
      AND NOT EXISTS (SELECT FROM memory_evolutionproposal p WHERE p.user_id = i.user_id AND p.chain_id = i.chain_id)
      AND seen.hits + said.confirmations >= %(frequency)s AND cardinality(said.sessions) >= %(sessions)s
    ORDER BY i.created_at
"""


def _count_evidence(permit: Permit) -> list[dict[str, Any]]:
    now = timezone.now()
    values: dict[str, Any] = {
        "user": permit.user_id,
        "now": now,
        "since": now - FREQUENCY_WITHIN,
        "confidence": CANDIDATE_CONFIDENCE,
        "types": list(EPISTEMIC_TYPES),
        "frequency": FREQUENCY,
        "sessions": SOURCE_SESSIONS,
        "consent": scope_held_since(permit.user_id, ConsentScope.MEMORY_LEARNING),
    }
    with connection.cursor() as cursor:
        cursor.execute(_COUNTED, values)
        columns = [column.name for column in cursor.description]
        rows = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
    return [row | {"attributes": json.loads(row["attributes"])} for row in rows]
