from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from foundation.exceptions import FinClawError
from memory.quality.acceptance import Verdict
from memory.quality.release_report import judge_release

_HELP = """Check this installation against the eleven acceptance criteria, each PASS, OBSERVE or FAIL, and print the
release report as Markdown. With --release the report is stored; a criterion that was OBSERVE in three releases in a
row becomes FAIL. Throughput and failover are measured by the programs in bench/: --bench names the folder with
evolution_throughput.json (the smallest "items_per_minute" of its "1 worker …" rows counts) and failover.json (the
largest "rto_seconds" and "rpo_seconds" count). Exits with an error if a criterion fails."""


class Command(BaseCommand):
    """Measure the installation, judge it by the acceptance table, report and keep the result."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--release", default="", help="store the report under this name of a release")
        parser.add_argument("--bench", type=Path, help="the folder with the measurements of bench/")
        parser.add_argument("--json", type=Path, help="also write the report as JSON to this file")
        parser.add_argument("--markdown", type=Path, help="also write the report as Markdown to this file")

    def handle(self, *args: Any, release: str, bench: Path | None, **options: Any) -> None:
        try:
            report = judge_release(release, bench)
        except FinClawError as error:
            raise CommandError(f"{error.message} {json.dumps(error.details)}") from None
        self.stdout.write(report.as_markdown())
        if options["json"]:
            options["json"].write_text(json.dumps(report.as_json(), indent=2) + "\n", encoding="utf-8")
        if options["markdown"]:
            options["markdown"].write_text(report.as_markdown(), encoding="utf-8")
        if report.verdict == Verdict.FAIL:
            failed = ", ".join(row.name for row in report.rows if row.verdict == Verdict.FAIL)
            raise CommandError(f"Not accepted: {failed}.")
