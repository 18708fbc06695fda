"""Forgetting a person with very many memories: invisible at once, erased and probed soon, in bounded memory.

    python -m bench.erasure --items 100000

The worker is a process of its own that runs what waits, as every worker does.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from bench.report import publish
from bench.resident_memory import peak_mb
from bench.runner import add_numbers, argument_parser, measured_database, set_up_django

if TYPE_CHECKING:
    import psycopg

    from consent.models import ErasureScope, Tombstone
    from foundation.accounts.models import User

ROOT = Path(__file__).resolve().parent.parent
MESSAGES = 5_000
OTHERS, ITEMS_OF_OTHERS = 1_000, 10
SMALL_PEOPLE, ITEMS_OF_SMALL = 20, 1_000
_LIMITS = {"request ms": 100.0, "erased in s": 60.0}
Figures = dict[str, float]


@dataclass(frozen=True)
class Forgetful:
    """Somebody about to forget, and words that their memories are found by."""

    person: User
    items: int
    words: str


def measure(database: str, items: int) -> dict[str, Figures]:
    """Everything learned of one with ``items`` memories, the account of another, and requests of smaller ones."""
    from consent.models import ErasureScope

    with _superuser(database) as superuser:
        learned, leaving = _large(superuser, "learned", items), _large(superuser, "leaving", items)
        small = [_forgetful(superuser, f"small-{number}", ITEMS_OF_SMALL) for number in range(SMALL_PEOPLE)]
        first = _forgetful(superuser, "first", 1)
        others = _others(superuser)
        _settle(superuser)
    _requests([first], ErasureScope.MEMORIES)  # a process that just started loads its calendars and its key
    _worked(database)
    figures = {
        f"everything learned, {items} memories": _forgotten(database, learned, ErasureScope.MEMORIES),
        f"an account with {items} memories": _forgotten(database, leaving, ErasureScope.ACCOUNT),
        f"everything learned, {ITEMS_OF_SMALL} memories": _requests(small, ErasureScope.MEMORIES),
    }
    _require_untouched(others)
    return figures


def work(database: str) -> Figures:
    """Run what waits, as a worker does; seconds, and megabytes of this process before it and at its peak."""
    from django.db import connections

    from foundation.outbox.tasks import drain

    for alias in connections:
        connections[alias].settings_dict["NAME"] = database
    before, started = peak_mb(), perf_counter()
    if drain() != 1:
        raise AssertionError("one job should have waited")
    return {"erased in s": perf_counter() - started, "worker MB before": before, "worker MB at its peak": peak_mb()}


def _superuser(database: str) -> psycopg.Connection[Any]:
    from django.conf import settings

    from foundation.database.embedded_server import EmbeddedServer

    return EmbeddedServer(settings.DATA_DIR).connect(database)


def _large(superuser: psycopg.Connection[Any], username: str, items: int) -> Forgetful:
    return _forgetful(superuser, username, items, MESSAGES)


def _forgetful(superuser: psycopg.Connection[Any], username: str, items: int, messages: int = 0) -> Forgetful:
    from bench.people import somebody
    from bench.row_multiplication import multiply_items, multiply_messages, one_of_each
    from foundation.database.acting_user import acting_as
    from memory.models import MemoryItem

    person, permit = somebody(username)
    models = one_of_each(person, permit)
    multiply_items(superuser, models, [person.pk], items)
    if messages:
        multiply_messages(superuser, models, person.pk, messages)
    with acting_as(person.pk):
        return Forgetful(person, items, MemoryItem.objects.exclude(pk=models.item)[0].content)


def _others(superuser: psycopg.Connection[Any]) -> list[User]:
    from bench.people import somebody
    from bench.row_multiplication import multiply_items, one_of_each
    from foundation.accounts.models import User

    first, permit = somebody("other-0")
    models = one_of_each(first, permit)
    more = [User(username=f"other-{number}") for number in range(1, OTHERS)]
    User.objects.bulk_create(more)
    multiply_items(superuser, models, [first.pk, *(user.pk for user in more)], ITEMS_OF_OTHERS)
    return [first, *more]


def _settle(superuser: psycopg.Connection[Any]) -> None:
    from bench.row_multiplication import settle

    superuser.autocommit = True
    settle(superuser)


def _forgotten(database: str, forgetful: Forgetful, scope: ErasureScope) -> Figures:
    found_before = _found(forgetful)
    if not found_before:
        raise AssertionError("there was nothing to forget")
    tombstone, request_ms = _asked(forgetful, scope)
    if _found(forgetful):
        raise AssertionError("what is to be forgotten is still found")
    worked = _worked(database)
    done = _reread(tombstone)
    if done.state != "completed" or (done.verification or {}).get("residual") != 0:
        raise AssertionError([step.reason for step in done.steps.all()])
    return {"request ms": request_ms, "rows erased": sum(done.deleted.values()), **worked}


def _requests(people: list[Forgetful], scope: ErasureScope) -> Figures:
    from memory.evaluation.retrieval.metrics import percentile

    times = [_asked(forgetful, scope)[1] for forgetful in people]
    if any(_found(forgetful) for forgetful in people):
        raise AssertionError("what is to be forgotten is still found")
    return {"request ms": percentile(times, 50), "request ms, slowest": max(times)}


def _asked(forgetful: Forgetful, scope: ErasureScope) -> tuple[Tombstone, float]:
    """The request with its commit, and its milliseconds: after it nothing is seen any more."""
    from consent.models import Sources
    from finclaw.erasure import forget
    from foundation.database.acting_user import acting_as

    started = perf_counter()
    with acting_as(forgetful.person.pk):
        tombstone = forget(forgetful.person, scope, "", Sources.REDACT, source="command")
    return tombstone, (perf_counter() - started) * 1000


def _found(forgetful: Forgetful) -> int:
    """How many of the person's rows a search and a list see."""
    from consent.services import permit_for
    from foundation.database.acting_user import acting_as
    from memory.models import MemoryItem, SearchEntry
    from memory.retrieval.services import search
    from memory.types import SearchQuery

    with acting_as(forgetful.person.pk):
        hits = search(permit_for(forgetful.person), SearchQuery(forgetful.words, ("item", "turn", "event"))).hits
        rows = MemoryItem.objects.exists() + SearchEntry.objects.exists()
        return len(hits) + rows


