"""The acceptance table of a release: eleven figures, each PASS, FAIL or OBSERVE. Judging is pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from foundation.exceptions import ValidationFailed
from memory.models import AcceptanceReport
from memory.quality.indicators import (
    Indicator,
    IndicatorReading,
    IndicatorTarget,
    TimeWindow,
    measure,
    of_tenant,
    share_of,
)
from memory.quality.quality_indicators import COMPLETENESS, LINE_IS_WHOLE, all_readings

Verdict = AcceptanceReport.Verdict
NOT_MEASURED = "not measured here"
NO_SAMPLES = "nothing to measure in its window"
THREE_IN_A_ROW = "observed in three releases in a row"
RELEASES_OBSERVED = 3  # the third OBSERVE in a row blocks a release
RTO_SECONDS, RPO_SECONDS = 30.0, 1.0  # row 11 of the table

# ``value`` is the largest share of its legal term that an erasure took, or has taken so far; ``numerator`` counts the
# completed ones.
_TERM = """
    SELECT count(*) FILTER (WHERE t.completed_at <= span.until) AS numerator, count(*) AS denominator,
           max(extract(epoch FROM least(coalesce(t.completed_at, span.until), span.until) - t.requested_at)
               / extract(epoch FROM t.due_at - t.requested_at))::float8 AS value
    FROM consent_tombstone t
    WHERE t.requested_at <= span.until AND (t.completed_at IS NULL OR t.completed_at > span.since) AND {mine}
"""
_FIVE_FIELDS = """
    SELECT count(*) FILTER (WHERE {whole}) AS numerator, count(*) AS denominator
    FROM memory_receipt r JOIN memory_receiptline l ON l.receipt_id = r.id
    WHERE r.kind = 'injection' AND r.created_at > span.since AND r.created_at <= span.until AND {mine}
