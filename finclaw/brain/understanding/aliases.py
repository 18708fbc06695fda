"""Finds other names of what a text mentions: tickers, companies and terms of the trade, in Chinese and English."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Final

from foundation.language import CJK_RANGES, normalize
from memory.research import asset_names
from memory.research.asset_names import mainland_code

AliasGroup = frozenset[str]
"""Names that mean the same thing."""

READ_CHARACTERS: Final = 200
"""How far into a text names are looked for: a question says early what it is about."""

_DATA: Final = Path(__file__).parent / "data"
_RUN: Final = re.compile(rf"[^\s{CJK_RANGES},;:!?()\"“”，。；：！？（）、]+|[{CJK_RANGES}0-9]+")
_LONGEST_CJK: Final = 8
_MOST_WORDS: Final = 4
_SHORT_TICKER: Final = re.compile(r"(?<![A-Za-z0-9.])[A-Z]{1,3}(?![A-Za-z0-9])")


@cache
def packaged_groups() -> tuple[AliasGroup, ...]:
    """The names shipped with FinClaw: well-known assets and indices, and terms in both languages."""
    return (*_named_assets(), *_load_packaged("synonyms.tsv"))


@cache
def packaged_assets() -> tuple[AliasGroup, ...]:
    """The shipped names of well-known assets."""
    return tuple(map(frozenset, asset_names.well_known_assets()))


@cache
def _named_assets() -> tuple[AliasGroup, ...]:
    return tuple(map(frozenset, asset_names.packaged_assets()))


@cache
def _load_packaged(file: str) -> tuple[AliasGroup, ...]:
    return tuple(frozenset(line.split("\t")) for line in (_DATA / file).read_text("utf-8").splitlines())


def asset_in(text: str, more: Collection[AliasGroup] = ()) -> str:
    """The first asset that ``text`` names, spelled as there; "" for none. Knows the shipped assets and those of
    ``more``.
    """
    said = normalize(text)
    table = _table(frozenset([*_named_assets(), *more]))
    groups = (group for key in [*_spans(said), *_SHORT_TICKER.findall(text)] for group in table.get(key, ()))
    first: AliasGroup = next(groups, frozenset())
    named = (name for name in first if normalize(name) in said or (mainland_code(name) or name) in said)
    return max(named, key=len, default="")


def other_names(text: str, more: Collection[AliasGroup] = ()) -> tuple[str, ...]:
    """The other names of everything ``text`` mentions, in the order of mention, without those that stand in it.

    Knows the shipped groups and ``more``. Case does not matter, but for tickers of up to three letters, which may also
    be words (MA, KO).
    """
    read = text[:READ_CHARACTERS]
    said = normalize(read)
    tables = _tables(frozenset(more))
    keys = [*_spans(said), *_SHORT_TICKER.findall(read)]
    groups = dict.fromkeys(group for key in keys for table in tables for group in table.get(key, ()))
    return tuple(name for group in groups for name in sorted(group) if normalize(name) not in said)


AliasTable = Mapping[str, tuple[AliasGroup, ...]]


def _tables(more: frozenset[AliasGroup]) -> tuple[AliasTable, ...]:
    packaged = _table(frozenset(packaged_groups()))
    return (packaged, _table(more)) if more else (packaged,)


@lru_cache(maxsize=64)
def _table(groups: frozenset[AliasGroup]) -> AliasTable:
    """The groups by each of their names, in the spelling of ``_keys``."""
    table: dict[str, tuple[AliasGroup, ...]] = {}
    for group in sorted(groups, key=sorted):
        for key in {key for name in group for key in _keys(name)}:
            table[key] = (*table.get(key, ()), group)
    return table


def _keys(name: str) -> Iterator[str]:
    """Spellings to look a name up by: a short ticker as written, others normalized; a mainland stock code also without
    its exchange.
    """
    yield name if _SHORT_TICKER.fullmatch(name) else normalize(name)
    if code := mainland_code(name):
        yield code


def _spans(normalized: str) -> Iterator[str]:
    """Every stretch of the text that may be a name: up to four words, or up to eight Chinese characters."""
    runs = [run.group().strip(".'’$") for run in _RUN.finditer(normalized)]
    for place, run in enumerate(runs):
        yield from accumulate(runs[place : place + _MOST_WORDS], lambda left, right: f"{left} {right}")
        if not run.isascii():
            yield from _run_parts(run)


def _run_parts(run: str) -> list[str]:
    return [
        run[first:last]
        for first in range(len(run))
        for last in range(first + 2, min(first + _LONGEST_CJK, len(run)) + 1)
    ]
