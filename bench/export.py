"""Exporting a person with very many memories: seconds, and the most memory the building process ever held.

python -m bench.export --items 100000
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

from bench.report import publish
from bench.resident_memory import peak_mb
from bench.runner import add_numbers, argument_parser, measured_database, set_up_django

if TYPE_CHECKING:
    from foundation.accounts.models import User
    from memory.models import MemoryItem

_BATCH = 2_000
_LIMIT_MB = 200  # of resident memory, at its peak


def measure(database: str, items: int, folder: Path) -> dict[str, float]:
    """Fill the database, build the export in a process of its own, verify the archive."""
    from consent.export.services import request_export
    from consent.export.verification import verify_archive

    person = _person(items)
    export = request_export(person, source="command")
    built = _built(database, folder)
    started = perf_counter()
    verdict = verify_archive(folder / str(person.pk) / f"{export.pk}.zip")
    if not verdict.is_sound or verdict.rows < items:
        raise AssertionError(verdict.problems)
    return built | {"rows": verdict.rows, "MB unpacked": verdict.bytes / 1e6, "verified in s": perf_counter() - started}


def build(database: str, folder: Path) -> dict[str, float]:
    """Run the waiting job as a worker does; answers seconds and the process's peak of resident memory."""
    from django.conf import settings
    from django.db import connections

    from foundation.outbox.tasks import drain

    settings.EXPORT_DIR = folder
    for alias in connections:
        connections[alias].settings_dict["NAME"] = database
    before = peak_mb()
    started = perf_counter()
    if drain() != 1:
        raise AssertionError("no job was waiting")
    return {"built in s": perf_counter() - started, "peak MB": peak_mb(), "of it before MB": before}


def _built(database: str, folder: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.export", "--build", database, "--folder", str(folder)]
    finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, float] = json.loads(finished.stdout)
    return figures


def _person(items: int) -> User:
    from bench.people import somebody
    from foundation.database.acting_user import acting_as
    from memory.models import MemoryItem

    person, permit = somebody("bench")
    for first in range(0, items, _BATCH):
        numbers = range(first, min(first + _BATCH, items))
        with acting_as(person.pk):
            MemoryItem.objects.bulk_create(_item(person, permit.version, number) for number in numbers)
    return person


def _item(person: User, consent_version: int, number: int) -> MemoryItem:
    from django.utils import timezone

    from memory.models import MemoryItem

    now = timezone.now()
    return MemoryItem(
        user=person, memory_type="observation", epistemic_type="fact", provenance="confirmed_by_user",
        content=f"Follows fund number {number} 基金 and reads what its manager writes each quarter.",
        content_hash=f"{number:064}", attributes={"slot": f"fund-{number}"}, confidence=0.9, valid_at=now,
        last_validated_at=now, created_at=now, consent_version=consent_version,
    )  # fmt: skip


def main() -> None:
    """Run on a scratch database, print the table, write the figures; fail over the limit."""
    parser = argument_parser(__doc__)
    add_numbers(parser, items=100_000)
    parser.add_argument("--build", metavar="DATABASE", help="build what waits there, for the measurement itself")
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    if arguments.build:
        set_up_django()
        print(json.dumps(build(arguments.build, arguments.folder)))
        return
    with measured_database() as database, TemporaryDirectory() as folder:
        figures = measure(database, arguments.items, Path(folder))
    publish("export", f"An export of {arguments.items} memories", {"export": figures})
    sys.exit(figures["peak MB"] > _LIMIT_MB)


if __name__ == "__main__":
    main()
