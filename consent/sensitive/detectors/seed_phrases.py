"""Finds seed phrases (BIP-39) in English and Chinese, by the word lists and checksum of Trezor's ``mnemonic``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Final

from mnemonic import Mnemonic

from consent.sensitive.nearby_words import REACH, stands_before, word_pattern
from consent.sensitive.types import Finding, SensitiveKind
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

LENGTHS = (24, 21, 18, 15, 12)  # words; the longest first
_SHORTEST = LENGTHS[-1]
_LONGEST_ROW = 96  # a longer row contains a valid phrase by chance: one checksum in sixteen holds
_ENGLISH_WORD = re.compile("[A-Za-z]+")
_NUMBERED = re.compile(r"(?<![0-9])1[.)] ?$")
_GAPS = " \n\t,;、"
_SPACED = _WORDS.of("zh").pattern("spaced")
_CHINESE_WORD = _WORDS.of("zh").pattern("chinese_word")
_UNSPACED = _WORDS.of("zh").pattern("unspaced")
_CALLED = word_pattern(
    "seed", "mnemonic", "recovery", "backup", "助记词", "助記詞", "种子", "種子", "短语", "短語", "註記詞", "注记词"
)
_CHINESE = ("chinese_simplified", "chinese_traditional")


class _IndexedWordList(list[str]):
    """A word list with constant-time ``index``, which the library calls for each word."""

    def __init__(self, listed: Sequence[str]) -> None:
        super().__init__(listed)
        self.places = {word: place for place, word in enumerate(listed)}

    def index(self, word: str, *_: object) -> int:
        return self.places[word]


def find(text: str) -> Iterator[Finding]:
    """Phrases whose checksum holds; where they are called a seed, a mistyped one too.

    Ordinary Chinese uses the same characters as Chinese seed phrases. Without a word that calls it a seed, such a
    phrase counts only if its characters are separated and exactly as many as a phrase has.
    """
    if _has_listed_row(text):
        yield from _find_listed(text, list(_ENGLISH_WORD.finditer(text)), "english")
    if text.isascii():
        return
    if sum(text.count(gap) for gap in _GAPS) >= _SHORTEST - 1:
        for run in _SPACED.finditer(text):
            yield from _find_spaced(text, list(_CHINESE_WORD.finditer(text, *run.span())))
    for run in _UNSPACED.finditer(text):
        yield from _find_at_end(list(run["run"]), run.end())


def _has_listed_row(text: str) -> bool:
    """Whether enough listed English words stand in a row: the only check that most texts need."""
    listed = _mnemonic("english").wordlist.places  # type: ignore[attr-defined]
    return b"\1" * _SHORTEST in bytes(map(listed.__contains__, _ENGLISH_WORD.findall(text.lower())))


def _find_spaced(text: str, characters: list[re.Match[str]]) -> Iterator[Finding]:
    start, end = characters[0].start(), characters[-1].end()
    called = stands_before(_CALLED, text, start)
    if not called and not any(
        _checksum_holds([character.group() for character in characters], language) for language in _CHINESE
    ):
        return
    findings = (finding for language in _CHINESE for finding in _find_listed(text, characters, language))
    yield next(findings, Finding(SensitiveKind.SEED_PHRASE, start, end))


def _find_listed(text: str, tokens: list[re.Match[str]], language: str) -> Iterator[Finding]:
    places = _mnemonic(language).wordlist.places  # type: ignore[attr-defined]
    for listed, row in groupby(tokens, key=lambda token: token.group().lower() in places):
        span = _phrase_span(text, list(row), language) if listed else None
        if span is not None:
            numbered = _NUMBERED.search(text, max(0, span[0] - 4), span[0])
            yield Finding(SensitiveKind.SEED_PHRASE, numbered.start() if numbered else span[0], span[1])


def _phrase_span(text: str, row: list[re.Match[str]], language: str) -> tuple[int, int] | None:
    """The phrase in a row of listed words. The words before one are likelier to be prose than those after."""
    if len(row) < _SHORTEST:
        return None
    whole = row[0].start(), row[-1].end()
    if len(row) > _LONGEST_ROW:
        return whole
    listed = [token.group().lower() for token in row]
    for length in LENGTHS:
        for first in range(len(row) - length, -1, -1):
            if _mnemonic(language).check(" ".join(listed[first : first + length])):
                return row[first].start(), row[first + length - 1].end()
    called = _CALLED.search(text, max(0, whole[0] - REACH), whole[1])  # "seed" is itself a word of the list
    return whole if called else None


def _find_at_end(characters: list[str], end: int) -> Iterator[Finding]:
    for length in (length for length in LENGTHS if length <= len(characters)):
        if any(_checksum_holds(characters[-length:], language) for language in _CHINESE):
            yield Finding(SensitiveKind.SEED_PHRASE, end - length, end)
            return


def _checksum_holds(phrase: list[str], language: str) -> bool:
    mnemonic = _mnemonic(language)
    listed = mnemonic.wordlist.places  # type: ignore[attr-defined]
    return len(phrase) in LENGTHS and all(word in listed for word in phrase) and mnemonic.check(" ".join(phrase))


@cache
def _mnemonic(language: str) -> Mnemonic:
    return Mnemonic(language, _IndexedWordList(Mnemonic(language).wordlist))