"""
ERASURE_TERM = Indicator(
    "tombstone_completion", timedelta(days=30), IndicatorTarget("below", 1.0), _TERM.format(mine=of_tenant("t.user_id"))
)
FIVE_FIELDS = Indicator(
    "injection_receipt_fields",
    COMPLETENESS.window,
    IndicatorTarget("above", 0.95),
    share_of(_FIVE_FIELDS.format(mine=of_tenant("r.user_id"), whole=LINE_IS_WHOLE)),
)


@dataclass(frozen=True)
class VerdictBounds:
    """The bounds of a figure: PASS on this side of ``good``, FAIL beyond ``bad``, OBSERVE between.

    ``meets`` counts ``good`` itself as PASS.
    """

    good: float
    bad: float
    higher: bool = False
    meets: bool = False

    def judge(self, value: float) -> Verdict:
        """The verdict on a measured value."""
        sign = -1 if self.higher else 1
        ahead = sign * (value - self.good)
        if ahead < 0 or (self.meets and ahead == 0):
            return Verdict.PASS
        return Verdict.FAIL if sign * (value - self.bad) > 0 else Verdict.OBSERVE


@dataclass(frozen=True)
class Criterion:
    """The rule of one row. ``passes`` and ``fails`` are its conditions as the table prints them."""

    number: int
    name: str
    bounds: VerdictBounds
    passes: str
    fails: str
    shown: Callable[[float], str]


@dataclass(frozen=True)
class AcceptanceRow:
    """One judged row. ``found`` is the verdict of the figure alone, ``verdict`` the one that counts."""

    number: int
    name: str
    value: float | None
    shown: str
    passes: str
    fails: str
    found: Verdict
    verdict: Verdict
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """The row as JSON, by field name."""
        return dict(vars(self), found=self.found.value, verdict=self.verdict.value)


def _percent(value: float) -> str:
    return f"{value * 100:.2f} %"


def _percent_of_limit(value: float) -> str:
    return f"{value * 100:.0f} % of the limit"


CRITERIA = (
    Criterion(1, "staleness_rate", VerdictBounds(0.15, 0.25), "< 15 %", "> 25 %", _percent),
    Criterion(2, "conflict_rate", VerdictBounds(0.10, 0.15), "< 10 %", "> 15 %", _percent),
    Criterion(3, "injection_quality", VerdictBounds(0.55, 0.40, higher=True), "> 0.55", "< 0.40", lambda x: f"{x:.3f}"),
    Criterion(4, "retrieval_latency_p95", VerdictBounds(200, 500), "< 200 ms", "> 500 ms", lambda x: f"{x:.1f} ms"),
    Criterion(5, "context_overflow_rate", VerdictBounds(0.05, 0.15), "< 5 %", "> 15 %", _percent),
    Criterion(6, "deletion_timeout_rate", VerdictBounds(0, 0, meets=True), "0 %", "> 0 %", _percent),
    Criterion(7, "receipt_completeness_rate", VerdictBounds(0.99, 0.95, higher=True), "> 99 %", "< 95 %", _percent),
    Criterion(
        8, "evolution_throughput", VerdictBounds(100, 20, higher=True), "> 100 items/min", "< 20 items/min",
        lambda x: f"{x:.0f} items/min",
    ),
    Criterion(
        9, ERASURE_TERM.name, VerdictBounds(0.8, 1, meets=True), "within 80 % of the term", "past the term",
        _percent_of_limit,
    ),
    Criterion(10, FIVE_FIELDS.name, VerdictBounds(1, 0.95, higher=True, meets=True), "100 %", "< 95 %", _percent),
    Criterion(
        11, "failover", VerdictBounds(0.8, 1, meets=True), "within 80 % of RTO 30 s, RPO 1 s", "past either",
        _percent_of_limit,
    ),
)  # fmt: skip


def judge(values: Mapping[str, float | None], before: Sequence[Mapping[int, Verdict]] = ()) -> list[AcceptanceRow]:
    """Judge the figures by criterion name; one that is missing, or None for lack of samples, is OBSERVE.

    ``before`` holds, for each earlier release, the latest first, the ``found`` verdicts by row number.
    """
    return [_escalate(_judge_criterion(criterion, values), before) for criterion in CRITERIA]


def verdict_on(reading: IndicatorReading) -> Verdict | None:
    """The verdict on an indicator as it stands; None with nothing, or too little, to judge by."""
    if reading.value is None or not reading.is_conclusive:
        return None
    criterion = next(criterion for criterion in CRITERIA if criterion.name == reading.name)
    return criterion.bounds.judge(reading.value)


def worst_of(rows: Collection[AcceptanceRow]) -> Verdict:
    """The verdict on a release: one FAIL blocks it, one OBSERVE is to be followed up."""
    verdicts = {row.verdict for row in rows}
    return next((verdict for verdict in (Verdict.FAIL, Verdict.OBSERVE) if verdict in verdicts), Verdict.PASS)


def measured_figures(now: datetime, bench: Path | None = None) -> dict[str, float | None]:
    """The figures that this installation measures by itself, and those in the folder ``bench``.

    Raises ``ValidationFailed`` for a file of the folder that cannot be read as a measurement.
    """
    own = [*all_readings(at=now), _measure_window(ERASURE_TERM, now), _measure_window(FIVE_FIELDS, now)]
    values: dict[str, float | None] = {reading.name: reading.value for reading in own}
    if values["deletion_timeout_rate"] is None:
        values["deletion_timeout_rate"] = 0.0  # no erasure was open, so none is late
    return values | (_bench_figures(bench) if bench else {})


def _measure_window(indicator: Indicator, now: datetime) -> IndicatorReading:
    return measure(indicator, [TimeWindow(now - indicator.window, now)])[0]


def _judge_criterion(criterion: Criterion, values: Mapping[str, float | None]) -> AcceptanceRow:
    value = values.get(criterion.name)
    if value is None:
        found, note = Verdict.OBSERVE, NO_SAMPLES if criterion.name in values else NOT_MEASURED
    else:
        found, note = criterion.bounds.judge(value), ""
    shown = "–" if value is None else criterion.shown(value)
    return AcceptanceRow(
        criterion.number, criterion.name, value, shown, criterion.passes, criterion.fails, found, found, note
    )  # fmt: skip


def _escalate(row: AcceptanceRow, before: Sequence[Mapping[int, Verdict]]) -> AcceptanceRow:
    recent = [row.found, *(verdicts.get(row.number) for verdicts in before)][:RELEASES_OBSERVED]
    if len(recent) < RELEASES_OBSERVED or any(verdict != Verdict.OBSERVE for verdict in recent):
        return row
    note = ", ".join(filter(None, (row.note, THREE_IN_A_ROW)))
    return replace(row, verdict=Verdict.FAIL, note=note)


def _bench_figures(folder: Path) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    if (throughput := _read_json(folder / "evolution_throughput.json")) is not None:
        found["evolution_throughput"] = min(_column_of(throughput, "items_per_minute", of="1 worker"))
    if (failover := _read_json(folder / "failover.json")) is not None:
        rto, rpo = (max(_column_of(failover, name)) for name in ("rto_seconds", "rpo_seconds"))
        found["failover"] = max(rto / RTO_SECONDS, rpo / RPO_SECONDS)
    return found


def _read_json(path: Path) -> Any:
    if not path.exists():
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise ValidationFailed(details={path.name: ["This is not JSON."]}) from None


def _column_of(document: Any, name: str, of: str = "") -> list[float]:
    """The figures called ``name`` of all rows whose label begins with ``of``; raises ``ValidationFailed`` if none."""
    rows = document.items() if isinstance(document, dict) else ()
    values = [_number_of(row, name) for label, row in rows if label.startswith(of)]
    if not values:
        raise ValidationFailed(details={name: ["The measurement names no such figure."]})
    return values


def _number_of(row: Any, name: str) -> float:
    value = row.get(name) if isinstance(row, dict) else None
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValidationFailed(details={name: ["The measurement names no such figure."]})
    return float(value)
