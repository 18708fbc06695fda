"""Classifies a sentence about a user: its section, slot and value. Pure.

The rules of learning read sentences in the first person, but an event names the user. So the sentence is put into the
first person, and read by the same rules.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from foundation.language import split_sentences, whole_word
from foundation.language.inflection import in_first_person
from foundation.lexicon import read_lexicon
from memory.evolution import health_statements, style_preferences
from memory.evolution.rule_analyzer import analyze
from memory.evolution.style_commands import is_style_command
from memory.evolution.types import StatementCandidate, Utterance
from memory.portraits.sections import section_of

_WORDS: Final = read_lexicon(__file__)

MAX_LINE_CHARS: Final = 300
NOBODY: Final = _WORDS.words("nobody")
_NO_LONGER: Final = _WORDS.of("en").phrase("no_longer")
_LETTER: Final = re.compile(r"[^\W\d_]")
_AFTER_LATIN_SUBJECT = re.compile(r"(?P<own>['’]s)?\s+(?P<rest>\S.*)$")


def sentences_of(text: str) -> list[str]:
    """The sentences that may become lines, each of at most ``MAX_LINE_CHARS``."""
    shortened = (" ".join(sentence.split()) for sentence in split_sentences(text))
    return [
        sentence if len(sentence) <= MAX_LINE_CHARS else f"{sentence[: MAX_LINE_CHARS - 1].rstrip()}…"
        for sentence in shortened
        if sentence
    ]


@dataclass(frozen=True, slots=True)
class ClassifiedSentence:
    """A sentence's section, and the one statement that rules find in it; None for none or several.

    ``must_be_asked`` marks what is stored only after the user confirms it (see ``memory.evolution.health_statements``),
    ``is_command`` what only tells the assistant how to speak, ``is_style`` what says how a user wants to be answered.
    """

    section: str
    candidate: StatementCandidate | None = None
    must_be_asked: bool = False
    is_command: bool = False
    is_style: bool = False

    @property
    def retracts(self) -> bool:
        """Whether the sentence says that something is no longer so."""
        return self.candidate is not None and self.candidate.attributes["polarity"] == "negative"

    @property
    def slot(self) -> str:
        return self.candidate.attributes["slot"] if self.candidate else ""

    @property
    def value(self) -> str:
        return self.candidate.attributes["value"] if self.candidate else ""


def classify_sentence(sentence: str, name: str, said_at: datetime) -> ClassifiedSentence:
    """Classify a sentence about ``name`` by the rules of learning."""
    found = analyze(Utterance(first_person(sentence, (name, *NOBODY)), name, said_at))
    sections = {section_of(candidate.content, candidate.attributes["slot"], candidate.category) for candidate in found}
    section = sections.pop() if len(sections) == 1 else section_of(sentence)
    asks = any(map(health_statements.needs_confirmation, found)) or _states_health(sentence, name)
    is_command = all(candidate.for_now for candidate in found) and _is_style_command(sentence, name)
    is_style = is_command or any(map(style_preferences.is_style, found))
    return ClassifiedSentence(section, found[0] if len(found) == 1 else None, asks, is_command, is_style)


def statements_about(sentence: str, name: str, said_at: datetime) -> list[StatementCandidate]:
    """What the rules of learning find in an event's sentence about ``name``, reported or quoted, without its date."""
    told = sentence[max(0, sentence.find(name)) :]
    quoted = told.removeprefix(name).lstrip()
    is_quoted = quoted != told and quoted.startswith((":", "："))
    return analyze(Utterance(quoted[1:].lstrip() if is_quoted else first_person(told, (name, *NOBODY)), name, said_at))


def _is_style_command(sentence: str, name: str) -> bool:
    """Whether a sentence is a style command, as the user said it or as an event quotes it: "Alice: be warm"."""
    said = sentence.removeprefix(name).lstrip() if name else sentence
    return is_style_command(said[1:].lstrip() if said != sentence and said.startswith((":", "：")) else sentence)


def tells_of_health(text: str, name: str) -> bool:
    """Whether a text states the health of ``name`` (see ``memory.evolution.health_statements``)."""
    return any(_states_health(sentence, name) for sentence in sentences_of(text))


def _states_health(sentence: str, name: str) -> bool:
    """Whether a sentence states the health of ``name``, wherever the name stands.

    For example "In May Alice was diagnosed with …".
    """
    names = (name, *NOBODY)
    spelled = [whole_word(name, before="", after="") for name in names if name]
    starts = {0, *(found.start() for pattern in spelled for found in pattern.finditer(sentence))}
    return any(health_statements.states_health(first_person(sentence[start:], names)) for start in starts)


def first_person(sentence: str, names: Collection[str]) -> str:
    """A sentence about somebody in the first person: "Alice likes tea" as "I like tea", "爱丽丝喜欢茶" as "我喜欢茶".

    One that names nobody is unchanged, except for a verb that lacks its subject ("Prefers tea").
    """
    for name in (name for name in names if name):
        if not name.isascii() and sentence.startswith(name):
            return f"我{sentence[len(name) :].lstrip()}"
        is_subject = sentence[: len(name)].casefold() == name.casefold()
        if is_subject and (match := _AFTER_LATIN_SUBJECT.match(sentence, len(name))):
            return f"My {match['rest']}" if match["own"] else _spoken_form(match["rest"])
        if sentence.startswith(name):  # a Latin name in a Chinese sentence
            return f"我{sentence[len(name) :].lstrip()}"
    return in_first_person(sentence) or sentence


def _spoken_form(rest: str) -> str:
    letter = _LETTER.search(rest)
    if letter and not letter[0].isascii():
        return f"我{rest}"
    if rest.lower().startswith(_NO_LONGER):
        return in_first_person(rest[len(_NO_LONGER) :]).replace("I ", f"I {_NO_LONGER}", 1)
    return in_first_person(rest) or f"I {rest}"
