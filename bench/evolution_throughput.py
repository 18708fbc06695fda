"""Messages learned from a minute, by one worker and by two, and how soon a correction is in force (M-13, M-15).

    python -m bench.evolution_throughput --data FOLDER --messages 2000

The messages are LoCoMo's, each a job of its own, dealt to people who write beside each other; the worker is a real
``qcluster`` with the product's own handlers and the offline analyzer. A correction's time runs from the message to
the moment its memory is in force, the turn included.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import django

from bench.data import add_data_argument, load_locomo
from bench.report import publish

if TYPE_CHECKING:
    from foundation.accounts.models import User
    from memory.retrieval.evaluation.datasets import Memory

PEOPLE = 20
CORRECTIONS = 10  # in each language
ITEMS_A_MINUTE = 1_000
CORRECTION_LIMIT_MS = 1_000.0
# What is said first, and what corrects it: the number makes each a matter of its own.
_SAYINGS = {
    "English": ("My favourite tea number {n} is green.", "No, my favourite tea number {n} is black, not green."),
    "Chinese": ("我最喜欢的第{n}种茶是绿茶。", "不对,我最喜欢的第{n}种茶是红茶,不是绿茶。"),
}
Figures = dict[str, dict[str, float]]


def measure(database: str, memories: Sequence[Memory], messages: int) -> Figures:
    """Observations a minute, and milliseconds until a correction holds."""
    figures: Figures = {}
    for workers in (1, 2):
        figures[f"{workers} worker{'s' * (workers > 1)}"] = _learned(database, memories, messages, workers)
    return figures | _corrections(database)


def _learned(database: str, memories: Sequence[Memory], messages: int, workers: int) -> dict[str, float]:
    from bench.qcluster import qcluster

    jobs = _queue(memories, messages, f"w{workers}")
    with qcluster(database, workers=workers, BENCH_HANDLERS="finclaw.jobs.HANDLERS"):
        while not (already := _done()):
            time.sleep(0.01)
        started = time.perf_counter()
        while _waiting():
            time.sleep(0.05)
        seconds = time.perf_counter() - started
    if (failed := jobs - _done()) != 0:
        raise AssertionError(f"{failed} jobs are lost, doubled or failed")
    _clear()
    return {"messages": jobs, "items_per_minute": round((jobs - already) / seconds * 60)}


def _queue(memories: Sequence[Memory], messages: int, name: str) -> int:
    """Everybody's messages in turns, committed and not yet worked on; answers how many."""
    from bench.people import somebody
    from consent.services import permit_for
    from foundation.database.acting import acting_as
    from memory.evolution.services import observe
    from memory.services.sessions import record_messages, start_session
    from memory.types import NewMessage

    people = [somebody(f"{name}-{number}")[0] for number in range(PEOPLE)]
    sessions = {}
    for person in people:
        with acting_as(person.pk):
            sessions[person.pk] = start_session(permit_for(person), person)
    said = list(zip(cycle(people), _texts(memories, messages), strict=False))
    for person, text in said:
        with acting_as(person.pk):
            permit = permit_for(person)
            message = NewMessage.of_text("user", text, person.name)
            observe(permit, record_messages(permit, sessions[person.pk], [message]), wake=False)
    return len(said)


def _texts(memories: Sequence[Memory], messages: int) -> Iterator[str]:
    texts = (str(block["text"]) for memory in memories for part in memory.parts for turn in part.turns
             for block in turn.blocks if block.get("text"))  # fmt: skip
    for _, text in zip(range(messages), texts, strict=False):
        yield text


def _corrections(database: str) -> Figures:
    """From sending a correction to its being in force, with one worker waiting."""
    from bench.people import somebody
    from bench.qcluster import qcluster
    from memory.retrieval.evaluation.metrics import percentile

    figures: Figures = {}
    with qcluster(database, workers=1, BENCH_HANDLERS="finclaw.jobs.HANDLERS"):
        for language, sayings in _SAYINGS.items():
            person, _permit = somebody(f"corrects-{language}")
            times = [_corrected_ms(person, *sayings, number) for number in range(1, CORRECTIONS + 1)]
            ranks = {f"in force p{rank} ms": round(percentile(times, rank), 1) for rank in (50, 95)}
            figures[f"a correction, {language}"] = ranks
    return figures


def _corrected_ms(person: User, first: str, correction: str, number: int) -> float:
    from consent.services import permit_for
    from finclaw.brain.turn import reply
    from finclaw.brain.types import TurnRequest
    from foundation.database.acting import acting_as
    from memory.models import MemoryItem
    from memory.services.sessions import start_session

    with acting_as(person.pk):
        session = start_session(permit_for(person), person)
    reply(person, TurnRequest(session.pk, ({"type": "text", "text": first.format(n=number)},)))
    while _waiting():
        time.sleep(0.01)
    started = time.perf_counter()
    reply(person, TurnRequest(session.pk, ({"type": "text", "text": correction.format(n=number)},)))
    while True:
        with acting_as(person.pk):
            of_session = MemoryItem.objects.filter(source_sessions__contains=[session.pk])
            if of_session.filter(superseded_at=None, version__gt=1).exists():
                return (time.perf_counter() - started) * 1000
        if time.perf_counter() - started > 30:
            raise AssertionError("the correction was not understood")
        time.sleep(0.005)


def _missed(figures: Figures) -> Iterator[str]:
    for label, row in figures.items():
        if row.get("items_per_minute", ITEMS_A_MINUTE) < ITEMS_A_MINUTE:
            yield label
        if row.get("in force p95 ms", 0.0) > CORRECTION_LIMIT_MS:
            yield label


def _waiting() -> int:
    from foundation.outbox.models import OutboxMessage

    return OutboxMessage.objects.filter(state__in=("pending", "processing")).count()


def _done() -> int:
    from foundation.outbox.models import OutboxMessage

    return OutboxMessage.objects.filter(state="done", topic="memory.observe").count()


def _clear() -> None:
    from foundation.outbox.models import OutboxMessage

    OutboxMessage.objects.all().delete()


def main() -> None:
    """Run on a scratch database, print the table, write the figures; exit 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_argument(parser)
    parser.add_argument("--messages", type=int, default=2_000)
    arguments = parser.parse_args()
    document = load_locomo(arguments.data)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "finclaw.settings")
    django.setup()
    from bench.scratch import scratch_database
    from memory.retrieval.evaluation.datasets import read_dataset

    with scratch_database() as database:
        figures = measure(database, read_dataset(document, "locomo"), arguments.messages)
    publish("evolution_throughput", "Learning from what was said", figures)
    if missed := list(_missed(figures)):
        raise SystemExit(f"Too slow: {', '.join(missed)}.")


if __name__ == "__main__":
    main()
