"""The seven indicators of memory quality, each with its numerator, denominator, window and objective.

Read in SQL from items, receipts and tombstones, by the operators' role. Each may be asked for a moment in the past,
as far as the rows of that time are still there: what was erased since is counted nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone

from memory.quality.indicators import (
    Indicator,
    IndicatorReading,
    IndicatorTarget,
    IndicatorUnit,
    TimeWindow,
    measure,
    of_tenant,
    share_of,
)

SLOW_MS = 200  # the objective of a retrieval
LONG_CHAIN = 3  # from here on a chain of statements counts as a conflict

_PERSONAL = """
    SELECT i.created_at, i.invalid_at, i.superseded_at
    FROM memory_memoryitem i WHERE i.scope = 'personal' AND {mine}
"""

# What was closed later stood open then, whatever end of validity it was given.
_STALE = """
    SELECT count(*) FILTER (
               WHERE i.invalid_at < span.until AND (i.superseded_at IS NULL OR i.superseded_at <= span.until)
           ) AS numerator,
           count(*) AS denominator
    FROM source i WHERE i.created_at <= span.until
"""

# A chain is counted by its different words: here a confirmation is a version of its own, and contradicts nobody.
_STATEMENTS = """
    SELECT i.created_at, i.invalid_at, i.superseded_at, CASE WHEN i.version >= {long} THEN (
               SELECT count(DISTINCT c.content_hash) FROM memory_memoryitem c
               WHERE c.user_id = i.user_id AND c.chain_id = i.chain_id AND c.version <= i.version
           ) ELSE 1 END AS different
    FROM memory_memoryitem i WHERE {mine}
"""
_CONFLICT = """
    SELECT count(*) FILTER (WHERE i.different >= {long} AND i.created_at > span.since) AS numerator,
           count(*) AS denominator
    FROM source i
    WHERE i.created_at <= span.until AND (i.invalid_at IS NULL OR i.superseded_at > span.until)
"""

# hit_rate · (1 − correction_rate); where nothing was injected, nothing was corrected.
_INJECTION = """
    SELECT accepted AS numerator, candidates AS denominator,
           accepted::float8 / nullif(candidates, 0)
               * (1 - least(coalesce(fused::float8 / nullif(accepted, 0), 0), 1)) AS value
    FROM (
        SELECT count(*) AS candidates, count(*) FILTER (WHERE l.status = 'accepted') AS accepted
        FROM memory_receipt r JOIN memory_receiptline l ON l.receipt_id = r.id
        WHERE r.kind = 'injection' AND r.created_at > span.since AND r.created_at <= span.until AND {mine}
    ) AS injected, (
        SELECT count(*) AS fused FROM memory_evolutionevent e
        WHERE e.action = 'fused' AND e.created_at > span.since AND e.created_at <= span.until AND {whose}
    ) AS corrected
"""

_LATENCY = """
    SELECT count(*) FILTER (WHERE r.latency_ms >= {slow}) AS numerator, count(r.latency_ms) AS denominator,
           percentile_cont(0.95) WITHIN GROUP (ORDER BY r.latency_ms) AS value
    FROM memory_receipt r
    WHERE r.kind = 'retrieval' AND r.created_at > span.since AND r.created_at <= span.until AND {mine}
"""

_OVERFLOW = """
    SELECT count(*) FILTER (WHERE r.budget_exceeded) AS numerator, count(*) AS denominator
    FROM memory_receipt r
    WHERE r.kind = 'injection' AND r.created_at > span.since AND r.created_at <= span.until AND {mine}
"""

# Those that were open at some time of the window: one past its term was asked for long before it began.
_DELETION = """
    SELECT count(*) FILTER (
               WHERE (t.completed_at IS NULL OR t.completed_at > span.until) AND t.due_at < span.until
           ) AS numerator,
           count(*) AS denominator
    FROM consent_tombstone t
    WHERE t.requested_at <= span.until AND (t.completed_at IS NULL OR t.completed_at > span.since) AND {mine}
