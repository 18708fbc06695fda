"""Messages learned from a minute, by one worker and by two, and how soon a correction is in force.

    python -m bench.evolution_throughput --data FOLDER --messages 1000

The messages are LoCoMo's, each a job of its own, dealt to people who write beside each other, or statements of which
each teaches something; the worker is a real ``qcluster`` with the product's own handlers and the offline analyzer. A
correction's time runs from the message to the moment its memory is in force, the turn included.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from typing import TYPE_CHECKING

from bench.cpu import CpuMeter
from bench.data import load_locomo
from bench.report import publish
from bench.runner import measured_database, parse_arguments, require_none

if TYPE_CHECKING:
    from foundation.accounts.models import User
    from memory.evaluation.retrieval.datasets import DatasetMemory

PEOPLE = 20
CORRECTIONS = 20  # in each language
ITEMS_A_MINUTE = 1_000
CORRECTION_LIMIT_MS = 1_000.0
PATIENCE_SECONDS = 60.0  # without anything done
LOOK_SECONDS = 0.2
HANDLERS = "finclaw.jobs.HANDLERS"
# What is said first, and what corrects it: the number makes each a matter of its own.
_SAYINGS = {
    "English": ("My favourite tea number {n} is green.", "No, my favourite tea number {n} is black, not green."),
    "Chinese": ("我最喜欢的第{n}种茶是绿茶。", "不对,我最喜欢的第{n}种茶是红茶,不是绿茶。"),
}
Figures = dict[str, dict[str, float]]


def measure(database: str, memories: Sequence[DatasetMemory], messages: int) -> Figures:
    """Observations a minute, and milliseconds until a correction holds."""
    figures: Figures = {}
    for workers in (1, 2):
        label = f"{workers} worker{'s' * (workers > 1)}"
        figures[f"{label}, conversations"] = learned(database, islice(_conversations(memories), messages), workers)
        figures[f"{label}, statements"] = learned(database, islice(statements(), messages), workers)
    return figures | corrections(database)


def _conversations(memories: Sequence[DatasetMemory]) -> Iterator[str]:
    turns = (turn for memory in memories for part in memory.parts for turn in part.turns)
    return (str(block["text"]) for turn in turns for block in turn.blocks if block.get("text"))


def statements() -> Iterator[str]:
    """Without end, in two languages, each of a matter of its own: what teaches one memory a message."""
    number = 0
    while True:
        number += 1
        yield from (first.format(n=number) for first, _ in _SAYINGS.values())


def learned(database: str, texts: Iterator[str], workers: int) -> dict[str, float]:
    """Messages a minute through so many workers, and the processor time of each. Raises ``TimeoutError`` where they
    get no further, ``AssertionError`` where a job is lost or took more than one attempt.
    """
    from bench.qcluster import qcluster

    jobs = _queue(texts)
    with qcluster(database, workers=workers, BENCH_HANDLERS=HANDLERS) as cluster:
        meter = CpuMeter(cluster)
        already = _wait_for_done(1, meter)
        started, spent = time.perf_counter(), meter.seconds
        done = _wait_for_done(jobs, meter)
        seconds, spent = time.perf_counter() - started, meter.seconds - spent
    if done != jobs or _failed():
        raise AssertionError(f"{done} of {jobs} jobs are done, {_failed()} failed")
    _clear()
    timed = max(jobs - already, 1)  # of a handful, the first look may find all
    return {
        "messages": jobs,
        "items_per_minute": round(timed / seconds * 60),
        "cpu ms": round(spent / timed * 1000, 1),
    }


def _queue(texts: Iterator[str]) -> int:
    """Everybody's messages in turns, committed and not yet worked on; answers how many."""
    from bench.people import somebody
    from consent.services import permit_for
    from foundation.accounts.models import User
    from foundation.database.acting_user import acting_as
    from memory.learning.services import observe
    from memory.services.sessions import record_messages, start_session
    from memory.types import NewMessage

    known = User.objects.count()
    people = [somebody(f"talker-{known + number}")[0] for number in range(PEOPLE)]
    sessions = {}
    for person in people:
        with acting_as(person.pk):
            sessions[person.pk] = start_session(permit_for(person), person)
    queued = 0
    for person, text in zip(cycle(people), texts, strict=False):
        with acting_as(person.pk):
            permit = permit_for(person)
            message = NewMessage.of_text("user", text, person.name)
            observe(permit, record_messages(permit, sessions[person.pk], [message]), wake=False)
        queued += 1
    return queued