def _worked(database: str) -> Figures:
    command = [sys.executable, "-m", "bench.erasure", "--work", database]
    finished = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    figures: Figures = json.loads(finished.stdout)
    return figures


def _reread(tombstone: Tombstone) -> Tombstone:
    from consent.erasure.services import erasure_of
    from foundation.database.acting_user import acting_as

    with acting_as(tombstone.user_id):
        return erasure_of(tombstone.user_id, tombstone.pk)


def _require_untouched(others: list[User]) -> None:
    from foundation.database.acting_user import in_role
    from foundation.database.roles import OPERATOR_ROLE
    from memory.models import MemoryItem, SearchEntry

    keys = [user.pk for user in others]
    with in_role(OPERATOR_ROLE):
        for model in (MemoryItem, SearchEntry):
            if model.objects.filter(user_id__in=keys).count() < OTHERS * ITEMS_OF_OTHERS:
                raise AssertionError("somebody else lost memories")


def main() -> None:
    """Run on a scratch database, print the table, write the figures; fail over a limit."""
    parser = argument_parser(__doc__)
    add_numbers(parser, items=100_000)
    parser.add_argument("--work", metavar="DATABASE", help="run what waits there, for the measurement itself")
    arguments = parser.parse_args()
    if arguments.work:
        set_up_django()
        print(json.dumps(work(arguments.work)))
        return
    with measured_database() as database:
        figures = measure(database, arguments.items)
    publish("erasure", "Forgetting", figures)
    sys.exit(any(row.get(name, 0) > limit for row in figures.values() for name, limit in _LIMITS.items()))


if __name__ == "__main__":
    main()
