"""Everything embedded anew under workers killed at random: nothing lost, doubled or mixed, and search goes on.

    python -m bench.reembedding --entries 100000

Memories and messages of twenty people, one with a fifth of all, multiplied from what the product wrote with the
embedder that the settings ask for. Then another model is configured: a stand-in that costs next to nothing, or with
``--to`` one that the setting ``EMBEDDER`` names.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.random_kills import kill_until_idle
from bench.report import publish_outcome
from bench.runner import add_numbers, argument_parser, measured_database
from bench.searches import Searches, questions_of, searching_beside

if TYPE_CHECKING:
    from foundation.accounts.models import User

PEOPLE = 20
STAND_IN = "stand-in"
SAMPLE = 2_000  # entries whose vectors are made again and compared
SEARCHES_BEFORE = 200
PATIENCE_SECONDS = 4 * 3600.0
# Portraits are made by the same workers meanwhile: they are none of the entries that are counted.
_WORDS = "SELECT id, user_id, kind, live, md5(terms::text) FROM memory_searchentry WHERE kind <> 'profile' ORDER BY id"
_SHAPES = "SELECT DISTINCT model_id, vector_dims(vector), length(quantized) FROM memory_searchentry"


@dataclass(frozen=True)
class ReembeddingResult:
    """What became of the entries. ``lost``: gone, with other words than before, or without a vector of the new model
    at the end. ``doubled``: there more often than before. ``mixed``: of the new model by name, and of other
    dimensions, or among those sampled not its vector of their text. ``gave_up``: people one of whose jobs used up its
    attempts under kills, for whom an operator asked again. ``most_jobs``: of one person at a time.
    ``entries_per_second``: what the workers did under kills. ``degraded``: searches that had to do without vectors, or
    found nothing. ``behind``: those for a memory's own words that did not find it among the first eight: where others
    have their new vectors already, it may stand behind them. Times in milliseconds.
    """

    entries: int
    people: int
    workers: int
    kills: int
    attempts: int
    batches: int
    seconds: float
    entries_per_second: float
    lost: int
    doubled: int
    mixed: int
    gave_up: int
    most_jobs: int
    searches: int
    degraded: int
    behind: int
    p95_before: float
    p95_beside: float

    @property
    def holds(self) -> bool:
        """Whether every promise was kept."""
        return not (self.lost or self.doubled or self.mixed or self.degraded) and self.most_jobs <= 1


def run(
    database: str, entries: int, *, workers: int = 2, kill_every: float = 1.0, seed: int = 0, to: str = STAND_IN,
    most_kills: int | None = None,
) -> ReembeddingResult:  # fmt: skip
    """Fill ``database``, change the model, kill workers until all came to rest, and look at every entry.

    ``kill_every`` is the mean pause between kills in seconds, drawn at random. Django's default connection must point
    at the same database.
    """
    people = _fill(database, entries)
    before = _rows(database, _WORDS)
    with _changed_to(to) as handlers:
        questions = questions_of(people)
        quiet = Searches(questions)
        for _ in range(SEARCHES_BEFORE):
            quiet.search()
        started, most_jobs = time.monotonic(), [_begin()]
        with searching_beside(questions) as searches:
            kills = kill_until_idle(
                database, workers=workers, kill_every=kill_every, seed=seed, handlers=handlers, most_kills=most_kills,
                between=lambda: most_jobs.append(_most_jobs()), patience=PATIENCE_SECONDS,
            )  # fmt: skip
        seconds, embedded = time.monotonic() - started, len(before) - _left()
        gave_up = _ask_again()
        after = _rows(database, _WORDS)
        figures = {
            "lost": len(set(before) - set(after)) + _left(),
            "doubled": len(after) - len(set(after)) + len({row[0] for row in after} - {row[0] for row in before}),
            "mixed": _misshapen(database) + _mistaken(people),
        }
    return ReembeddingResult(
        entries=len(before),
        people=len(people),
        workers=workers,
        kills=kills,
        seconds=round(seconds, 1),
        entries_per_second=round(embedded / seconds, 1),
        gave_up=gave_up,
        most_jobs=max(most_jobs),
        searches=len(searches.times),
        degraded=quiet.degraded + searches.degraded,
        behind=searches.behind,
        p95_before=quiet.p95,
        p95_beside=searches.p95,
        **figures,
        **_work(),
    )


def _fill(database: str, entries: int) -> list[User]:
    from django.conf import settings

    from bench.people import somebody
    from bench.row_multiplication import multiply_items, multiply_messages, one_of_each, settle
    from foundation.database.embedded_server import EmbeddedServer

    made = [somebody(f"reembedded-{number}") for number in range(PEOPLE)]
    people = [person for person, _ in made]
    models = one_of_each(*made[0])
    with EmbeddedServer(settings.DATA_DIR).connect(database) as superuser:
        superuser.autocommit = True
        multiply_messages(superuser, models, people[0].pk, entries // 5)
        multiply_items(superuser, models, [person.pk for person in people], entries * 4 // 5 // PEOPLE)
        settle(superuser)
    return people


@contextmanager
def _changed_to(to: str) -> Iterator[str]:
    """The model is another in this process, and in workers that run the handlers answered."""
    from django.test import override_settings

    from bench.stand_in import stand_in_configured

    change: AbstractContextManager[Any] = stand_in_configured() if to == STAND_IN else override_settings(EMBEDDER=to)
    if to != STAND_IN:
        os.environ["EMBEDDER"] = to
    with change:
        yield "bench.stand_in_handlers.HANDLERS" if to == STAND_IN else "finclaw.jobs.HANDLERS"


def _begin() -> int:
    from memory.indexing.reembedding import BACKLOG, queue_waiting

    queue_waiting()
    assert BACKLOG.queue_now() == 0  # twice at once: nobody gets a second job
    return _most_jobs()


def _most_jobs() -> int:
    """How many jobs that wait or run the person with most of them has."""
    from django.db.models import Count

    rows = _jobs(state__in=["pending", "processing"]).values_list("user_id").annotate(jobs=Count("pk"))
    return _as_worker(lambda: max((jobs for _, jobs in rows.order_by()), default=0))


def _ask_again() -> int:
    """What an operator does where a job used up its attempts; this time nobody kills the worker. Answers for whom."""
    from foundation.outbox.tasks import drain
    from memory.indexing.reembedding import BACKLOG

    queued = BACKLOG.queue_now()
    drain()
    return queued


def _jobs(**fields: object) -> Any:
    from foundation.outbox.models import OutboxMessage
    from memory.indexing.reembedding import REEMBED_TOPIC

    return OutboxMessage.objects.filter(topic=REEMBED_TOPIC, **fields)


def _as_worker(read: Callable[[], int]) -> int:
    from foundation.database.acting_user import in_role
    from foundation.database.roles import WORKER_ROLE

    with in_role(WORKER_ROLE):
        return read()


def _work() -> dict[str, int]:
    from django.db.models import Sum

    attempts = _as_worker(lambda: _jobs().aggregate(sum=Sum("attempts"))["sum"])
    return {"attempts": attempts, "batches": _as_worker(lambda: _jobs(state="done").count())}


def _rows(database: str, statement: str) -> list[tuple[Any, ...]]:
    from django.conf import settings

    from foundation.database.embedded_server import EmbeddedServer

    with EmbeddedServer(settings.DATA_DIR).connect(database) as superuser:
        return superuser.execute(statement.encode()).fetchall()


def _left() -> int:
    from foundation.database.acting_user import in_role
    from foundation.database.roles import OPERATOR_ROLE
    from memory.indexing.reembedding import count_waiting

    with in_role(OPERATOR_ROLE):
        return count_waiting()


def _misshapen(database: str) -> int:
    """How many shapes entries of the new model have beside its own."""
    from foundation.embeddings import configured_embedder

    embedder = configured_embedder()
    shapes = {tuple(shape) for name, *shape in _rows(database, _SHAPES) if name == embedder.model_id}
    return len(shapes - {(embedder.dimensions, embedder.dimensions)})


def _mistaken(people: Sequence[User]) -> int:
    """Among so many entries those whose vector is not the configured model's of their text."""
    return sum(_mistaken_of(person, SAMPLE // len(people)) for person in people)


def _mistaken_of(person: User, count: int) -> int:
    import numpy as np

    from foundation.database.acting_user import acting_as
    from foundation.embeddings import configured_embedder
    from memory.indexing.embedding import texts_of
    from memory.models import SearchEntry

    with acting_as(person.pk):
        stored = dict(SearchEntry.objects.order_by("bloom", "pk").values_list("pk", "vector")[:count])
        texts = texts_of(SearchEntry.objects.filter(pk__in=stored), since=0)
    made = configured_embedder().embed_passages([texts[key] for key in stored])
    pairs = zip(stored.values(), made, strict=True)
    return sum(vector is None or not np.allclose(vector, expected, atol=0.002) for vector, expected in pairs)


def main() -> None:
    """Run on a scratch database, print the table, write the figures; exit 1 where a promise was broken."""
    parser = argument_parser(__doc__)
    add_numbers(parser, entries=100_000, workers=2, kill_every=(1.0, "mean seconds between kills"), seed=0)
    parser.add_argument("--to", default=STAND_IN, help="a value of the setting EMBEDDER; a stand-in without")
    given = parser.parse_args()
    with measured_database() as database:
        outcome = run(
            database, given.entries, workers=given.workers, kill_every=given.kill_every, seed=given.seed, to=given.to
        )
    publish_outcome("reembedding", outcome)
    sys.exit(not outcome.holds)


if __name__ == "__main__":
    main()
