"""The seven indicators of memory quality, each with its numerator, denominator, window and objective.

They are read in SQL from items, receipts and tombstones, in the operators' role. Each can be read for a moment in the
past, but only from the rows that still exist: what was erased since is not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone

from memory.quality.error_budget import BurnLevel
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
LONG_CHAIN = 3  # a memory with this many different wordings over its versions counts as a conflict

_PERSONAL = """
    SELECT i.created_at, i.invalid_at, i.superseded_at, i.state
    FROM memory_memoryitem i WHERE i.scope = 'personal' AND {mine}
"""

# One row of each memory: the version in force at the window's end, or the last one if the memory ended in the window
# without a replacement. A version that another replaced is history, and one that was closed the moment it was written
# was never in force. A version closed after the window counts as open, whatever end of validity it has.
_STALE = """
    SELECT count(*) FILTER (
               WHERE i.superseded_at <= span.until OR (i.superseded_at IS NULL AND i.invalid_at < span.until)
           ) AS numerator,
           count(*) AS denominator
    FROM source i
    WHERE i.created_at <= span.until AND (
        i.superseded_at IS NULL OR i.superseded_at > span.until
        OR (i.superseded_at > span.since AND i.superseded_at > i.created_at AND i.state <> 'superseded')
    )
"""

# The length of a chain counts only versions with new words: a confirmation is a version, too, but contradicts nothing.
_STATEMENTS = """
    SELECT i.created_at, i.invalid_at, i.superseded_at, said.statements, said.last_at
    FROM memory_memoryitem i LEFT JOIN LATERAL (
        SELECT count(*) AS statements, max(version.created_at) AS last_at
        FROM (
            SELECT c.created_at, c.content_hash IS DISTINCT FROM lag(c.content_hash) OVER (ORDER BY c.version) AS anew
            FROM memory_memoryitem c
            WHERE c.user_id = i.user_id AND c.chain_id = i.chain_id AND c.version <= i.version
        ) AS version
        WHERE version.anew
    ) AS said ON i.version >= {long}
    WHERE {mine}
"""
_CONFLICT = """
    SELECT count(*) FILTER (WHERE i.statements >= {long} AND i.last_at > span.since) AS numerator,
           count(*) AS denominator
    FROM source i
    WHERE i.created_at <= span.until AND (
        i.superseded_at > span.until
        OR (i.superseded_at IS NULL AND (i.invalid_at IS NULL OR i.invalid_at > span.until))
    )
"""

# Lines chosen for the message, or left out for want of room or as blocked although they fit it. Lines that stand in
# every prompt, or that a rule lists, are not chosen.
LINE_IS_CHOSEN = """
    l.kind NOT IN ('profile', 'context') AND l.decision_reason NOT IN ('standing', 'stated')
    AND r.unsearched_because = '' AND (
        l.status = 'accepted' OR l.decision_reason = 'budget_exceeded'
        OR (l.decision_reason = 'blocked' AND l.signals @> '{"relevant": 1.0}')
    )
"""
LINE_IS_HIT = "(l.status = 'accepted' AND l.user_feedback_signal <> 'negative')"
# hit_rate · (1 − correction_rate); where nothing was injected, nothing was corrected.
_INJECTION = """
    SELECT hits AS numerator, fitting AS denominator,
           hits::float8 / nullif(fitting, 0)
               * (1 - least(coalesce(fused::float8 / nullif(injected, 0), 0), 1)) AS value
    FROM (
        SELECT count(*) AS fitting, count(*) FILTER (WHERE l.status = 'accepted') AS injected,
               count(*) FILTER (WHERE {hit}) AS hits
        FROM memory_receipt r JOIN memory_receiptline l ON l.receipt_id = r.id
        WHERE r.kind = 'injection' AND r.created_at > span.since AND r.created_at <= span.until AND {mine}
          AND {chosen}
    ) AS candidates, (
        SELECT count(*) AS fused FROM memory_evolutionevent e
        WHERE e.action = 'fused' AND e.created_at > span.since AND e.created_at <= span.until AND {whose}
    ) AS corrected
"""

_LATENCY = """
    SELECT count(*) FILTER (WHERE r.latency_ms >= {slow}) AS numerator, count(r.latency_ms) AS denominator,
           percentile_cont(0.95) WITHIN GROUP (ORDER BY r.latency_ms) AS value
    FROM memory_receipt r
    WHERE r.kind = 'retrieval' AND r.created_at > span.since AND r.created_at <= span.until AND {mine}
      AND r.unsearched_because IN ('', 'memory_unavailable')
