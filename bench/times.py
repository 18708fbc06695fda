"""How many expressions of time are resolved exactly, by type, and whether any is resolved wrongly.

    python -m bench.times FILE… [--misses] [--half read|unread]

Each file is a list of cases of Recognizers-Text's ``Specs/DateTime/*/DateTimeModel.json``: an ``Input``, the clock it
is said by (``Context``) and every expression in it with the values it may have.

An expression is *exact* where the values found are those of the specification, to the second, all of them and no other:
for a day its date, for a stretch its first and its last moment, for a duration its seconds; for what the words leave
open ("on Friday") every reading, and for a day that does not exist none. It is *coarser* where it was placed in a
stretch that holds the value ("in August 2018" for "two months ago"), *left* where nothing was found. It is *wrong*
where the reader says that it is sure and the value is none of the specification's; also where there is no expression
at all. Times of any day ("at five") and recurrences ("every Sunday") name no day that a memory could state: they are
counted below the line.

``written`` is what the historian writes (``with_absolute_times`` and its like), ``parsed`` what the parser reads. The
cases are halved by the hash of their input; the grammar was written with one half unread.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal

from bench.report import publish
from bench.runner import set_up_django
from foundation.language import (
    Language,
    month_names,
)

ASKED: Final = ("date", "daterange", "datetime", "datetimerange", "duration")
NO_CLOCK: Final = "2016-11-07T00:00:00"
"""What the specification takes where a case names no clock."""
Values = frozenset[tuple[str, ...]]
Outcome = Literal["exact", "coarser", "other", "left", "wrong"]
_MONTHS: Final = month_names("en")
_DATE: Final = rf"(?P<day>\d{{1,2}}) (?P<month>{'|'.join(_MONTHS)}) (?P<year>\d{{4}})"
_WRITTEN: Final = re.compile(
    rf"(?P<clock>\d\d:\d\d) on {_DATE}$|(?P<days>the week of |the weekend of )?{_DATE}$"
    .replace("<day>", "<day_>", 1).replace("<month>", "<month_>", 1).replace("<year>", "<year_>", 1)
    + rf"|(?P<alone>{'|'.join(_MONTHS)}) (?P<of>\d{{4}})$|Q(?P<quarter>[1-4]) (?P<in>\d{{4}})$|(?P<only>\d{{4}})$"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """What a reader makes of the words ``[start, end)``."""

    start: int
    end: int
    values: Values
    is_sure: bool


@dataclass(frozen=True, slots=True)
class Expected:
    """An expression of a case, its type and its values: none for what has no date of its own."""

    start: int
    end: int
    type: str
    values: Values


@dataclass(frozen=True, slots=True)
class DatedCase:
    """A sentence, its clock and what it holds."""

    text: str
    now: datetime
    language: Language
    expected: tuple[Expected, ...]

    @property
    def half(self) -> str:
        """The half of the cases that this one belongs to."""
        return "unread" if int(hashlib.sha256(self.text.encode()).hexdigest(), 16) % 2 else "read"


Reader = Callable[[DatedCase], list[Found]]


def cases_of(path: Path) -> Iterator[DatedCase]:
    """The cases of a file; its language is that of its name."""
    language: Language = "zh" if "_zh" in path.stem else "en"
    for case in json.loads(path.read_text(encoding="utf-8-sig")):
        now = datetime.fromisoformat(case.get("Context", {}).get("ReferenceDateTime", NO_CLOCK))
        yield DatedCase(case["Input"], now.replace(tzinfo=UTC), language, tuple(_expected(case["Results"])))


def _expected(results: Iterable[dict[str, Any]]) -> Iterator[Expected]:
    for result in results:
        kind = (result.get("TypeName") or result["Typename"]).rpartition(".")[2]
        values = frozenset(_value(value) for value in result["Resolution"]["values"] if value)
        yield Expected(result["Start"], result["End"] + 1, kind, values - {()})


def _value(value: dict[str, Any]) -> tuple[str, ...]:
    """``(value,)`` of a day, ``(start, end)`` of a stretch, () for what is "not resolved"."""
    if "start" in value or "end" in value:
        return _instant(value.get("start", "")), _instant(value.get("end", ""))
    return () if value["value"] == "not resolved" else (_instant(value["value"]),)


def _instant(written: str) -> str:
    """A date and its first moment are one: "2016-11-07"."""
    return written.removesuffix(" 00:00:00")


def parsed(case: DatedCase) -> list[Found]:
    """What the parser reads."""
    from memory.rewriting.timex.reader import read_times

    return [
        Found(found.start, found.end, frozenset(_values_of(found)), found.is_sure)
        for found in read_times(case.text, case.now, case.language)
    ]


def _values_of(found: Any) -> Iterator[tuple[str, ...]]:
    if found.length is not None:
        yield (f"{found.length.total_seconds():.10g}",)
    for interval in found.intervals:
        if found.kind in {"date", "datetime"}:
            yield (_shown(interval.start),)
        else:
            yield _shown(interval.start), _shown(interval.end)


def _shown(moment: datetime | None) -> str:
    return _instant(f"{moment:%Y-%m-%d %H:%M:%S}") if moment else ""


def written(case: DatedCase) -> list[Found]:
    """What the historian writes, read back."""
    from memory.rewriting.rule_rewriter import rewrite_by_rules
    from memory.rewriting.types import Draft, EventClock

    clock = EventClock(case.now, "UTC", language="en")
    found = rewrite_by_rules(Draft("", case.text, "Alice", "FinClaw"), clock).resolved
    places = ((case.text.find(said), said, _read_back(stand_in)) for said, stand_in in found)
    return [Found(at, at + len(said), frozenset([value]), True) for at, said, value in places if at >= 0 and value]


def _read_back(words: str) -> tuple[str, ...]:
    """The value of "in the week of 1 May 2023"; () for what has none."""
    match = _WRITTEN.search(words)
    if match is None:
        return ()
    if match["clock"]:
        return (_instant(f"{_day(match['day_'], match['month_'], match['year_']):%Y-%m-%d} {match['clock']}:00"),)
    if match["day"]:
        first = _day(match["day"], match["month"], match["year"])
        length = {"the week of ": 7, "the weekend of ": 2}.get(match["days"] or "")
        return (_shown(first), _shown(first + timedelta(days=length))) if length else (_shown(first),)
    year = int(match["of"] or match["in"] or match["only"])
    month = _MONTHS.index(match["alone"]) + 1 if match["alone"] else 3 * int(match["quarter"] or 1) - 2
    months = 1 if match["alone"] else 3 if match["quarter"] else 12
    last = year * 12 + month - 1 + months
    return _shown(datetime(year, month, 1, tzinfo=UTC)), _shown(datetime(last // 12, last % 12 + 1, 1, tzinfo=UTC))


def _day(day: str, month: str, year: str) -> datetime:
    return datetime(int(year), _MONTHS.index(month) + 1, int(day), tzinfo=UTC)


READERS: Final[dict[str, Reader]] = {"written": written, "parsed": parsed}


def judged(case: DatedCase, found: list[Found]) -> Iterator[tuple[str, Outcome]]:
    """The outcome of each expression with its type; "none" is the type of what was read where nothing stands."""
    for expected in case.expected:
        near = [item for item in found if item.start < expected.end and item.end > expected.start]
        yield expected.type, _outcome(expected, near)
    for item in found:
        if item.is_sure and item.values and not any(
            item.start < expected.end and item.end > expected.start for expected in case.expected
        ):  # fmt: skip
            yield "none", "wrong"


def _outcome(expected: Expected, near: list[Found]) -> Outcome:
    values = [item.values for item in near if item.values]
    if expected.values in values or not (expected.values or values):
        return "exact"
    if not values:
        return "left"
    if any(_holds(value, inner) for found in values for value in found for inner in expected.values):
        return "coarser"
    sure = (item for item in near if item.is_sure and item.values)
    return "wrong" if any(not item.values & expected.values for item in sure) else "other"


def _holds(value: tuple[str, ...], inner: tuple[str, ...]) -> bool:
    """Whether a stretch has a narrower time within it."""
    if len(value) != len(("start", "end")) or value == inner or not all((*value, *inner)):
        return False
    return value[0] <= inner[0] and inner[-1] <= value[1]


def figures_of(outcomes: Counter[tuple[str, Outcome]]) -> dict[str, dict[str, float]]:
    """A row for each type, one for all that is asked, one for what stands nowhere."""
    rows: dict[str, dict[str, float]] = {}
    kinds = sorted({kind for kind, _ in outcomes})
    for label, members in [("asked", ASKED), *((kind, (kind,)) for kind in kinds)]:
        counted = Counter[str]()
        for (kind, outcome), times in outcomes.items():
            if kind in members:
                counted[outcome] += times
        total = counted.total()
        share = {"expressions": total, "exact %": round(100 * counted["exact"] / total, 1)} if total else {}
        rows[label] = share | {outcome: counted[outcome] for outcome in ("coarser", "other", "left", "wrong")}
    return rows


def main() -> None:
    """Print a table for each file, reader and half; with ``--misses`` what was not exact."""
    parser = argparse.ArgumentParser(prog="python -m bench.times", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--reader", choices=READERS, action="append")
    parser.add_argument("--half", choices=["read", "unread"], action="append")
    parser.add_argument("--misses", action="store_true", help="print what was not exact, of the read half alone")
    options = parser.parse_args()
    set_up_django()
    for path in options.files:
        for name in options.reader or READERS:
            for half in options.half or ["read", "unread"]:
                _measure(path, name, half, with_misses=options.misses and half == "read")


def _measure(path: Path, name: str, half: str, *, with_misses: bool) -> None:
    outcomes = Counter[tuple[str, Outcome]]()
    for case in (case for case in cases_of(path) if case.half == half):
        found = READERS[name](case)
        judgements = list(judged(case, found))
        outcomes.update(judgements)
        if with_misses and any(outcome != "exact" for kind, outcome in judgements if kind in (*ASKED, "none")):
            _print_miss(case, found, judgements)
    title = f"{path.stem}, {name}, the {half} half"
    publish(f"times_{path.stem}_{name}_{half}", title, figures_of(outcomes))


def _print_miss(case: DatedCase, found: list[Found], judgements: list[tuple[str, Outcome]]) -> None:
    print(f"{case.text}  @ {case.now:%Y-%m-%dT%H:%M}  {[outcome for _, outcome in judgements]}")
    for expected in case.expected:
        print(f"    wanted {case.text[expected.start : expected.end]!r} {expected.type} {sorted(expected.values)}")
    for item in found:
        sure = "surely" if item.is_sure else "perhaps"
        print(f"    {sure} {case.text[item.start : item.end]!r} {sorted(item.values)}")


if __name__ == "__main__":
    main()
