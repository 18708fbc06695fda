"""How many machines a hundred thousand to a hundred million people need, from what a turn takes here.

    python -m bench.capacity [--people 10 --turns 30 --scale 10] [--daily-share 0.2 …]

It measures: ``people`` talk ``turns`` times each with a model that answers at once, and the worker learns; the bytes
that each table grew by, and the processor time of web, worker and PostgreSQL, are counted. Then ``scale`` times as many
people do the same in the same database, and what was predicted for them is printed beside what was measured: the run
fails when the bytes differ by more than a quarter, or the processor time of a turn by more than a half. The plan counts
cores of the machine that measured; models, their machines and their price are not in it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from itertools import cycle, islice
from time import process_time
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import psutil

from bench.capacity_model import CapacityAssumptions, MeasuredCost, plan_capacity, stored_bytes
from bench.load.talkers import read_messages
from bench.report import print_table, publish
from bench.runner import add_numbers, argument_parser, measured_database, require_none
from bench.turn_overhead import InstantModel

if TYPE_CHECKING:
    from foundation.accounts.models import User

PEOPLE = tuple(10**power for power in range(5, 9))
BYTES_MAY_DIFFER = 0.25  # a few hundred turns fill few pages of 8 KiB, and the last of each table is half empty
SECONDS_MAY_DIFFER = 0.5
_SIZES = """
    SELECT relname, pg_total_relation_size(c.oid), (SELECT n_live_tup FROM pg_stat_user_tables s WHERE s.relid = c.oid)
    FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
"""


@dataclass
class MeteredSeconds:
    """Processor time, by who took it."""

    web: float = 0.0
    worker: float = 0.0
    database: float = 0.0


@dataclass(frozen=True)
class MeasuredStage:
    """What a number of people took: bytes by table at its end, and seconds."""

    sizes: dict[str, int]
    rows: dict[str, int]
    seconds: MeteredSeconds

    @property
    def bytes(self) -> int:
        return sum(self.sizes.values())


def main() -> None:
    """Measure, predict, compare, plan."""
    arguments = _parsed()
    with measured_database(durable=False) as database:
        small, large, cost = _measure(database, arguments)
    people, turns, scale = arguments.people, arguments.turns, arguments.scale
    _print_growth(small, people * turns)
    comparison = _compare(cost, large, people * scale, turns)
    print_table(f"{scale} times as many people", comparison)
    given = CapacityAssumptions(**{field.name: getattr(arguments, field.name) for field in fields(CapacityAssumptions)})
    plans = {f"{people:,}": plan_capacity(people, cost, given).row for people in PEOPLE}
    publish("capacity", "Machines, and their price a month", plans)
    require_none(_missed(comparison), "The prediction missed")


def _parsed() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    add_numbers(parser, people=10, turns=30, scale=10)
    add_numbers(parser, **asdict(CapacityAssumptions()))
    return parser.parse_args()


def _measure(database: str, arguments: argparse.Namespace) -> tuple[MeasuredStage, MeasuredStage, MeasuredCost]:
    """The small stage, the large one, and what the small one says of a person and a turn."""
    count, turns = arguments.people, arguments.turns
    with patch("finclaw.brain.turn.configured_model", lambda *_: InstantModel()):
        _talk(make_people("warm", 1), turns)
        empty = _stage(database, MeteredSeconds())
        people = make_people("small", count)
        arrived = _stage(database, MeteredSeconds())
        small = _stage(database, _talk(people, turns))
        large = _stage(database, _talk(make_people("large", count * arguments.scale), turns))
    said = count * turns
    cost = MeasuredCost(
        person_bytes=(arrived.bytes - empty.bytes) / count,
        turn_bytes=(small.bytes - arrived.bytes) / said,
        web_core_seconds=small.seconds.web / said,
        worker_core_seconds=small.seconds.worker / said,
        database_core_seconds=small.seconds.database / said,
    )
    return _since(small, empty), _since(large, small), cost


def make_people(prefix: str, count: int) -> list[User]:
    """People who allow everything."""
    from bench.people import somebody

    return [somebody(f"{prefix}{number}")[0] for number in range(count)]


def _talk(people: Sequence[User], turns: int) -> MeteredSeconds:
    """Everybody says so many messages in one conversation, and the worker learns after each round."""
    from finclaw.brain.turn import reply
    from finclaw.brain.types import TurnRequest
    from foundation.outbox.tasks import drain

    seconds = MeteredSeconds()
    sessions = [(person, _session(person)) for person in people]
    texts = [text for texts in read_messages().values() for text in texts]
    for number, text in enumerate(islice(cycle(texts), turns)):
        with _metered(seconds, "web"):
            for person, session in sessions:
                reply(person, TurnRequest(session, ({"type": "text", "text": text.replace("{n}", str(number))},)))
        with _metered(seconds, "worker"):
            drain()
    return seconds


def _session(person: User) -> Any:
    from consent.services import permit_for
    from foundation.database.acting_user import acting_as
    from memory.services.sessions import start_session

    with acting_as(person.pk):
        return start_session(permit_for(person), person).pk


@contextmanager
def _metered(seconds: MeteredSeconds, who: str) -> Iterator[None]:
    """Add this process's time to ``who``, and that of the processes behind its connections to the database."""
    started, database_started = process_time(), _database_seconds()
    yield
    setattr(seconds, who, getattr(seconds, who) + process_time() - started)
    seconds.database += _database_seconds() - database_started


