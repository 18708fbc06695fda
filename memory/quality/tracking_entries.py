"""Keeps a tracking entry for each measure that a release was observed at, until a later release passes it."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from memory.models import AcceptanceReport, TrackingEntry
from memory.quality.acceptance import AcceptanceRow, Verdict


def follow_up(report: AcceptanceReport, rows: Sequence[AcceptanceRow]) -> None:
    """Open, go on with or close the entries by the rows of a release's stored report.

    OBSERVE opens an entry or goes on with it; FAIL marks an open one as blocking; PASS closes it. A release that is
    judged again counts once. Call in the transaction that stores the report.
    """
    entries = {entry.number: entry for entry in open_entries().select_related("latest").select_for_update(of=("self",))}
    for row in rows:
        entry = entries.get(row.number)
        if entry is None and row.found == Verdict.OBSERVE:
            TrackingEntry.objects.create(number=row.number, measure=row.name, opened_by=report, latest=report)
        elif entry is not None:
            _go_on(entry, report, row)


def open_entries() -> QuerySet[TrackingEntry]:
    """What is to be followed up, in the order of the table."""
    return TrackingEntry.objects.filter(closed_at=None).order_by("number")


def _go_on(entry: TrackingEntry, report: AcceptanceReport, row: AcceptanceRow) -> None:
    entry.releases += entry.latest.release != report.release
    entry.latest, entry.is_blocking = report, row.verdict == Verdict.FAIL
    if row.found == Verdict.PASS:
        entry.closed_by, entry.closed_at = report, report.created_at
    entry.save()