"""

# The five fields of an injected line: a place is what a line that was left out cannot have.
# ``guardrail_hit`` is empty where no rule was hit, and never null.
LINE_IS_WHOLE = """(
    l.candidate_score IS NOT NULL AND l.candidate_score <> 'NaN' AND l.decision_reason <> ''
    AND l.guardrail_hit IS NOT NULL AND r.policy_version <> ''
    AND (l.status <> 'accepted' OR l.context_position IS NOT NULL)
)"""

# A retrieval says how it searched, or why it could not.
_COMPLETENESS = """
    SELECT count(*) FILTER (
               WHERE r.policy_version <> ''
               AND CASE r.kind
                   WHEN 'retrieval' THEN r.latency_ms IS NOT NULL
                       AND ((r.strategy <> '' AND cardinality(r.stores_used) > 0) OR cardinality(r.degraded) > 0)
                       AND NOT EXISTS (
                           SELECT FROM memory_receiptline l WHERE l.receipt_id = r.id AND l.decision_reason = ''
                       )
                   ELSE r.budget <> '{{}}'::jsonb AND NOT EXISTS (
                       SELECT FROM memory_receiptline l WHERE l.receipt_id = r.id AND NOT {whole}
                   )
               END
           ) AS numerator,
           count(*) AS denominator
    FROM memory_receipt r
    WHERE r.created_at > span.since AND r.created_at <= span.until AND {mine}
"""

STALENESS = Indicator(
    "staleness_rate",
    timedelta(days=7),
    IndicatorTarget("below", 0.15),
    share_of(_STALE),
    source=_PERSONAL.format(mine=of_tenant("i.user_id")),
)
"""The share of personal items whose validity ended: below 15 %. A snapshot, its trend over seven days."""
CONFLICT = Indicator(
    "conflict_rate",
    timedelta(days=30),
    IndicatorTarget("below", 0.10),
    share_of(_CONFLICT.format(long=LONG_CHAIN)),
    source=_STATEMENTS.format(mine=of_tenant("i.user_id"), long=LONG_CHAIN),
)
"""The share of active items in chains of at least three different statements: below 10 %.

Counted are the third and later statements of a chain whose last one is from the last thirty days.
"""
INJECTION = Indicator(
    "injection_quality",
    timedelta(days=7),
    IndicatorTarget("above", 0.55),
    _INJECTION.format(mine=of_tenant("r.user_id"), whose=of_tenant("e.user_id")),
    budget=0.45,
)
"""The share of candidates taken, times one less the share of those that tripped the fuse: above .55.

Numerator and denominator are those of the hit rate.
"""
LATENCY = Indicator(
    "retrieval_latency_p95",
    timedelta(hours=1),
    IndicatorTarget("below", SLOW_MS),
    _LATENCY.format(mine=of_tenant("r.user_id"), slow=SLOW_MS),
    unit=IndicatorUnit.MILLISECONDS,
    budget=0.05,
)
"""The 95th percentile of retrieval times, in milliseconds. The numerator counts those that took 200 or longer."""
OVERFLOW = Indicator(
    "context_overflow_rate",
    timedelta(hours=24),
    IndicatorTarget("below", 0.05),
    share_of(_OVERFLOW.format(mine=of_tenant("r.user_id"))),
    budget=0.05,
)
"""The share of turns whose memories did not fit their budget."""
DELETION = Indicator(
    "deletion_timeout_rate",
    timedelta(days=7),
    IndicatorTarget("zero"),
    share_of(_DELETION.format(mine=of_tenant("t.user_id"))),
    budget=0.0,
)
"""The share of open erasures that passed their legal term.

An erased account belongs to no tenant any more; without a tenant it is counted.
"""
COMPLETENESS = Indicator(
    "receipt_completeness_rate",
    timedelta(hours=24),
    IndicatorTarget("above", 0.99),
    share_of(_COMPLETENESS.format(mine=of_tenant("r.user_id"), whole=LINE_IS_WHOLE)),
    budget=0.01,
)
"""The share of receipts with every field their kind requires."""
SLIS = (STALENESS, CONFLICT, INJECTION, LATENCY, OVERFLOW, DELETION, COMPLETENESS)


def read_indicator(indicator: Indicator, tenant: UUID | None = None, at: datetime | None = None) -> IndicatorReading:
    """The indicator as it stands now, or ``at`` a moment in the past; of everybody, or of one tenant."""
    return history_of(indicator, [at or timezone.now()], tenant)[0]


def all_readings(tenant: UUID | None = None, at: datetime | None = None) -> list[IndicatorReading]:
    """Read all seven indicators, in the order of the acceptance table."""
    moment = at or timezone.now()
    return [read_indicator(indicator, tenant, moment) for indicator in SLIS]


def history_of(indicator: Indicator, moments: Sequence[datetime], tenant: UUID | None = None) -> list[IndicatorReading]:
    """The indicator at each of several moments, over its own window."""
    return measure(indicator, [TimeWindow(moment - indicator.window, moment) for moment in moments], tenant)
