"""Makes the release report: judges a release, stores the report for audits, renders it for people and programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from memory.models import AcceptanceReport
from memory.quality.acceptance import RELEASES_OBSERVED, AcceptanceRow, Verdict, judge, measured_figures, worst_of
from memory.quality.tracking_entries import follow_up

_HEAD = "| # | measure | value | PASS | FAIL | verdict | note |\n|---|---|---|---|---|---|---|\n"


@dataclass(frozen=True)
class ReleaseReport:
    """A judged release, or with an empty name the installation as it stands, with its rows."""

    release: str
    at: datetime
    rows: tuple[AcceptanceRow, ...]

    @property
    def verdict(self) -> Verdict:
        return worst_of(self.rows)

    def as_json(self) -> dict[str, Any]:
        """The report for programs."""
        rows = [row.as_json() for row in self.rows]
        return {"release": self.release, "at": self.at.isoformat(), "verdict": self.verdict.value, "rows": rows}

    def as_markdown(self) -> str:
        """The report for people: the table, and what is to be followed up."""
        title = f"# Acceptance of {self.release or 'this installation'}: {self.verdict.value.upper()}"
        table = _HEAD + "".join(_markdown_row(row) for row in self.rows)
        open_rows = [row for row in self.rows if row.verdict != Verdict.PASS]
        tasks = "".join(f"- [ ] {row.number} {row.name}: {row.verdict.value.upper()}\n" for row in open_rows)
        follow_up = f"\n## To be followed up\n\n{tasks}" if tasks else ""
        return f"{title}\n\n{self.at:%Y-%m-%d %H:%M} UTC\n\n{table}{follow_up}"


def judge_release(release: str, bench: Path | None = None) -> ReleaseReport:
    """Judge what is measured now, with regard to the releases before. Only the report of a named release is stored,
    with a tracking entry for each measure that was observed.

    Raises ``ValidationFailed`` for measurements in ``bench`` that cannot be read.
    """
    now = timezone.now()
    report = ReleaseReport(release, now, tuple(judge(measured_figures(now, bench), _found_before(release))))
    if release:
        rows = report.as_json()["rows"]
        with transaction.atomic():
            stored = AcceptanceReport.objects.create(release=release, verdict=report.verdict, rows=rows)
            follow_up(stored, report.rows)
    return report


def latest_report() -> AcceptanceReport | None:
    """The last report stored."""
    return AcceptanceReport.objects.first()


def _found_before(release: str) -> list[Mapping[int, Verdict]]:
    """The found verdicts of the releases before, the latest first, each by its last report."""
    last: dict[str, AcceptanceReport] = {}
    for report in AcceptanceReport.objects.exclude(release=release).iterator():
        last.setdefault(report.release, report)
        if len(last) == RELEASES_OBSERVED - 1:
            break
    return [_found_verdicts(report.rows) for report in last.values()]


def _found_verdicts(rows: Sequence[Mapping[str, Any]]) -> dict[int, Verdict]:
    return {row["number"]: Verdict(row["found"]) for row in rows}


def _markdown_row(row: AcceptanceRow) -> str:
    cells = (str(row.number), row.name, row.shown, row.passes, row.fails, row.verdict.value.upper(), row.note)
    return f"| {' | '.join(cells)} |\n"