def _wait_for_done(count: int, meter: CpuMeter) -> int:
    """Until so many jobs are done; answers how many are. Raises ``TimeoutError`` where nobody gets any further."""
    from foundation.outbox.worker_wakeup import wake_worker

    done, since = 0, time.monotonic()
    while done < count:
        wake_worker()  # as every new message does: a worker that has nothing to do takes part
        time.sleep(LOOK_SECONDS)
        before, done = done, _count(state="done", topic="memory.observe")
        meter.look()
        if done > before:
            since = time.monotonic()
        elif time.monotonic() - since > PATIENCE_SECONDS:
            raise TimeoutError(f"{done} of {count} jobs are done, and no more come")
    return done


def corrections(database: str) -> Figures:
    """Milliseconds from sending a correction to its being in force, with one worker waiting."""
    from bench.people import somebody
    from bench.qcluster import qcluster
    from memory.evaluation.retrieval.metrics import percentile

    figures: Figures = {}
    with qcluster(database, workers=1, BENCH_HANDLERS=HANDLERS):
        for language, sayings in _SAYINGS.items():
            person, _permit = somebody(f"corrects-{language}")
            times = [_corrected_ms(person, *sayings, number) for number in range(1, CORRECTIONS + 1)]
            ranks = {f"in force p{rank} ms": round(percentile(times, rank), 1) for rank in (50, 95)}
            figures[f"a correction, {language}"] = ranks
    return figures


def _corrected_ms(person: User, first: str, correction: str, number: int) -> float:
    from django.utils import timezone

    from consent.services import permit_for
    from finclaw.brain.turn import reply
    from finclaw.brain.types import TurnRequest
    from foundation.database.acting_user import acting_as
    from memory.services.sessions import start_session

    with acting_as(person.pk):
        session = start_session(permit_for(person), person)
    reply(person, TurnRequest(session.pk, ({"type": "text", "text": first.format(n=number)},)))
    while _count(state__in=("pending", "processing"), available_at__lte=timezone.now()):  # what is put off may wait
        time.sleep(0.01)
    started = time.perf_counter()
    reply(person, TurnRequest(session.pk, ({"type": "text", "text": correction.format(n=number)},)))
    while not _is_corrected(person, session.pk):
        if time.perf_counter() - started > 30:
            raise AssertionError("the correction was not understood")
        time.sleep(0.005)
    return (time.perf_counter() - started) * 1000


def _is_corrected(person: User, session_id: object) -> bool:
    from foundation.database.acting_user import acting_as
    from memory.models import MemoryItem

    with acting_as(person.pk):
        of_session = MemoryItem.objects.filter(source_sessions__contains=[session_id])
        return of_session.filter(superseded_at=None, version__gt=1).exists()


def _missed(figures: Figures) -> Iterator[str]:
    for label, row in figures.items():
        if row.get("items_per_minute", ITEMS_A_MINUTE) < ITEMS_A_MINUTE:
            yield label
        if row.get("in force p95 ms", 0.0) > CORRECTION_LIMIT_MS:
            yield label


def _failed() -> int:
    """Jobs that took more than one attempt, or are not done."""
    return _count(attempts__gt=1) + _count(state="failed")


def _count(**which: object) -> int:
    from foundation.database.acting_user import in_role
    from foundation.database.roles import WORKER_ROLE
    from foundation.outbox.models import OutboxMessage

    with in_role(WORKER_ROLE):  # everybody's rows; to nobody in particular the queue reads empty
        return OutboxMessage.objects.filter(**which).count()


def _clear() -> None:
    from foundation.database.acting_user import in_role
    from foundation.database.roles import WORKER_ROLE
    from foundation.outbox.models import OutboxMessage

    with in_role(WORKER_ROLE):
        OutboxMessage.objects.all().delete()


def main() -> None:
    """Run on a scratch database, print the table, write the figures; exit 1 where a limit is missed."""
    arguments = parse_arguments(__doc__, data=True, messages=1_000)
    document = load_locomo(arguments.data)
    with measured_database() as database:
        from memory.evaluation.retrieval.datasets import read_dataset

        figures = measure(database, read_dataset(document, "locomo"), arguments.messages)
    publish("evolution_throughput", "Learning from what was said", figures)
    require_none(_missed(figures))


if __name__ == "__main__":
    main()
