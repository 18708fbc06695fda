"""Workers killed at random while they learn: each message taught once, none lost, none doubled.

    python -m bench.learning_kills --messages 1000

The product's own handlers and offline analyzer. Every message states a matter of its own, in Chinese or in English;
the people write beside each other, so that two workers meet over one person.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING
from uuid import UUID

from bench.random_kills import kill_until_idle
from bench.report import publish_outcome
from bench.runner import measured_database, parse_arguments

if TYPE_CHECKING:  # models load only once Django is set up
    from foundation.outbox.models import OutboxMessage

PEOPLE = 9  # an odd number: everybody says things in both languages
SAYINGS = ("My favourite tea number {n} is green.", "我最喜欢的第{n}种茶是绿茶。")


@dataclass(frozen=True)
class LearningKillResult:
    """What became of the messages. ``learned``: their job is done, and they have one search entry and one memory, open
    and added once. ``doubled``: more than one memory, in force or not, or one added more than once. ``gave_up``: a
    worker was killed under each of the job's attempts, so it stands, without effect, in the dead letters. ``lost``:
    anything else. ``unaccounted``: memories that no message here taught. ``learned_in_the_end``: after an operator sent
    the dead letters on again.
    """

    messages: int
    workers: int
    kills: int
    attempts: int
    learned: int
    lost: int
    doubled: int
    gave_up: int
    unaccounted: int
    seconds: float
    learned_in_the_end: int

    @property
    def holds(self) -> bool:
        """Whether every promise was kept."""
        broken = self.lost or self.doubled or self.unaccounted
        return not broken and self.learned_in_the_end == self.messages


@dataclass(frozen=True)
class Traces:
    """What the database shows, counted by the message it goes back to."""

    added: Counter[str]
    memories: Counter[str]
    open: Counter[str]
    indexed: frozenset[str]


@dataclass(frozen=True)
class Seen:
    """The jobs, and the messages by what became of them."""

    rows: Sequence[OutboxMessage]
    messages: frozenset[str]
    learned: frozenset[str]
    doubled: frozenset[str]
    without_effect: frozenset[str]
    unaccounted: frozenset[str]


def run(
    database: str,
    messages: int,
    *,
    workers: int = 2,
    kill_every: float = 0.2,
    seed: int = 0,
    most_kills: int | None = None,
) -> LearningKillResult:
    """Queue ``messages`` in ``database``, kill workers until all came to rest, and look what was learned.

    ``kill_every`` is the mean pause between kills in seconds, drawn at random; after ``most_kills`` they end.
    Django's default connection must point at the same database.
    """
    jobs = _queue(messages)
    started = time.monotonic()
    kills = kill_until_idle(
        database,
        workers=workers,
        kill_every=kill_every,
        seed=seed,
        most_kills=most_kills,
        handlers="finclaw.jobs.HANDLERS",
    )
    seconds = time.monotonic() - started
    rested = _seen(jobs)
    _send_on(rested)
    return _outcome(rested, _seen(jobs), workers=workers, kills=kills, seconds=seconds)


def _queue(messages: int) -> list[UUID]:
    from bench.people import somebody
    from consent.services import permit_for
    from foundation.database.acting_user import acting_as
    from memory.learning.services import observe
    from memory.services.sessions import record_messages, start_session
    from memory.types import NewMessage

    people = [somebody(f"learner-{number}")[0] for number in range(PEOPLE)]
    sessions = {}
    for person in people:
        with acting_as(person.pk):
            sessions[person.pk] = start_session(permit_for(person), person)
    jobs = []
    for number, person, saying in zip(range(messages), cycle(people), cycle(SAYINGS), strict=False):
        with acting_as(person.pk):
            permit = permit_for(person)
            said = NewMessage.of_text("user", saying.format(n=number), person.name)
            queued = observe(permit, record_messages(permit, sessions[person.pk], [said]), wake=False)
        assert queued is not None
        jobs.append(queued.pk)
    return jobs


def _seen(jobs: Sequence[UUID]) -> Seen:
    rows, traces = _rows(jobs), _traces()
    of_jobs = {row.pk: str(row.payload["messages"][0]) for row in rows}
    once = {key for key in traces.indexed if traces.added[key] == traces.memories[key] == traces.open[key] == 1}
    return Seen(
        rows=rows,
        messages=frozenset(of_jobs.values()),
        learned=frozenset(of_jobs[row.pk] for row in rows if row.state == row.State.DONE) & once,
        doubled=frozenset(key for key in of_jobs.values() if max(traces.added[key], traces.memories[key]) > 1),
        without_effect=frozenset(of_jobs.values()) - traces.memories.keys() - traces.indexed,
        unaccounted=frozenset(traces.memories.keys() - set(of_jobs.values())),
    )


def _send_on(rested: Seen) -> None:
    """As an operator would."""
    from foundation.database.acting_user import in_role
    from foundation.database.roles import OPERATOR_ROLE
    from foundation.outbox.services import retry_failed
    from foundation.outbox.tasks import drain

    with in_role(OPERATOR_ROLE):
        retry_failed([row.pk for row in rested.rows])
    drain()


def _outcome(rested: Seen, ended: Seen, *, workers: int, kills: int, seconds: float) -> LearningKillResult:
    gave_up = {str(row.payload["messages"][0]) for row in rested.rows if _used_up(row)} & rested.without_effect
    return LearningKillResult(
        messages=len(rested.rows),
        workers=workers,
        kills=kills,
        attempts=sum(row.attempts for row in rested.rows),
        learned=len(rested.learned),
        lost=len(rested.messages - rested.learned - rested.doubled - gave_up),
        doubled=len(rested.doubled | ended.doubled),
        gave_up=len(gave_up),
        unaccounted=len(rested.unaccounted | ended.unaccounted),
        seconds=round(seconds, 1),
        learned_in_the_end=len(ended.learned),
    )


def _used_up(row: OutboxMessage) -> bool:
    return (row.state, row.attempts, row.error_class) == (row.State.FAILED, row.max_attempts, "WorkerDied")


def _rows(jobs: Sequence[UUID]) -> list[OutboxMessage]:
    from foundation.database.acting_user import in_role
    from foundation.database.roles import WORKER_ROLE
    from foundation.outbox.models import OutboxMessage

    with in_role(WORKER_ROLE):
        rows = list(OutboxMessage.objects.filter(pk__in=jobs))
    assert len(rows) == len(jobs)  # nobody deletes what is not yet old
    return rows


def _traces() -> Traces:
    from foundation.database.acting_user import in_role
    from foundation.database.roles import OPERATOR_ROLE
    from memory.models import EvolutionEvent, MemoryItem, SearchEntry

    with in_role(OPERATOR_ROLE):
        items = list(MemoryItem.objects.all())
        sources = {item.pk: key for item in items for key in item.provenance_detail["message_ids"]}
        added = EvolutionEvent.objects.filter(action="added").values_list("item_id", flat=True)
        turns = SearchEntry.objects.filter(kind="turn", vector__isnull=False).values_list("pk", flat=True)
        return Traces(
            added=Counter(sources[key] for key in added),
            memories=Counter(key for item in items for key in item.provenance_detail["message_ids"]),
            open=Counter(sources[item.pk] for item in items if item.superseded_at is None),
            indexed=frozenset(map(str, turns)),
        )


def main() -> None:
    """Run on a scratch database, print the table, write the figures; exit 1 where a promise was broken."""
    arguments = parse_arguments(__doc__, messages=1_000, kill_every=(0.2, "mean seconds between kills"), seed=0)
    with measured_database() as database:
        outcome = run(database, arguments.messages, kill_every=arguments.kill_every, seed=arguments.seed)
    publish_outcome("learning_kills", outcome)
    sys.exit(not outcome.holds)


if __name__ == "__main__":
    main()
