from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone
from rich.box import SIMPLE_HEAD
from rich.table import Table

from drift.digest import DriftDigest, count_drift
from drift.feedback_scan import FeedbackScan, scan_feedback
from drift.models import DriftSignal
from foundation.console_tables import render_table

_HELP = """Show how users' opinions changed within the last days: the number of drift signals by kind, compared with
the period before; how many users they concern; how many users have unusually many at once; and how many users
contradict themselves repeatedly. Prints counts only, no names and no texts. With --rescan it also shows what the
current thresholds would find in all stored feedback."""


class Command(BaseCommand):
    """Print the drift digest, and write it to a file where asked to."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--days", type=int, default=7, help="the number of days (default: 7)")
        parser.add_argument(
            "--rescan",
            action="store_true",
            help="apply the current thresholds to all stored feedback, without storing the result",
        )
        parser.add_argument("--json", type=Path, help="also write the figures to this JSON file")

    def handle(self, *args: Any, days: int, rescan: bool, **options: Any) -> None:
        found = count_drift(timezone.now(), timedelta(days=max(1, days)))
        scan = scan_feedback() if rescan else None
        self.stdout.write(render_table(_digest_table(found)))
        self.stdout.write(_people_sentence(found))
        if scan is not None:
            self.stdout.write(_scan_sentence(scan))
        if options["json"]:
            figures = found.as_json() | ({"rescan": vars(scan)} if scan else {})
            options["json"].write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def _digest_table(found: DriftDigest) -> Table:
    title = f"Drift from {found.since:%Y-%m-%d %H:%M} to {found.until:%Y-%m-%d %H:%M} UTC"
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("")
    for name in ("signals", "worth a look", "in the span before"):
        table.add_column(name, justify="right")
    for kind, counts in found.kinds.items():
        label = str(DriftSignal.Kind(kind).label)
        table.add_row(label, str(counts.signals), str(counts.alerting), str(counts.before))
    return table


def _people_sentence(found: DriftDigest) -> str:
    return (
        f"Of {found.people} people. Very many at once: of {found.bursts}. "
        f"Contradictions again and again: of {found.contradicting}."
    )


def _scan_sentence(scan: FeedbackScan) -> str:
    signals = ", ".join(f"{kind} {count}" for kind, count in sorted(scan.signals.items())) or "nothing"
    return f"In {scan.feedback} feedback of {scan.people} people the thresholds of now find: {signals}."
