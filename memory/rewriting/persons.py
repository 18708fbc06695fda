"""Puts names in place of "I" and "you"; third persons and "we" stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from foundation.language import cjk_characters
from foundation.language.inflection import ADVERB, agree, conjugate, is_common_verb
from foundation.lexicon import read_lexicon
from memory.rewriting.protected_spans import preceded_by

_WORDS: Final = read_lexicon(__file__)

_ADVERBS = rf"(?:(?!recently|lately){ADVERB} )*"
_NO_VERB = _WORDS.of("en").phrase("no_verb")
_SUBJECT = re.compile(
    rf"\b(?P<who>I|you)(?P<short>['’](?:m|re|ve|ll|d))?"
    rf"(?P<rest> {_ADVERBS}{_NO_VERB}[A-Za-z]+(?:-[A-Za-z]+)*(?:['’]t)?)?(?![\w'’])",
    re.IGNORECASE,
)
_OBJECT = _WORDS.of("en").pattern("object", re.IGNORECASE)
_CHINESE = _WORDS.of("zh").pattern("chinese")
_SHORT: Final = _WORDS.of("en").mapping("short")
_FIRST: Final = frozenset(_WORDS.words("first"))
_POSSESSIVE: Final = frozenset(_WORDS.of("en").words("possessive"))
_CLAUSE_START = _WORDS.of("en").pattern("clause_start", re.IGNORECASE)
_INVERTED = _WORDS.of("en").pattern("inverted", re.IGNORECASE)
_COMPOUND = _WORDS.of("en").pattern("compound", re.IGNORECASE)
_JOINED = _WORDS.of("en").pattern("joined", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class People:
    """Whom "I" and "you" mean in a text; empty where nobody knows."""

    first: str
    second: str

    def knows(self, word: str) -> bool:
        """Whether somebody is behind a pronoun."""
        return bool(self.first if word.lower() in _FIRST else self.second)

    def named(self, word: str) -> str:
        """The name behind a pronoun, a possessive where the pronoun is one."""
        name = self.first if word.lower() in _FIRST else self.second
        return f"{name}'s" if word.lower() in _POSSESSIVE else name


def name_people(text: str, people: People) -> Iterator[tuple[int, int, str]]:
    """The replacements ``(start, end, words)`` that put names for pronouns and make their verbs agree."""
    for match in _CHINESE.finditer(text):
        if not people.knows(match.group()):
            continue
        start, end = match.span()
        before = text[start - 1] if start else ""
        yield start, end, with_spacing(people.named(match.group()), before, after=text[end : end + 1])
    for match in _OBJECT.finditer(text):
        if people.knows(match["who"]):
            yield *match.span(), people.named(match["who"])
    for match in _SUBJECT.finditer(text):
        # A lower-case "i" counts as a pronoun only with a verb behind it.
        if people.knows(match["who"]) and (match["who"] not in {"i"} or match["short"] or match["rest"]):
            yield from _subject(match, people)


def with_spacing(name: str, before: str = "", after: str = "") -> str:
    """A name as it stands between these two: a Latin one keeps a space from Chinese characters (Alice 现在…)."""
    opens = " " if name[:1].isascii() and cjk_characters(before[-1:]) else ""
    closes = " " if name[-1:].isascii() and cjk_characters(after[:1]) else ""
    return f"{opens}{name}{closes}"


def _subject(match: re.Match[str], people: People) -> Iterator[tuple[int, int, str]]:
    """A subject pronoun; one span for it and its verb, one more for a verb joined to that."""
    start, text = match.start("who"), match.string
    name, rest = people.named(match["who"]), match["rest"] or ""
    if match["short"]:
        yield start, match.end("short"), f"{name} {_SHORT[match['short'][1:].lower()]}"
    elif (
        not rest
        or any(preceded_by(pattern, text, start) for pattern in (_COMPOUND, _INVERTED))
        or not _is_subject(match)
    ):
        yield *match.span("who"), name
    else:
        agreed = agree(rest.strip())
        yield start, match.end(), f"{name} {agreed}"
        if agreed != rest.strip():
            yield from _joined_verb(text, match.end())


def _is_subject(match: re.Match[str]) -> bool:
    """ "I" always is; "you" may be an object: "told you about"."""
    if match["who"].lower() == "i":
        return True
    verb = match["rest"].split()[-1].lower()
    opens = preceded_by(_CLAUSE_START, match.string, match.start("who"))
    return opens and (is_common_verb(verb) or conjugate(verb) != verb + "s")


def _joined_verb(text: str, start: int) -> Iterator[tuple[int, int, str]]:
    match = _JOINED.match(text, start)
    if match and is_common_verb(match["verb"]) and " to " not in match.group():
        yield *match.span("verb"), conjugate(match["verb"])
