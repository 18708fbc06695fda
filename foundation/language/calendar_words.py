"""Months and weekdays by their names, in every language that has a folder."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from foundation.language.normalization import normalize
from foundation.language.tables import languages, tables_of


def month_number(name: str) -> int:
    """The number, from 1, of a month by its name in any language, with a full stop behind it or without.

    Raises ``KeyError`` for any other word.
    """
    return _month_numbers()[normalize(name).removesuffix(".")]


def weekday_number(name: str) -> int:
    """The number, from 0 for Monday, of a weekday by its name in any language. Raises ``KeyError`` for other words."""
    return _weekday_numbers()[normalize(name)]


def month_names(code: str) -> tuple[str, ...]:
    """The whole names of the months in a language, from January on."""
    return tuple(names[0].capitalize() for names in tables_of(code).months)


def month_pattern(code: str) -> str:
    """A pattern of any name of a month in a language, in lower case, behind which no word goes on."""
    names = sorted((name for names in tables_of(code).months for name in names), key=len, reverse=True)
    return rf"(?:{'|'.join(names)})\b"


@cache
def _month_numbers() -> dict[str, int]:
    return _positions((tables.months for tables in languages()), first=1)


@cache
def _weekday_numbers() -> dict[str, int]:
    return _positions((tables.weekdays for tables in languages()), first=0)


def _positions(years: Iterable[tuple[tuple[str, ...], ...]], first: int) -> dict[str, int]:
    numbered = (pair for year in years for pair in enumerate(year, first))
    return {normalize(name): number for number, names in numbered for name in names}
