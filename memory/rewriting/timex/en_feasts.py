"""Feasts by their English names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

from memory.rewriting.timex import calendar
from memory.rewriting.timex.en_dates import STEPS
from memory.rewriting.timex.en_words import (
    year_number,
)
from memory.rewriting.timex.meanings import Meaning, Read, of_year, yearly
from memory.rewriting.timex.tokens import TokenStream, rule
from memory.rewriting.timex.types import Interval

_FEASTS: Final[dict[str, tuple[int, int]]] = {
    "christmas": (12, 25), "christmas day": (12, 25), "xmas": (12, 25), "christmas eve": (12, 24),
    "boxing day": (12, 26),
    "new year ' s eve": (12, 31), "new years eve": (12, 31), "new year eve": (12, 31), "new year ' s day": (1, 1),
    "new years day": (1, 1), "new year ' s": (1, 1), "new year": (1, 1), "valentine ' s day": (2, 14),
    "valentines day": (2, 14), "valentine ' s": (2, 14), "halloween": (10, 31), "independence day": (7, 4),
    "saint patrick": (3, 17), "st patrick": (3, 17), "st . patrick": (3, 17), "saint patrick ' s day": (3, 17),
    "st . patrick ' s day": (3, 17), "st patrick ' s day": (3, 17), "saint patricks day": (3, 17),
    "international workers ' day": (5, 1), "workers ' day": (5, 1), "may day": (5, 1),
    "earth day": (4, 22), "groundhog day": (2, 2), "groundhog ' s day": (2, 2), "veterans day": (11, 11),
    "april fools ' day": (4, 1), "april fools": (4, 1), "april fools day": (4, 1), "juneteenth": (6, 19),
    "all saints ' day": (11, 1), "cinco de mayo": (5, 5), "children ' s day": (6, 1), "white day": (3, 14),
    "pi day": (3, 14), "loyalty day": (5, 1), "girls ' day": (3, 7), "youth day": (5, 4), "teacher ' s day": (9, 10),
    "teachers ' day": (9, 10), "teachers day": (9, 10), "singles day": (11, 11), "single ' s day": (11, 11),
    "arbor day": (4, 28), "tree planting day": (3, 12), "inauguration day": (1, 20), "remembrance day": (11, 11),
    "armistice day": (11, 11), "st nicholas day": (12, 6), "flag day": (6, 14),
    "bastille day": (7, 14), "anzac day": (4, 25), "canada day": (7, 1), "australia day": (1, 26),
    "st george ' s day": (4, 23),
    "april fool ' s day": (4, 1), "international women ' s day": (3, 8),
    "all souls day": (11, 2), "epiphany": (1, 6), "guy fawkes day": (11, 5), "women ' s day": (3, 8),
}  # fmt: skip

_NTH_FEASTS: Final[dict[str, tuple[int, int, int, int]]] = {
    "thanksgiving day": (11, 3, 4, 0), "thanksgiving": (11, 3, 4, 0), "black friday": (11, 3, 4, 1),
    "cyber monday": (11, 3, 4, 4), "labor day": (9, 0, 1, 0), "memorial day": (5, 0, -1, 0),
    "mother ' s day": (5, 6, 2, 0), "mothers day": (5, 6, 2, 0), "father ' s day": (6, 6, 3, 0),
    "fathers day": (6, 6, 3, 0), "columbus day": (10, 0, 2, 0), "martin luther king day": (1, 0, 3, 0),
    "mlk day": (1, 0, 3, 0), "martin luther king jr day": (1, 0, 3, 0), "presidents day": (2, 0, 3, 0),
    "president ' s day": (2, 0, 3, 0), "presidents ' day": (2, 0, 3, 0), "us thanksgiving": (11, 3, 4, 0),
    "thanks giving day": (11, 3, 4, 0), "washington ' s birthday": (2, 0, 3, 0), "labour day": (9, 0, 1, 0),
}  # fmt: skip
"""Month, weekday, which of the month's, and days after it."""

_AROUND_EASTER: Final = {
    "easter": 0, "easter sunday": 0, "easter day": 0, "easter monday": 1, "good friday": -2, "ash wednesday": -46,
    "palm sunday": -7, "maundy thursday": -3, "easter saturday": -1,
    "pentecost": 49, "whit sunday": 49, "whit monday": 50, "ascension day": 39, "ascension": 39, "corpus christi": 60,
    "mardi gras": -47, "shrove tuesday": -47,
}  # fmt: skip


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
