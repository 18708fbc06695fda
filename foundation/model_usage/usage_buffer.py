"""Adds up the model calls of this process in memory, and writes the sums to the usage table every few seconds.

So a turn waits for no row lock of others, and nothing is written while a model answers. A process that is killed loses
at most the sums of the last ``MODEL_USAGE_FLUSH_SECONDS``. A process that ends normally writes them first.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from multiprocessing.util import Finalize
from typing import Any, Final
from uuid import UUID

import psycopg
import structlog
from django.conf import settings
from django.db import DataError, Error, IntegrityError, connection
from django.utils import timezone

from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.model_usage.durations import bucket_of, no_durations
from foundation.model_usage.prices import price_of

log = structlog.get_logger(__name__)
_COLUMNS: Final = (
    "calls", "failures", "input_tokens", "cached_tokens", "output_tokens", "cost", "unpriced_calls",
)  # fmt: skip
_FAULTS_OF_A_ROW: Final = (DataError, IntegrityError, UnicodeError)
"""Errors of values that PostgreSQL can never store. Other database errors are temporary, so the sums are kept."""
_HISTOGRAMS: Final = ("first_token", "whole")
_SUM: Final = (
    "ARRAY(SELECT one + more FROM unnest(model_usage_modelusage.{name}, excluded.{name}) WITH ORDINALITY"
    " AS counted (one, more, place) ORDER BY place)"
)
# Sums of an organisation that was deleted meanwhile are dropped.
_ADD: Final = (  # noqa: S608  our own constants
    "INSERT INTO model_usage_modelusage (tenant_id, day, kind, model_id, {columns})"
    " SELECT given.* FROM (VALUES (%s::uuid, %s::date, %s, %s, {values})) AS given (tenant_id)"
    " WHERE given.tenant_id IS NULL OR EXISTS (SELECT FROM accounts_tenant t WHERE t.id = given.tenant_id)"
    " ON CONFLICT (tenant_id, day, kind, model_id) DO UPDATE SET {sums}"
).format(
    columns=", ".join((*_COLUMNS, *_HISTOGRAMS)),
    values=", ".join([*["%s"] * len(_COLUMNS), *["%s::bigint[]"] * len(_HISTOGRAMS)]),
    sums=", ".join(
        [
            *(f"{name} = model_usage_modelusage.{name} + excluded.{name}" for name in _COLUMNS),
            *(f"{name} = {_SUM.format(name=name)}" for name in _HISTOGRAMS),
        ]
    ),
)


@dataclass(frozen=True, slots=True)
class UsageKey:
    """Calls with the same key are added up. Keys are sorted before writing, so that two processes cannot deadlock."""

    tenant_id: UUID | None
    day: date
    kind: str
    model_id: str

    @property
    def order(self) -> tuple[str, date, str, str]:
        return (str(self.tenant_id or ""), self.day, self.kind, self.model_id)


@dataclass(frozen=True, slots=True)
class MeteredCall:
    """One call that has ended. ``tokens`` are (read, cached among those, written); None where the cost is unknown."""

    tenant_id: UUID | None
    kind: str
    model_id: str
    failed: bool
    seconds: float | None
    first_token_seconds: float | None
    tokens: tuple[int, int, int] | None


@dataclass(slots=True)
class UsageSums:
    """The sums of the calls with one key; the fields are those of the table."""

    calls: int = 0
    failures: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)
    unpriced_calls: int = 0
    first_token: list[int] = field(default_factory=no_durations)
    whole: list[int] = field(default_factory=no_durations)

    def add(self, call: MeteredCall) -> None:
        """Add one call."""
        self.calls += 1
        self.failures += call.failed
        if call.first_token_seconds is not None:
            self.first_token[bucket_of(call.first_token_seconds)] += 1
        if call.seconds is not None:
            self.whole[bucket_of(call.seconds)] += 1
        if call.tokens is not None:
            self._add_tokens(call.model_id, *call.tokens)

    def _add_tokens(self, model_id: str, read: int, cached: int, written: int) -> None:
        self.input_tokens += read
        self.cached_tokens += cached
        self.output_tokens += written
        price = price_of(model_id)
        if price is None:
            self.unpriced_calls += 1
        else:
            self.cost += price.cost_of(read, cached, written)

    def absorb(self, other: UsageSums) -> None:
        """Add other sums of the same key."""
        for name in _COLUMNS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in _HISTOGRAMS:
            counts = zip(getattr(self, name), getattr(other, name), strict=True)
            setattr(self, name, [own + more for own, more in counts])

    @property
    def values(self) -> list[Any]:
        """The sums in the order of the SQL statement's columns."""
        return [getattr(self, name) for name in (*_COLUMNS, *_HISTOGRAMS)]