"""

_OVERFLOW = """
    SELECT count(*) FILTER (WHERE r.budget_exceeded) AS numerator, count(*) AS denominator
    FROM memory_receipt r
    WHERE r.kind = 'injection' AND r.created_at > span.since AND r.created_at <= span.until AND {mine}
"""

# Erasures that were open at some time of the window: one past its term was requested long before the window began.
_DELETION = """
    SELECT count(*) FILTER (
               WHERE (t.completed_at IS NULL OR t.completed_at > span.until) AND t.due_at < span.until
           ) AS numerator,
           count(*) AS denominator
    FROM consent_tombstone t
    WHERE t.requested_at <= span.until AND (t.completed_at IS NULL OR t.completed_at > span.since) AND {mine}
"""

# The five fields of an injected line; a line that was left out has no ``context_position``.
# ``guardrail_hit`` is empty where no rule was hit, and never null.
LINE_IS_WHOLE = """(
    l.candidate_score IS NOT NULL AND l.candidate_score <> 'NaN' AND l.decision_reason <> ''
    AND l.guardrail_hit IS NOT NULL AND r.policy_version <> ''
    AND (l.status <> 'accepted' OR l.context_position IS NOT NULL)
)"""

# A retrieval's receipt says how it searched, or why it did not: that of a refused request is complete as well.
_COMPLETENESS = """
    SELECT count(*) FILTER (
               WHERE r.policy_version <> ''
               AND CASE r.kind
                   WHEN 'retrieval' THEN (r.unsearched_because <> '' OR (
                           r.latency_ms IS NOT NULL AND r.strategy <> '' AND cardinality(r.stores_used) > 0
                       )) AND NOT EXISTS (
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
"""The share of personal memories that are no longer valid: below 15 %.

A memory is a chain of versions and counts once: confirming or correcting it makes nothing stale. The numerator counts
memories past their validity that are still open, however long, and those that ended within the seven days without a
replacement; the denominator counts all that were in force within the seven days. Memories closed before that are
history: they would add up for ever, and the upkeep that this indicator starts could never lower their number.
"""
CONFLICT = Indicator(
    "conflict_rate",
    timedelta(days=30),
    IndicatorTarget("below", 0.10),
    share_of(_CONFLICT.format(long=LONG_CHAIN)),
    source=_STATEMENTS.format(mine=of_tenant("i.user_id"), long=LONG_CHAIN),
)
"""The share of active items in chains of at least three statements: below 10 %.

A chain counts while its last change is from the last thirty days. Repeating it in the same words does not lengthen it.
"""
INJECTION = Indicator(
    "injection_quality",
    timedelta(days=7),
    IndicatorTarget("above", 0.55),
    _INJECTION.format(
        mine=of_tenant("r.user_id"), whose=of_tenant("e.user_id"), chosen=LINE_IS_CHOSEN, hit=LINE_IS_HIT
    ),
    budget=0.45,
    alert_shares={BurnLevel.PAGE: 0.60, BurnLevel.TICKET: 0.45},
)
"""The share of fitting memories injected and not called wrong, times (1 − the share that tripped the fuse): above .55.

Fitting memories are those injected for the message, and those that fit it but were left out for want of room or as
blocked. A search returns its eight best even where none bears on the message; leaving these out is no miss but the
choice itself, whose precision and recall the labelled set measures. A portrait stands in every prompt and a rule lists
all that it covers: neither was chosen.

With a budget of .45 the burn rate is at most 2.2, even if every sample is bad, so the usual rules never hold. This
indicator alerts on shares of bad samples instead, in the same windows: urgently from where a release would fail (.40),
otherwise when the objective is missed. Numerator and denominator are those of the hit rate.
"""
LATENCY = Indicator(
    "retrieval_latency_p95",
    timedelta(hours=1),
    IndicatorTarget("below", SLOW_MS),
    _LATENCY.format(mine=of_tenant("r.user_id"), slow=SLOW_MS),
    unit=IndicatorUnit.MILLISECONDS,
    budget=0.05,
)
"""The 95th percentile of retrieval times, in milliseconds. The numerator counts those that took 200 or longer.

Messages for which nothing was searched are left out: they took no time, and would hide the others. A search that was
given up counts with the time it took.
"""
OVERFLOW = Indicator(
    "context_overflow_rate",
    timedelta(hours=24),
    IndicatorTarget("below", 0.05),
    share_of(_OVERFLOW.format(mine=of_tenant("r.user_id"))),
    budget=0.05,
)
"""The share of answers whose memories did not fit their budget."""
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
"""The share of receipts with every field their kind requires; where nothing was searched, the reason why."""
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