def _database_seconds() -> float:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        return sum(_process_seconds(pid) for (pid,) in cursor.fetchall())


def _process_seconds(pid: int) -> float:
    """0 where it has ended meanwhile: what one query asked to help it."""
    try:
        return float(sum(psutil.Process(pid).cpu_times()[:2]))
    except psutil.NoSuchProcess:
        return 0.0


def _stage(database: str, seconds: MeteredSeconds) -> MeasuredStage:
    from django.conf import settings

    from foundation.database.embedded_server import EmbeddedServer

    with EmbeddedServer(settings.DATA_DIR).connect(database) as connection:
        connection.execute("ANALYZE")
        found = connection.execute(_SIZES).fetchall()
    sizes, rows = ({name: row[place] for name, *row in found} for place in (0, 1))
    return MeasuredStage(sizes, rows, seconds)


def _since(stage: MeasuredStage, earlier: MeasuredStage) -> MeasuredStage:
    sizes = {name: size - earlier.sizes[name] for name, size in stage.sizes.items()}
    return replace(stage, sizes=sizes, rows={name: rows - earlier.rows[name] for name, rows in stage.rows.items()})


def _print_growth(small: MeasuredStage, turns: int) -> None:
    grown = sorted(small.sizes, key=lambda name: -small.sizes[name])
    print_table("What a turn adds", {
        name: {"rows": small.rows[name] / turns, "bytes": small.sizes[name] / turns}
        for name in grown if small.sizes[name] > 0
    })  # fmt: skip


def _compare(cost: MeasuredCost, large: MeasuredStage, people: int, turns: int) -> dict[str, dict[str, float]]:
    said = people * turns
    predicted = {
        "MiB": stored_bytes(people, turns, cost) / 2**20,
        "web ms a turn": cost.web_core_seconds * 1000,
        "worker ms a turn": cost.worker_core_seconds * 1000,
        "database ms a turn": cost.database_core_seconds * 1000,
    }
    found = {
        "MiB": large.bytes / 2**20,
        "web ms a turn": large.seconds.web / said * 1000,
        "worker ms a turn": large.seconds.worker / said * 1000,
        "database ms a turn": large.seconds.database / said * 1000,
    }
    return {
        name: {
            "predicted": predicted[name],
            "measured": found[name],
            "measured / predicted": found[name] / expected,
        }
        for name, expected in predicted.items()
    }


def _missed(comparison: dict[str, dict[str, float]]) -> Iterator[str]:
    for name, row in comparison.items():
        allowed = BYTES_MAY_DIFFER if name == "MiB" else SECONDS_MAY_DIFFER
        if abs(row["measured / predicted"] - 1) > allowed:
            yield f"{name}: {row['measured']:.3g} instead of {row['predicted']:.3g}"


if __name__ == "__main__":
    main()