class UsageBuffer:
    """The sums of this process that are not written yet. Safe to share between threads; empty after a fork."""

    def __init__(self) -> None:
        self._forget()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._sums: dict[UsageKey, UsageSums] = {}
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._is_written_at_exit = False

    def add(self, call: MeteredCall) -> None:
        """Count a call, to be written within ``MODEL_USAGE_FLUSH_SECONDS``; with 0 only when ``flush`` is called."""
        key = UsageKey(call.tenant_id, timezone.now().date(), call.kind, call.model_id)
        with self._lock:
            self._sums.setdefault(key, UsageSums()).add(call)
            if settings.MODEL_USAGE_FLUSH_SECONDS and self._timer is None:
                self._begin_timer()

    def _begin_timer(self) -> None:
        self._timer = threading.Timer(settings.MODEL_USAGE_FLUSH_SECONDS, self._flush_by_timer)
        self._timer.daemon = True  # no process waits for it to end: what is left is written as it does
        self._timer.start()
        if not self._is_written_at_exit:
            self._is_written_at_exit = True
            # Unlike `atexit`, it also runs where a worker's process ends. Of a server's and a worker's children each
            # registers its own.
            Finalize(None, self._flush_by_timer, exitpriority=10)

    def _flush_by_timer(self) -> None:
        with closing(connection):
            self.flush()

    def flush(self) -> None:
        """Write the sums in a separate transaction; if the database fails, keep them for the next time.

        Sums that the table can never store are dropped and logged, since they would block all others for ever.
        """
        if taken := self.take():
            self._write(taken)

    def _write(self, taken: Mapping[UsageKey, UsageSums]) -> None:
        try:
            _add_to_table(taken)
        except _FAULTS_OF_A_ROW as error:
            for key, sums in taken.items():
                if len(taken) == 1:
                    _log_dropped(key, sums, error)
                else:
                    self._write({key: sums})
        except (Error, psycopg.Error) as error:  # psycopg's own: a pool without a free connection
            log.warning("model_usage_not_written", error=type(error).__name__, rows=len(taken))
            self._put_back(taken)

    def take(self) -> dict[UsageKey, UsageSums]:
        """Return the sums and start again at zero."""
        with self._lock:
            taken, self._sums, self._timer = self._sums, {}, None
        return taken

    def _put_back(self, taken: Mapping[UsageKey, UsageSums]) -> None:
        with self._lock:
            for key, sums in taken.items():
                self._sums.setdefault(key, UsageSums()).absorb(sums)


def _log_dropped(key: UsageKey, sums: UsageSums, error: Exception) -> None:
    """Log sums that are lost. Of the model's id only the length, since the id itself may be what cannot be stored."""
    log.error(
        "model_usage_dropped",
        error=type(error).__name__,
        kind=key.kind,
        tenant_id=None if key.tenant_id is None else str(key.tenant_id),
        model_id_length=len(key.model_id),
        calls=sums.calls,
        cost=str(sums.cost),
    )


def _add_to_table(taken: Mapping[UsageKey, UsageSums]) -> None:
    rows = [
        [key.tenant_id, key.day, key.kind, key.model_id, *taken[key].values]
        for key in sorted(taken, key=lambda key: key.order)
    ]
    with in_role(WORKER_ROLE), connection.cursor() as cursor:
        cursor.executemany(_ADD, rows)


usage_buffer: Final = UsageBuffer()
"""The buffer of this process."""
