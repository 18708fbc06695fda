"""What ``end`` adds to a request while the queue is full of work: a commit with it against one without.

python -m bench.end_latency --pending 10000
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING

from bench.report import publish
from bench.runner import measured_database, parse_arguments

if TYPE_CHECKING:
    from consent.permit import Permit
    from foundation.accounts.models import User
    from memory.models import Session

ROUNDS = 400
WARM_UP = 20
_BATCH = 1_000


def measure(pending: int) -> dict[str, dict[str, float]]:
    """Milliseconds of a request's transaction without ``end``, with it, and of the difference, round by round."""
    person, permit, session = _person()
    _fill_queue(person, pending)
    without, with_end, added = [], [], []
    for number in range(-WARM_UP, ROUNDS):
        bare = _timed(lambda: _request(person, session))
        ending = _timed(lambda number=number: _request(person, session, permit, f"request-{number}"))  # type: ignore[misc]
        if number >= 0:
            without.append(bare)
            with_end.append(ending)
            added.append(ending - bare)
    before, after = _percentiles(without), _percentiles(with_end)
    return {
        "without end": before,
        "with end": after,
        "added by end": {name: round(after[name] - before[name], 2) for name in before},
        "added, round by round": _percentiles(added),  # holds the noise of two commits
    }


def _request(person: User, session: Session, permit: Permit | None = None, request_id: str = "") -> None:
    """A transaction that reads its session and notes its use; with a permit it also ends a turn."""
    from foundation.database.acting_user import acting_as
    from memory.historian.services import end
    from memory.services.sessions import rename
    from memory.types import EndInput

    with acting_as(person.pk):
        rename(session, "Bench")
        if permit is not None:
            ending = EndInput(request_id, action_summary="compared two funds", new_info="prefers low fees")
            end(permit, person, session, ending)


def _timed(work: Callable[[], None]) -> float:
    started = perf_counter()
    work()
    return (perf_counter() - started) * 1000


def _percentiles(values: list[float]) -> dict[str, float]:
    from memory.evaluation.retrieval.metrics import percentile

    return {"p50 ms": round(percentile(values, 50), 2), "p95 ms": round(percentile(values, 95), 2)}


def _person() -> tuple[User, Permit, Session]:
    from bench.people import somebody
    from foundation.database.acting_user import acting_as
    from memory.services.sessions import start_session

    person, permit = somebody("bench")
    with acting_as(person.pk):
        return person, permit, start_session(permit, person)


def _fill_queue(person: User, pending: int) -> None:
    from foundation.database.acting_user import acting_as
    from foundation.outbox.services import enqueue
    from memory.historian.services import END_TOPIC

    for first in range(0, pending, _BATCH):
        with acting_as(person.pk):
            for _ in range(first, min(first + _BATCH, pending)):
                enqueue(END_TOPIC, user_id=person.pk, payload={}, wake=False)


def main() -> None:
    """Run on a scratch database, print the table, write the figures."""
    pending: int = parse_arguments(__doc__, pending=10_000).pending
    with measured_database():
        figures = measure(pending)
    publish("end_latency", f"end, {pending} jobs pending", figures)


if __name__ == "__main__":
    main()
