"""What the historian makes of real conversations, by rules and by a scripted model (issue "The historian", 1).

    python -m bench.historian --data FOLDER

The folder holds ``locomo*.json`` and ``memorybank*.json``. Every turn of a person is ended with its own words, in a
conversation with the assistant together with the answer it got, at the time it was said; the outbox's own handlers
write the events. Then ``--ends`` of the same turns go to a local server that answers well, badly, slowly or not at
all. "Well" is made of the rules' rewrite without the words the gates refuse: it shows that the gates and the guard
against inventions let sound answers to real texts pass, not how well a model writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.data import data_file
from bench.report import publish
from bench.runner import measured_database, parse_arguments, require_none

if TYPE_CHECKING:
    from bench.historian_ends import Ended
    from memory.importing.types import Format, SessionPart
    from memory.models import CognitiveEvent

FORMATS: tuple[Format, ...] = ("locomo", "memorybank")
LEAST_SUCCESS = 99.0  # percent of the ends become events
LEAST_PASSED = 99.0  # percent of a good model's events that the gates object to nowhere
Figures = dict[str, dict[str, float]]


def by_rules(path: Path, form: Format) -> tuple[dict[str, float], list[Ended]]:
    """End every turn of a document, run the historian, and count what its events hold. Answers the ends too."""
    from bench.historian_ends import end_all, events_of, work

    ends = list(end_all(_parts(path, form)))
    failed = work()
    events = events_of(ends)
    return _findings(ends, events, failed), ends


def _parts(path: Path, form: Format) -> Iterator[SessionPart]:
    from memory.importing.sources import open_source
    from memory.importing.types import SessionPart

    return (record for record in open_source(path, form).records if isinstance(record, SessionPart))


def _findings(ends: Sequence[Ended], events: Sequence[CognitiveEvent], failed: int) -> dict[str, float]:
    from memory.rewriting.absoluteness_checks import violations

    told = {end.event_id: end for end in ends}
    left = Counter(found.kind for event in events for found in violations(event.canonical_text))
    times = Counter[str]()
    for event in events:
        times += _times(told[event.event_id], event)
    return {
        "ends": len(ends),
        "events": len(events),
        "failed jobs": failed,
        "success %": round(100 * len(events) / len(ends), 2),
        "times named": times["named"],
        "times resolved": times["named"] - times["reported"] - times["unreported"],
        "times reported": times["reported"],
        "times neither": times["unreported"],
        "pronouns left": left["pronoun"],
        "places left": left["relative_place"],
        "gate passed %": round(100 * sum(not violations(event.canonical_text) for event in events) / len(events), 2),
    }


def _times(told: Ended, event: CognitiveEvent) -> Counter[str]:
    """The gates' words of time in what was said, and those in what was written, as far as the event says so."""
    from memory.rewriting.absoluteness_checks import violations

    named = [found for text in told.texts for found in violations(text) if found.kind == "relative_time"]
    written = (event.did_what, event.new_info)
    left = [found.text for text in written for found in violations(text) if found.kind == "relative_time"]
    reported = Counter(word in event.unresolved for word in left)
    return Counter({"named": len(named), "reported": reported[True], "unreported": reported[False]})


def missed(rules: Figures, models: Figures) -> Iterator[str]:
    """The limits that were not kept."""
    for label, row in rules.items():
        if row["success %"] <= LEAST_SUCCESS:
            yield f"{label}: {row['success %']} % of the ends became events"
        if row["times neither"]:
            yield f"{label}: {row['times neither']:.0f} expressions neither resolved nor reported"
    for label, row in models.items():
        if row["lost jobs"]:
            yield f"{label}: {row['lost jobs']:.0f} jobs lost"
        if row["degraded"] and not row["alerts"]:
            yield f"{label}: degraded without an alert"
        if label.startswith("well") and row["gate passed %"] <= LEAST_PASSED:
            yield f"{label}: {row['gate passed %']} % passed the gates"


def main() -> None:
    """Run on a scratch database, print the tables, write the figures; exit 1 where a limit is missed."""
    arguments = parse_arguments(__doc__, data=True, ends=(100, "turns a scripted model is asked about, each time"))
    rules: Figures = {}
    ends: list[Ended] = []
    with measured_database(durable=False):
        from bench.historian_model import by_a_model

        for form in FORMATS:
            rules[form], ended = by_rules(data_file(arguments.data, form), form)
            ends += ended[: arguments.ends // len(FORMATS)]
        models = by_a_model(ends)
    publish("historian", "The historian on real conversations, by rules", dict(_columns(rules)))
    publish("historian_model", "The historian with a scripted model", models)
    require_none(missed(rules, models), "Missed")


def _columns(figures: Figures) -> Iterator[tuple[str, dict[str, float]]]:
    """A row a figure, a column a data set: there are more figures than a line holds."""
    for name in next(iter(figures.values())):
        yield name, {label: row[name] for label, row in figures.items()}


if __name__ == "__main__":
    main()
