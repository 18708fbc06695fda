"""Workers killed at random while they erase: every tombstone ends completed or with the operators, none lost.

    python -m bench.erasure_kills --people 40

An erasure whose every attempt lost its worker is escalated with the reason. An operator then sends those on again,
and a dump of the whole database is searched for the words that were to be forgotten.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.random_kills import kill_until_idle
from bench.report import publish_outcome
from bench.runner import measured_database, parse_arguments

if TYPE_CHECKING:  # models load only once Django is set up
    from bench.erasure_people import Talker
    from consent.models import Tombstone


@dataclass(frozen=True)
class ErasureKillResult:
    """What became of the erasures. ``lost``: neither completed nor escalated with a reason. ``doubled``: completed
    more than once, or escalated and completed. ``refused``: completed with a certificate that does not hold.
    ``completed_in_the_end`` and ``words_left``: after an operator sent the escalated ones on.
    """

    erasures: int
    workers: int
    kills: int
    attempts: int
    completed: int
    escalated: int
    lost: int
    doubled: int
    refused: int
    completed_in_the_end: int
    words_left: int
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether every promise was kept."""
        broken = self.lost or self.doubled or self.refused or self.words_left
        return not broken and self.completed_in_the_end == self.erasures


def run(
    database: str,
    people: int,
    *,
    workers: int = 2,
    kill_every: float = 0.5,
    seed: int = 0,
    most_kills: int | None = None,
) -> ErasureKillResult:
    """Ask for five erasures of each of ``people``, kill workers until all came to rest, and look what became of them.

    ``kill_every`` is the mean pause between kills in seconds, drawn at random; in each the clock's own sweep of
    erasures runs; after ``most_kills`` nobody is killed any more. Django's default connection must point at
    ``database``, ``ERASURE_JOURNAL`` at a file of the run's.
    """
    from bench.erasure_people import asked_of, talker
    from consent.erasure import sweep

    talkers = [talker(number) for number in range(people)]
    asked = asked_of(talkers)
    started = time.monotonic()
    kills = kill_until_idle(
        database, workers=workers, kill_every=kill_every, seed=seed, most_kills=most_kills,
        handlers="finclaw.jobs.HANDLERS", between=sweep.sweep_erasures,
    )  # fmt: skip
    sweep.sweep_erasures()
    seconds = time.monotonic() - started
    rested = _reread(asked)
    _send_on(rested)
    return _outcome(rested, _reread(asked), talkers, workers=workers, kills=kills, seconds=seconds)


def _outcome(
    rested: Sequence[Tombstone], ended: Sequence[Tombstone], talkers: Sequence[Talker], *, workers: int, kills: int,
    seconds: float,
) -> ErasureKillResult:  # fmt: skip
    states = [_states(tombstone) for tombstone in rested]
    return ErasureKillResult(
        erasures=len(rested),
        workers=workers,
        kills=kills,
        attempts=sum(state.count("processing") for state in states),
        completed=sum(tombstone.state == "completed" for tombstone in rested),
        escalated=sum(tombstone.state == "escalated" for tombstone in rested),
        lost=sum(not _came_to_an_end(tombstone) for tombstone in rested),
        doubled=sum(state.count("completed") + state.count("escalated") > 1 for state in states),
        refused=sum(not _is_certified(tombstone) for tombstone in ended if tombstone.state == "completed"),
        completed_in_the_end=sum(_states(tombstone).count("completed") == 1 for tombstone in ended),
        words_left=_words_left(talkers),
        seconds=round(seconds, 1),
    )


def _reread(asked: Sequence[Tombstone]) -> list[Tombstone]:
    from consent.models import Tombstone
    from foundation.database.acting_user import in_role
    from foundation.database.roles import OPERATOR_ROLE

    with in_role(OPERATOR_ROLE):
        return list(Tombstone.objects.filter(pk__in=[asked_for.pk for asked_for in asked]).prefetch_related("steps"))


def _states(tombstone: Tombstone) -> list[str]:
    return [step.state for step in tombstone.steps.all()]


def _came_to_an_end(tombstone: Tombstone) -> bool:
    last = list(tombstone.steps.all())[-1]
    return tombstone.state == "completed" or (tombstone.state == "escalated" and bool(last.reason))


def _is_certified(tombstone: Tombstone) -> bool:
    from consent.erasure.certificate import verify_certificate
    from consent.exceptions import CertificateInvalid

    given = {name: getattr(tombstone, name) for name in ("certificate", "signature", "public_key_id")}
    try:
        return bool(verify_certificate(given)["tombstone_id"] == str(tombstone.pk))
    except CertificateInvalid:
        return False


def _send_on(rested: Sequence[Tombstone]) -> None:
    """What an operator does with escalated ones; this time nobody kills the worker."""
    from consent.erasure.services import retry_escalated
    from foundation.outbox.tasks import drain

    for tombstone in rested:
        if tombstone.state == "escalated":
            retry_escalated(tombstone.pk, tombstone.user_id, actor_id=None)
    drain()


def _words_left(talkers: Sequence[Talker]) -> int:
    from tests.support.needles import dump

    whole = dump()
    return sum(talker.needle in whole for talker in talkers)


def main() -> None:
    """Run on a scratch database, print the table, write the figures."""
    arguments = parse_arguments(
        __doc__, people=(40, "five erasures each"), kill_every=(0.5, "mean seconds between kills"), seed=0
    )
    with measured_database() as database:
        outcome = run(database, arguments.people, kill_every=arguments.kill_every, seed=arguments.seed)
    publish_outcome("erasure_kills", outcome)
    sys.exit(not outcome.holds)


if __name__ == "__main__":
    main()
