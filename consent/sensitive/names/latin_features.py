"""Finds candidates for names in Latin script, and computes the tagger's hashed features of each.

A candidate is two to five words within a run of capitalized words, or one word after a title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final
from zlib import crc32

from consent.sensitive.names.weights import BUCKET_BITS, WORD_BITS, name_weights
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__, "names")

_UPPER: Final = "A-Z" + "".join(chr(code) for code in range(0xC0, 0x1EFF) if chr(code).isupper())
_LATIN: Final = "A-Za-z\u00c0-\u024f\u1e00-\u1eff"
_LETTER: Final = r"[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_NO_OWNER: Final = rf"(?!['’]s(?!{_LETTER}))"
"""A possessive "'s" is not part of the name."""
_REST: Final = (
    rf"{_LETTER}{{1,30}}+(?:{_NO_OWNER}['’-]{_LETTER}{{1,30}}+){{0,3}}"
    rf"|['’]{_LETTER}{{2,30}}+|\.(?:[{_UPPER}]\.){{0,2}}+"
)
_WORD: Final = rf"(?!I(?![A-Za-z.]))[{_UPPER}](?:{_REST})?+(?![{_LATIN}0-9_@])"
_PARTICLE: Final = rf"(?:{'|'.join(sorted(_WORDS.of('en').words('particles'), key=len, reverse=True))})"
_RUN: Final = re.compile(rf"(?<![{_LATIN}0-9_@#/.-])(?:al-)?{_WORD}(?: (?:{_PARTICLE}[ -]){{0,2}}+{_WORD}){{0,7}}+")
_PIECE: Final = re.compile(rf"(?:al-)?{_WORD}|[a-z']+")
_CONTEXT: Final = re.compile(rf"{_LETTER}+|[0-9]+|[^\s]|\n")
_TITLES: Final = frozenset(_WORDS.of("en").words("titles"))
_NO_FIRST: Final = frozenset(_WORDS.of("en").words("no_first"))
_NO_LAST: Final = frozenset(_WORDS.of("en").words("no_last"))
_BEFORE: Final = re.compile(r"([A-Za-zñ]{2,9})\.? $")
_SMALL: Final = re.compile(
    rf"(?<![{_LATIN}0-9_@#/.'-])[a-zß-öø-ÿ]{_LETTER}{{2,20}}(?:[-']{_LETTER}{{2,20}})?(?![{_LATIN}0-9_@/-])"
)
_LEAST_SMALL, _MOST_SMALL = 2, 3
"""Words of a name in small letters."""
_MOST_WORDS: Final = 5
_REACH: Final = 48
_NEAR: Final = 6

Words = list[tuple[str, int, int]]


@dataclass(frozen=True, slots=True)
class LatinCandidate:
    """A candidate of a text: its stretch, and the buckets of its features."""

    start: int
    end: int
    buckets: list[int]


def word_place(word: str) -> int:
    """The index of a lower-case word in a hashed set of words."""
    return crc32(word.encode("utf-8", "surrogatepass")) >> (32 - WORD_BITS)


def is_common_word(word: str) -> bool:
    """Whether ordinary English text holds the word in small letters again and again."""
    return bool(name_weights()["words.common"][word_place(word.lower())])


def latin_candidates(text: str) -> Iterator[LatinCandidate]:
    """The candidates of a text with their features; linear in its length."""
    for run in _RUN.finditer(text):
        words = [(piece.group(), *piece.span()) for piece in _PIECE.finditer(text, *run.span())]
        if len(words) > 1 or _has_title(text, run.start()):
            yield from _of_run(text, words)
    yield from _in_small_letters(text)


def _in_small_letters(text: str) -> Iterator[LatinCandidate]:
    """Two words of which one is a listed part of names and neither a common word, and the word before them."""
    run: Words = []
    for piece in _SMALL.finditer(text):
        word = (piece.group(), *piece.span())
        if run and text[run[-1][2] : word[1]] != " ":
            run = []
        run = [*run[1 - _MOST_SMALL :], word]
        for size in range(_LEAST_SMALL, len(run) + 1):
            words = run[-size:]
            if _may_be_small_name([each for each, _, _ in words]):
                yield _small_candidate(text, words)


def _may_be_small_name(words: list[str]) -> bool:
    """Whether the words are a given name and a surname, by lists: neither end is a common word, and one is listed."""
    first, last = _listed(words[0]), _listed(words[-1])
    if "1" in (first[2], last[2]) or _is_no_name(words):
        return False
    return first[0] == "1" or last[1] == "1"


def _small_candidate(text: str, words: Words) -> LatinCandidate:
    before, after = _around(text, words)
    lowered = [word for word, _, _ in words]
    kinds = [f"s{_listed(word)}" for word in lowered]
    features = _features(lowered, kinds, before, after, 0, len(words) - 1)
    return LatinCandidate(words[0][1], words[-1][2], [_bucket(feature) for feature in features])


def _listed(word: str) -> str:
    """Whether a word is listed as a given name, a surname and a common word: "100"."""
    weights, place = name_weights(), word_place(word.lower())
    return "".join("1" if weights[f"words.{name}"][place] else "0" for name in ("given", "family", "common"))


def _has_title(text: str, start: int) -> bool:
    before = _BEFORE.search(text[max(0, start - 12) : start])
    return before is not None and before[1].lower() in _TITLES


def _of_run(text: str, words: Words) -> Iterator[LatinCandidate]:
    before, after = _around(text, words)
    lowered = [word.lower() for word, _, _ in words]
    kinds = [_kind(word) for word, _, _ in words]
    for first in range(len(words)):
        for last in range(first, min(len(words), first + _MOST_WORDS)):
            if (
                kinds[first][0] == "p"
                or kinds[last][0] == "p"
                or _is_no_name(lowered[first : last + 1])
                or (first == last and not _titled(lowered, before, first))
            ):
                continue
            features = _features(lowered, kinds, before, after, first, last)
            yield LatinCandidate(words[first][1], words[last][2], [_bucket(feature) for feature in features])


def _around(text: str, words: Words) -> tuple[list[str], list[str]]:
    """The tokens before the words and after them, in lower case."""
    begin, end = words[0][1], words[-1][2]
    before = ["", "", *(token.lower() for token in _CONTEXT.findall(text, max(0, begin - _REACH), begin))]
    return before, [*(token.lower() for token in _CONTEXT.findall(text, end, end + _REACH)[:4]), "", ""]


def _is_no_name(name: list[str]) -> bool:
    """Whether the words are a place, a company or somebody in public life."""
    return (
        name[-1] in _NO_LAST
        or name[0].rstrip(".") in _TITLES
        or (name[0] in _NO_FIRST and len(name) > 1)
        or _is_public(name) == 2
    )


def _titled(lowered: list[str], before: list[str], first: int) -> bool:
    left = lowered[first - 1] if first else before[-1] if before[-1] != "." else before[-2]
    return left.rstrip(".") in _TITLES


def _features(
    lowered: list[str], kinds: list[str], before: list[str], after: list[str], first: int, last: int
) -> list[str]:
    left = [*before, *lowered[:first]][-_NEAR:]
    right = [*lowered[last + 1 :], *after][:4]
    name, shape = lowered[first : last + 1], kinds[first : last + 1]
    inner = f"{int(first > 0)}{int(last + 1 < len(lowered))}"
    shapes = " ".join(shape)
    size = last - first + 1
    left_kind, right_kind = kinds[first - 1] if first else "-", kinds[last + 1] if last + 1 < len(kinds) else "-"
    public = _is_public(name)
    cues = [_cue(left[-1]), _cue(left[-2]), _cue(left[-3] if len(left) > 2 else ""), _cue(right[0]), _cue(right[1])]
    return [
        f"a{left[-1]}", f"b{left[-2]} {left[-1]}", f"c{right[0]}", f"d{right[0]} {right[1]}",
        f"e{left[-1]} {right[0]}", f"f{left[-1]} {shapes}", f"g{right[0]} {shapes}",
        f"h{shapes}", f"i{shapes}{inner}", f"j{left_kind}{shapes}{right_kind}", f"k{inner}{size}",
        f"l{name[0]}", f"m{name[-1]}", f"n{name[-1][-3:]}", f"o{name[0][-3:]}", f"p{shape[0]}{shape[-1]}",
        f"q{public}{shapes}", f"q{public}", f"r{left[-1]}{inner}{size}", f"s{name[0][:3]}", f"t{left_kind}{left[-1]}",
        f"u{left[-3] if len(left) > 2 else ''} {left[-2]} {left[-1]}", f"v{right_kind}{inner}{shape[-1]}",
        f"w{left[-2]}{shapes}",
        f"A{cues[0]}", f"B{cues[0]}{cues[1]}", f"C{cues[0]}{shapes}", f"D{cues[0]}{cues[3]}", f"E{cues[3]}{shapes}",
        f"F{cues[1]}{left[-1]}", f"G{cues[2]}{cues[1]}{cues[0]}", f"H{cues[3]}{cues[4]}", f"I{left_kind}{cues[3]}",
        f"J{cues[0]}{inner}{left_kind}", f"K{cues[3]}{left[-1]}",
        *(f"x{word}" for word in left[:-1]), *(f"y{word}" for word in right[1:3]),
        *(f"z{word}" for word in name[1:]), *(f"L{word}" for word in lowered[:first]),
        *(f"R{word}" for word in lowered[last + 1 :]),
    ]  # fmt: skip


def _cue(word: str) -> str:
    return _cue_words().get(word, "-" if word[:1].isalpha() else word)


@cache
def _cue_words() -> dict[str, str]:
    groups = _WORDS.of("en").groups("roles")
    return {word: str(number) for number, words in enumerate(groups.values()) for word in words}


def _kind(word: str) -> str:
    """What a word looks like: a particle, an initial, capitals, hyphenated; and in which lists it stands."""
    if word[0].islower() and not word.startswith("al-"):
        return "p"
    look = (
        "i" if len(word) <= 2 or "." in word else "c" if word.isupper() else "h" if "-" in word or "'" in word else "w"
    )
    return f"{look}{_listed(word)}"


def _bucket(feature: str) -> int:
    return crc32(feature.encode("utf-8", "surrogatepass")) >> (32 - BUCKET_BITS)


def _is_public(name: list[str]) -> int:
    """2 for the whole name of a public person, 1 where the words contain one or end with its last word, else 0."""
    whole, parts = _public_names()
    if " ".join(name) in whole:
        return 2
    return int(any(" ".join(name[at : at + 2]) in whole for at in range(len(name) - 1)) or name[-1] in parts)


@cache
def _public_names() -> tuple[frozenset[str], frozenset[str]]:
    names = [name.lower() for entry in ("public", "brands") for name in _WORDS.of("en").words(entry)]
    return frozenset(names), frozenset(name.split()[-1] for name in names)
