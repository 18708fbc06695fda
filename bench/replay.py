"""Real conversations through the whole of learning, and what stands in memory afterwards.

    python -m bench.replay --data FOLDER

The folder holds ``locomo*.json`` and ``memorybank*.json``. Every message comes in by the importer's door and is
learned by the outbox's own handlers with the offline analyzer. Then everybody is told what is remembered of them,
in turns whose prompt carries it, and repeats it; nothing of that may be learned. ``--sample 100 --read FILE`` writes
as many learned items, drawn by ``--seed``, each with the message it came from, for somebody to read.
"""

from __future__ import annotations

import csv
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.data import add_data_argument, data_file
from bench.report import publish
from bench.runner import add_numbers, argument_parser, measured_database, require_none

if TYPE_CHECKING:
    from bench.learning_audit import AuditedPerson
    from memory.importing.types import Format

FORMATS: tuple[Format, ...] = ("locomo", "memorybank")
MOST_NEAR_DUPLICATES = 0.01  # of the items in force
Figures = dict[str, dict[str, float]]


def measure(data: Path) -> tuple[Figures, list[AuditedPerson]]:
    """Everything said, learned; then everything learned, repeated. Answers the people with it."""
    from bench.learning_audit import findings, heard
    from bench.replay_echoes import repeat

    figures: Figures = {}
    everybody: list[AuditedPerson] = []
    for form in FORMATS:
        people = heard(data_file(data, form), form)
        row = {"messages": sum(len(person.said) for person in people)} | findings(people)
        row |= {"CPU ms a message": _milliseconds(people)} | repeat(people)
        figures[form] = row
        everybody += people
    return figures | {"together": _summed(figures)}, everybody


def _summed(figures: Figures) -> dict[str, float]:
    names = next(iter(figures.values()))
    total = {name: sum(row[name] for row in figures.values()) for name in names}
    per_message = sum(row["CPU ms a message"] * row["messages"] for row in figures.values()) / total["messages"]
    return total | {"CPU ms a message": round(per_message, 3)}


def _milliseconds(people: Sequence[AuditedPerson]) -> float:
    from memory.evolution.rule_analyzer import analyze
    from memory.learning.preceding_messages import utterance_of

    said = [utterance_of(event, previous) for person in people for event, previous in person.said]
    started = time.process_time()
    for utterance in said:
        analyze(utterance)
    return round((time.process_time() - started) * 1000 / len(said), 3)


def _by_figure(figures: Figures) -> Figures:
    """A row a figure, a column a data set: there are more figures than a line holds."""
    return {name: {label: row[name] for label, row in figures.items()} for name in figures["together"]}


def missed(figures: Figures) -> Iterator[str]:
    """The limits that were not kept by everybody's memories together."""
    row = figures["together"]
    for name in ("exact duplicates", "untraceable", "learned from injected"):
        if row[name]:
            yield f"{row[name]:.0f} {name}"
    for name in ("near, gateway", "near, governor", "near, Jaccard"):
        if row[name] >= MOST_NEAR_DUPLICATES * row["items"]:
            yield f"{row[name]:.0f} duplicates ({name})"


def write_sample(people: Sequence[AuditedPerson], size: int, seed: int, path: Path) -> None:
    """A table of learned items with the message of each, in the order they were drawn."""
    learned = [(person, item) for person in people for item in person.learned]
    drawn = random.Random(seed).sample(learned, min(size, len(learned)))
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t")
        table.writerow(("number", "person", "state", "rule", "slot", "polarity", "valid at", "content", "message"))
        for number, (person, item) in enumerate(drawn, 1):
            told = item.attributes
            table.writerow((
                number, person.user.name, item.state, item.provenance_detail["rule"], told["slot"], told["polarity"],
                item.valid_at.date(), item.content, " ".join(person.message_of(item).split()),
            ))  # fmt: skip


def main() -> None:
    """Run on a scratch database, print the table, write the figures; exit 1 where a limit is missed."""
    parser = argument_parser(__doc__)
    add_data_argument(parser)
    add_numbers(parser, sample=(100, "how many items --read writes"), seed=1)
    parser.add_argument("--read", type=Path, help="write a sample of what was learned to this file")
    arguments = parser.parse_args()
    with measured_database(durable=False):
        figures, people = measure(arguments.data)
    publish("replay", "What real conversations leave in memory", _by_figure(figures))
    if arguments.read:
        write_sample(people, arguments.sample, arguments.seed, arguments.read)
    require_none(missed(figures), "Missed")


if __name__ == "__main__":
    main()
