"""Strip what chat adds to a statement: openers, tails, fillers between commas, tag questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from foundation.language.language_choice import languages_in
from foundation.language.normalization import normalize
from foundation.language.questions import QUESTION_MARKS, is_question
from foundation.language.script import cjk_characters
from foundation.language.tables import languages

_MARK: Final = re.compile(r"(?:(?<!\d)[,，]|[,，](?!\d)|[;；…!！?？~～]|(?<!\.)\.(?=\s|$)|\.\.++|\s[-–—](?=\s)|——)\s*+")
_KEPT_AT_THE_END: Final = frozenset("%％\"'”’」』)）]】》>$€£¥°℃+*#")
_KEPT_AT_THE_START: Final = frozenset("\"'“‘「『(（[【《<$€£¥#@+-")
_FEWEST_WORDS: Final = 3
"""Words, or Chinese characters: what is shorter than this before a question is hardly a statement."""

_MOST_ADDED: Final = 8
"""Openers, and tails, that are taken from one sentence."""


@dataclass(frozen=True, slots=True)
class _ChatWords:
    """The words that chat adds in any language, the longest first."""

    openers: tuple[str, ...]
    closers: tuple[str, ...]
    added: frozenset[str]
    tag_questions: frozenset[str]
    particles: frozenset[str]


@dataclass(frozen=True, slots=True)
class _ClauseSpan:
    """Positions in the sentence: the clause is ``[start, end)``, the mark and space behind it ``[end, after)``."""

    start: int
    end: int
    after: int


def without_chat_noise(sentence: str) -> str:
    """The sentence without what chat adds to it, in its own words, case and script otherwise.

    Taken away are openers ("btw", "对了"), tails ("lol", "哈哈", "so keep that in mind", "记住这一点"), both between
    commas too, doubled commas, emoji at either end, and a question behind a statement ("…, you know?", "…，你说呢？").
    A sentence of nothing else is answered as it is. Linear in the length of the sentence.
    """
    text = sentence.strip()
    folded = _fold_in_place(text)
    clauses = [clause for clause in _clauses(folded) if not _is_added(folded, clause)]
    if len(clauses) > 1 and _ends_with_side_question(folded, clauses):
        clauses.pop()
    if not clauses:
        return text
    asks = any(mark in folded[clauses[-1].end : clauses[-1].after] for mark in QUESTION_MARKS)
    clauses[-1] = replace(clauses[-1], after=_without_closers(folded, clauses[-1].start, clauses[-1].end))
    clauses[0] = replace(clauses[0], start=_without_openers(folded, clauses[0].start, clauses[0].end))
    left = "".join(text[clause.start : clause.after] for clause in clauses).strip()
    return (f"{left}?" if asks else left) or text


@cache
def _chat_words() -> _ChatWords:
    openers = [opener for tables in languages() for opener in tables.openers]
    closers = [closer for tables in languages() for closer in tables.closers]
    return _ChatWords(
        openers=tuple(sorted(openers, key=len, reverse=True)),
        closers=tuple(sorted(closers, key=len, reverse=True)),
        added=frozenset((*openers, *closers, *(aside for tables in languages() for aside in tables.asides))),
        tag_questions=frozenset(tag for tables in languages() for tag in tables.tag_questions),
        particles=frozenset("".join(tables.particles for tables in languages())),
    )


def _fold_in_place(text: str) -> str:
    """The text in one case and script, each character in its place; as it is where that cannot be."""
    for folded in (normalize(text), text.lower()):
        if len(folded) == len(text):
            return folded.replace("’", "'")
    return text


def _clauses(text: str) -> Iterator[_ClauseSpan]:
    start = 0
    for mark in _MARK.finditer(text):
        if text[start : mark.start()].strip():
            yield _trimmed(text, start, mark.start(), mark.end())
        start = mark.end()
    if text[start:].strip():
        yield _trimmed(text, start, len(text), len(text))


def _trimmed(text: str, start: int, end: int, after: int) -> _ClauseSpan:
    return _ClauseSpan(_start_of_words(text, start, end), end, after)


def _is_kept_character(character: str, kept: frozenset[str]) -> bool:
    return character.isalnum() or character in kept


def _is_added(text: str, clause: _ClauseSpan) -> bool:
    words = text[clause.start : _end_of_words(text, clause.start, clause.end)]
    if not words or words in _chat_words().added or _is_laughter(words):
        return True
    asks = text[clause.end : clause.after].strip()[:1] in ("", *QUESTION_MARKS)
    return asks and clause.start > 0 and words in _chat_words().tag_questions


def _is_laughter(words: str) -> bool:
    return (len(words) > 1 and set(words) <= {"哈", "h"}) or (len(words) > 1 and set(words) == {"h", "a"})


def _ends_with_side_question(text: str, clauses: Sequence[_ClauseSpan]) -> bool:
    """Whether the last clause is a question beside a statement that stands without it."""
    first, last = clauses[0], clauses[-1]
    question = text[last.start : last.end]
    if not any(mark in text[last.end : last.after] for mark in QUESTION_MARKS) or not is_question(question):
        return False
    before = text[first.start : clauses[-2].end]
    written = languages_in(before)[0]
    words = list(before) if written.script == "cjk" else before.split()
    supposes = any(word in (before if written.script == "cjk" else words[:1]) for word in written.supposing_words)
    return len(words) >= _FEWEST_WORDS and not supposes and not is_question(before)


def _without_closers(text: str, start: int, end: int) -> int:
    end = _end_of_words(text, start, end)
    for _ in range(_MOST_ADDED):
        shorter = _end_of_words(text, start, end - _closer_length(text, start, end))
        if shorter in (start, end):
            break
        end = shorter
    return end


def _closer_length(text: str, start: int, end: int) -> int:
    """The length of the tail that ends at ``end``; 0 without one."""
    for closer in _chat_words().closers:
        if text.endswith(closer, start, end) and _is_word_boundary(text, start, end - len(closer)):
            return len(closer)
    return int(end - start > 1 and text[end - 1] in _chat_words().particles)


def _without_openers(text: str, start: int, end: int) -> int:
    for _ in range(_MOST_ADDED):
        later = _start_of_words(text, start + _opener_length(text, start, end), end)
        if later in (start, end):
            break
        start = later
    return start


def _opener_length(text: str, start: int, end: int) -> int:
    """The length of the opener that begins at ``start``; 0 without one."""
    for opener in _chat_words().openers:
        if text.startswith(opener, start, end) and _is_word_boundary(text, start, start + len(opener)):
            return len(opener)
    return 0


def _is_word_boundary(text: str, start: int, at: int) -> bool:
    """Whether no Latin word goes on over position ``at``."""
    if at <= start or at >= len(text):
        return True
    return not (_is_latin(text[at - 1]) and _is_latin(text[at]))


def _is_latin(character: str) -> bool:
    return character == "'" or (character.isalnum() and not cjk_characters(character))


def _start_of_words(text: str, start: int, end: int) -> int:
    return next((at for at in range(start, end) if _is_kept_character(text[at], _KEPT_AT_THE_START)), end)


def _end_of_words(text: str, start: int, end: int) -> int:
    while end > start and not _is_kept_character(text[end - 1], _KEPT_AT_THE_END):
        end -= 1
    return end
