"""Says what is wrong with this installation, and what to do about each finding."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from finclaw.doctor import examine
from finclaw.doctor.findings import DoctorFinding


class Command(BaseCommand):
    """Examine settings, keys, disk, database, journal, schedules, queue and operators in one go."""

    help = "Examine this installation and say what to do about each finding; exits with 1 where something is wrong."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print a JSON array of findings")

    def handle(self, *args: Any, **options: Any) -> None:
        findings = list(examine())
        if options["json"]:
            self.stdout.write(json.dumps([asdict(finding) | {"mark": finding.mark} for finding in findings]))
        else:
            self._print(findings)
        sys.exit(any(finding.mark == "WRONG" for finding in findings))

    def _print(self, findings: Sequence[DoctorFinding]) -> None:
        width = max(len(finding.subject) for finding in findings)
        for finding in findings:
            self.stdout.write(f"{finding.mark:<5}  {finding.subject:<{width}}  {finding.what}")
            if finding.remedy:
                self.stdout.write(f"{'':{width + 7}}  → {finding.remedy}")
