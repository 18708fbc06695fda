"""Feasts by their English names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.timex import calendar
from memory.rewriting.timex.en_dates import STEPS
from memory.rewriting.timex.en_words import (
    year_number,
)
from memory.rewriting.timex.meanings import Meaning, Read, of_year, yearly
from memory.rewriting.timex.tokens import TokenStream, rule
from memory.rewriting.timex.types import Interval

_WORDS: Final = read_lexicon(__file__, "feasts").of("en")

_FEASTS: Final = _WORDS.read("feasts", dict[str, tuple[int, int]])

_NTH_FEASTS: Final = _WORDS.read("nth_feasts", dict[str, tuple[int, int, int, int]])
"""Month, weekday, its number within the month, and the days from then to the feast."""

_AROUND_EASTER: Final = _WORDS.numbers("around_easter")


@rule
def feast(tokens: TokenStream, at: int) -> Read | None:
    """ "Christmas", "next Easter", "Thanksgiving 2023", "Independence Day of this year"."""
    step = STEPS.get(tokens.word(at))
    start = tokens.skip(at, "the") if step is None else at + 1
    found = _feast_name(tokens, start)
    if found is None:
        return None
    in_year, end = found
    meaning = yearly(tokens, in_year, is_day=True)
    year_at = tokens.skip(tokens.skip(end, "day"), "of", "in", ",")
    if step is not None:
        return _nearest(tokens, meaning, step), end
    if tokens.word(year_at) in STEPS and tokens.word(year_at + 1) == "year":
        return of_year(meaning, tokens.now.year + STEPS[tokens.word(year_at)], is_relative=True), year_at + 2
    year = year_number(tokens, year_at)
    return (of_year(meaning, year[0]), year[1]) if year else (meaning, end)


def _nearest(tokens: TokenStream, meaning: Meaning, step: int) -> Meaning:
    """The feast of this year, or the last or the next one."""
    if step == 0:
        return of_year(meaning, tokens.now.year, is_relative=True)
    return replace(meaning, intervals=meaning.intervals[-1:] if step > 0 else meaning.intervals[:1], in_year=None)


def _feast_name(tokens: TokenStream, at: int) -> tuple[Callable[[int], Interval | None], int] | None:
    best: tuple[Callable[[int], Interval | None], int] | None = None
    for name in _STARTING.get(tokens.word(at), ()):
        end = tokens.after(at, name) or tokens.after(at, name.replace("'", "’"))
        if end is not None and (best is None or end > best[1]):
            best = _FEAST_DAYS[name], end
    return best


def _in_years(name: str) -> Callable[[int], Interval | None]:
    if name in _FEASTS:
        return lambda year: calendar.calendar_day(year, *_FEASTS[name])
    if name in _NTH_FEASTS:
        number, wanted, nth, after = _NTH_FEASTS[name]
        return lambda year: _later(calendar.nth_weekday(year, number, wanted, nth), after)
    return lambda year: _later(calendar.easter(year), _AROUND_EASTER[name])


def _later(found: Interval | None, days: int) -> Interval | None:
    return calendar.on_day((found.start + timedelta(days=days)).date()) if found and found.start else None


_FEAST_DAYS: Final = {name: _in_years(name) for name in (*_FEASTS, *_NTH_FEASTS, *_AROUND_EASTER)}

_STARTING: Final = {
    first: tuple(name for name in _FEAST_DAYS if name.split()[0] == first)
    for first in {name.split()[0] for name in _FEAST_DAYS}
}

FEAST_OPENINGS: Final = frozenset(_STARTING)
