"""Bringing an export file in: how long until all of it is stored and found by words, again, and undone.

    python -m bench.chat_imports --conversations 2000 --messages 40000

One process does the worker's part. Learning, which follows in the background, is not waited for.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING
from uuid import UUID

from bench.chat_exports import write
from bench.report import publish
from bench.resident_memory import peak_mb
from bench.runner import measured_database, parse_arguments

if TYPE_CHECKING:
    from foundation.accounts.models import User

_LIMIT_SECONDS = 180.0
Figures = dict[str, float]


def measure(file: Path, conversations: int, messages: int) -> dict[str, Figures]:
    """The figures of a first import, the same again, and its undo, in seconds. Raises where anything is missing."""
    from bench.people import somebody
    from finclaw.import_undo import undo_import
    from foundation.database.acting_user import acting_as
    from memory.models import Session

    person, _ = somebody("importing")
    figures = {}
    for name, expected in (("first", messages), ("again", 0)):
        computed = process_time()
        seconds, import_id, recorded = _imported(person, file)
        computed = process_time() - computed
        if recorded != expected:
            raise AssertionError(f"{recorded} messages were recorded, not {expected}")
        figures[name] = {"s": seconds, "CPU s": computed, "messages a s": messages / seconds, "peak MB": peak_mb()}
        if name == "first":
            first = import_id
            figures["search by words"] = {"s": _searched(person)}
    began = perf_counter()
    with acting_as(person.pk):
        undo_import(person, first, source="command")
        left = Session.objects.count()
    figures["undo asked for"] = {"s": perf_counter() - began, "chats left to the worker": left}
    return figures


def _imported(person: User, file: Path) -> tuple[float, UUID, int]:
    from foundation.database.acting_user import acting_as
    from foundation.outbox.jobs import Job
    from foundation.outbox.leases import claim
    from memory.importing.file_imports import import_of, request_import, run_import

    began = perf_counter()
    with file.open("rb") as opened:
        wanted = request_import(person, opened, origin="command")
    message = claim()
    assert message is not None
    run_import(Job(message))
    seconds = perf_counter() - began
    with acting_as(person.pk):
        done = import_of(person.pk, wanted.pk)
    if done.state != "done":
        raise AssertionError(f"the import is {done.state}: {done.reason}")
    return seconds, done.pk, done.recorded


def _searched(person: User) -> float:
    """Seconds until three searches by words found something."""
    from consent.services import permit_for
    from foundation.database.acting_user import acting_as
    from memory.retrieval.services import search
    from memory.types import SearchQuery

    began = perf_counter()
    with acting_as(person.pk):
        for words in ("shop for sourdough in Osaka", "搬到成都", "number 1999000"):
            if not search(permit_for(person), SearchQuery(words, ("turn",), strategy="lexical")).hits:
                raise AssertionError("a search by words found nothing")
    return perf_counter() - began


def main() -> None:
    """Run on a scratch database, print the table, write the figures; fail over the limit."""
    given = parse_arguments(__doc__, conversations=2_000, messages=40_000)
    with TemporaryDirectory() as folder:
        file = Path(folder, "conversations.json")
        write(file, given.conversations, given.messages, "chatgpt")
        with measured_database():
            figures = measure(file, given.conversations, given.messages)
    publish("chat_imports", "Bringing an export file in", figures)
    sys.exit(figures["first"]["s"] > _LIMIT_SECONDS)


if __name__ == "__main__":
    main()
