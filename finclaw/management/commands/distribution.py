"""Tells what keeps personal tables from being distributed by user over several servers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import yaml
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, models

from consent.declarations import personal_models
from foundation.database.distribution import DistributionLack, Owners, distribution_lacks, mending_statements

REGISTER: Final = Path(__file__).parent / "data" / "distribution.yaml"


class Command(BaseCommand):
    """Print each lack, with the SQL that would mend it; with ``--check`` hold the lacks against the register."""

    help = (
        "Lists which keys and policies of personal tables lack the owner's column, that Citus would distribute them "
        "by. --sql prints the statements that would add it. --check fails on a lack that the register does not hold."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--sql", action="store_true", help="the statements that would mend each lack")
        parser.add_argument("--check", action="store_true", help="fail on a lack that is not registered")
        parser.add_argument("--register", action="store_true", help="take the lacks of today into the register")

    def handle(self, *args: Any, sql: bool, check: bool, register: bool, **options: Any) -> None:
        with connection.cursor() as cursor:
            lacks = distribution_lacks(cursor, owners_of_tables())
        if register:
            write_register(lacks)
        if check:
            self._check(lacks)
        self._print(lacks, sql=sql)
        counts = Counter(lack.kind for lack in lacks)
        self.stderr.write(", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())))

    def _print(self, lacks: list[DistributionLack], *, sql: bool) -> None:
        for lack in lacks:
            if not (sql and lack.statement):
                self.stdout.write(f"-- {lack}" if sql else str(lack))
        for statement in mending_statements(lacks) if sql else ():
            self.stdout.write(f"{statement};")

    def _check(self, lacks: Iterable[DistributionLack]) -> None:
        found, known = set(map(str, lacks)), set(read_register())
        if new := sorted(found - known):
            raise CommandError("New lacks; give each the owner's column, or --register them: " + "; ".join(new))
        if mended := sorted(known - found):
            raise CommandError("No lacks any more; --register takes them out: " + "; ".join(mended))


def owners_of_tables() -> Owners:
    """Every personal table with its owner's column."""
    return {
        personal.model._meta.db_table: _column(personal.model, personal.declaration.owner)
        for personal in personal_models()
    }


def _column(model: type[models.Model], attribute: str) -> str:
    return next(
        field.get_attname_column()[1] or ""
        for field in model._meta.concrete_fields
        if attribute in {field.attname, field.name}
    )


def read_register(part: str = "lacks") -> list[str]:
    """What is known of a part, ``lacks`` or ``statements``: mended when somebody distributes the tables, not before."""
    known: list[str] = yaml.safe_load(REGISTER.read_text(encoding="utf-8"))[part]
    return known


def write_register(lacks: Iterable[DistributionLack]) -> None:
    """Replace the known lacks."""
    document = yaml.safe_load(REGISTER.read_text(encoding="utf-8")) if REGISTER.exists() else {}
    document["lacks"] = [str(lack) for lack in lacks]
    REGISTER.write_text(yaml.safe_dump(document, sort_keys=True, width=200), encoding="utf-8")
