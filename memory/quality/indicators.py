"""The definition of a quality indicator: what it counts, in which window, and its objective."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from django.db import connection

from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from memory.quality.error_budget import MIN_SAMPLES, BurnLevel


class IndicatorUnit(StrEnum):
    """The unit of a value: a share from 0 to 1, or milliseconds."""

    SHARE = "share"
    MILLISECONDS = "ms"


@dataclass(frozen=True)
class IndicatorTarget:
    """The objective of an indicator. ``below`` and ``above`` exclude the bound itself; ``zero`` allows nothing else."""

    kind: str
    bound: float = 0.0

    def holds(self, value: float) -> bool:
        """Whether the value reaches the objective."""
        if self.kind == "zero":
            return value == 0
        return value < self.bound if self.kind == "below" else value > self.bound


@dataclass(frozen=True)
class Indicator:
    """A service level indicator.

    ``statement`` is SQL that selects ``numerator``, ``denominator`` and ``value`` of one ``span``. ``source`` is SQL of
    a whole table that every span counts: it is read once, because row-level security checks each row.
    ``budget`` is the share of samples that may be bad while the objective holds; it is None for a snapshot of what is
    stored, which has no stream of samples. ``alert_shares`` are the shares of bad samples that alert, for a budget so
    large that no multiple of it can be reached.
    """

    name: str
    window: timedelta
    target: IndicatorTarget
    statement: str
    unit: IndicatorUnit = IndicatorUnit.SHARE
    budget: float | None = None
    source: str = "SELECT"
    alert_shares: Mapping[BurnLevel, float] | None = None


class TimeWindow(NamedTuple):
    """The time after ``since``, up to and including ``until``."""

    since: datetime
    until: datetime


@dataclass(frozen=True)
class IndicatorReading:
    """A measured indicator. ``value`` is None where there is nothing to measure."""

    name: str
    numerator: int
    denominator: int
    value: float | None
    window: timedelta
    target: IndicatorTarget
    unit: IndicatorUnit = IndicatorUnit.SHARE

    @property
    def bad_share(self) -> float:
        """The share of samples that missed, from 0 to 1; 0 without samples."""
        if not self.denominator:
            return 0.0
        if self.target.kind == "above":
            return 1 - (self.value or 0.0)
        return self.numerator / self.denominator

    @property
    def is_on_target(self) -> bool | None:
        """Whether the objective is reached; None where there is nothing to measure."""
        return None if self.value is None else self.target.holds(self.value)

    @property
    def is_conclusive(self) -> bool:
        """Whether there are ``MIN_SAMPLES`` to judge by. Where no miss is allowed, one is enough."""
        return self.target.kind == "zero" or self.denominator >= MIN_SAMPLES


_EACH_SPAN = """
    WITH source AS MATERIALIZED ({source})
    SELECT measured.numerator, measured.denominator, measured.value
    FROM unnest(%(since)s::timestamptz[], %(until)s::timestamptz[]) WITH ORDINALITY AS span(since, until, number)
    CROSS JOIN LATERAL ({statement}) AS measured
    ORDER BY span.number
"""


def measure(indicator: Indicator, spans: Sequence[TimeWindow], tenant: UUID | None = None) -> list[IndicatorReading]:
    """Read an indicator over each span in one statement, for everybody or one tenant. Runs in the operator role."""
    parameters = {
        "since": [span.since for span in spans],
        "until": [span.until for span in spans],
        "tenant": tenant,
    }
    with in_role(OPERATOR_ROLE), connection.cursor() as cursor:
        cursor.execute(_EACH_SPAN.format(source=indicator.source, statement=indicator.statement), parameters)
        rows = cursor.fetchall()
    return [
        IndicatorReading(
            indicator.name, numerator, denominator, value, span.until - span.since, indicator.target, indicator.unit
        )
        for span, (numerator, denominator, value) in zip(spans, rows, strict=True)
    ]


def of_tenant(owner: str) -> str:
    """The SQL condition on a user id column that keeps one tenant's users, or everybody without a tenant."""
    people = "SELECT id FROM accounts_user WHERE tenant_id = %(tenant)s::uuid"
    return f"(%(tenant)s::uuid IS NULL OR {owner} IN ({people}))"


def share_of(counted: str) -> str:
    """The SQL that divides the ``numerator`` by the ``denominator`` of another statement; null without any."""
    value = "numerator::float8 / nullif(denominator, 0) AS value"
    return f"SELECT numerator, denominator, {value} FROM ({counted}) AS counted"  # noqa: S608  our own constants
