"""Recognizes questions, which state nothing about their writer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from foundation.language.language_choice import languages_in
from foundation.language.sentences import split_sentences
from foundation.language.tables import LanguageTables

QUESTION_MARKS: Final = "?？"
_MARK: Final = re.compile(rf"[{QUESTION_MARKS}]\W{{0,40}}$")
_QUOTED: Final = re.compile(r"“[^“”]*”|\"[^\"]*\"|「[^「」]*」|『[^『』]*』")


def ends_with_question_mark(sentence: str) -> bool:
    """Whether a sentence ends with a question mark, or with one and up to forty other marks."""
    return _MARK.search(sentence) is not None


def is_question(sentence: str, languages: Sequence[LanguageTables] = ()) -> bool:
    """Whether a sentence asks something, with or without a question mark.

    ``languages`` are those of the text it is a part of, where they are known already.
    """
    return ends_with_question_mark(sentence) or any(
        tables.questions.holds_for(sentence) for tables in languages or languages_in(sentence)
    )


def asks_something(sentence: str) -> bool:
    """Whether a sentence is a question or a request to be told something."""
    return ends_with_question_mark(sentence) or any(
        tables.questions.holds_for(sentence) or tables.requests_to_tell.holds_for(sentence)
        for tables in languages_in(sentence)
    )


def asks_about_earlier_questions(text: str) -> bool:
    """Whether the text asks which questions were asked earlier: "What did I ask before?", "我刚才问了什么？"."""
    return any(tables.about_questions.holds_for(text) for tables in languages_in(text))


def questions_in(text: str) -> list[str]:
    """The questions of a message, in order."""
    return [sentence for sentence in split_sentences(text) if asks_something(sentence)]


def statements_in(text: str) -> list[str]:
    """The sentences of a message that are not questions, in order."""
    return [sentence for sentence in split_sentences(text) if not asks_something(sentence)]


def without_quoted_questions(text: str) -> str:
    """A text without the questions that it quotes."""
    return _QUOTED.sub(lambda quoted: "" if asks_something(quoted.group()) else quoted.group(), text)
