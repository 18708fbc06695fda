"""Ranks remembered statements by how well they answer a question, by the words they share with it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from foundation.language import split_sentences, without_quoted_questions
from foundation.llm.prompt_elements import BACKGROUND, PromptStatement
from foundation.text import tokenize

_LONGEST_QUOTATION: Final = 240
"""Characters. A longer text is quoted by the sentence that answers best."""

# Words that shape a question and say nothing of its subject.
_FUNCTION_WORDS: Final = frozenset(
    tokenize(
        "a about again all am an and any anything are as at be been being both but by can could did do does "
        "doing don't ever every for from had has have having he her here him his how i i'd i'll i'm i've if "
        "in into is it it's its just know last me mine my myself no nor not now of off ok okay on once one "
        "or our out over own please recall remember remind said say she should so some something tell than "
        "that the their them then there these they thing think this those to told too up us very was we were "
        "what what's when where which while who whom whose why will with would yes you your yours actually "
        "什么 怎么样 怎样 哪里 哪个 哪些 哪儿 多少 为什么 几个 是否 是不是 有没有 我们 "
        "你们 的是什么 是谁 是哪 在哪 还是 可以 一个 这个 那个 这些 那些 就是 一下 "
        "知道 记得 告诉 请问 不对 其实 吗 呢 吧 啊 想 要 的 了 是 在 有 和"
    )
)

_WHO: Final = re.compile("[我你您](?!们)")
"""Taken out before Chinese is cut into pairs: a pair across a word's edge is no word."""


def rank_by_relevance(question: str, candidates: Sequence[PromptStatement]) -> list[PromptStatement]:
    """The candidates that are asked for, or share a telling word with ``question``, most relevant first.

    A shared word weighs by how few candidates hold it (inverse document frequency); a question that a candidate quotes
    answers none. Uncertain and outdated statements come only when nothing better answers.
    """
    asked = _subject_words(question)
    held = [_statement_words(candidate) for candidate in candidates]
    frequency = Counter(word for words in held for word in words)
    scores = [sum(math.log1p(len(held) / frequency[word]) for word in asked & words) for words in held]
    found = [pair for pair in zip(scores, candidates, strict=True) if pair[0] or pair[1].is_asked_for]
    ranked = sorted(found, key=lambda pair: (pair[1].is_asked_for, pair[0]), reverse=True)
    return prefer_reliable([statement for _, statement in ranked])


def is_repeated_in(said: PromptStatement, found: Iterable[PromptStatement]) -> bool:
    """Whether one of ``found`` holds every telling word of ``said``."""
    return any(_statement_words(said) <= _statement_words(statement) for statement in found)


def prefer_reliable(found: list[PromptStatement]) -> list[PromptStatement]:
    """``found`` without uncertain and outdated statements, unless there is nothing else."""
    good = [statement for statement in found if statement.confidence >= BACKGROUND and not statement.is_outdated]
    return good or found


def best_quotation(text: str, question: str) -> str:
    """A piece of ``text``, letter for letter: all of it when short, else the sentence that answers best."""
    if len(text) <= _LONGEST_QUOTATION and "\n" not in text:
        return text
    asked = _subject_words(question)
    best = max(split_sentences(text), key=lambda sentence: len(asked & _subject_words(sentence)), default="")
    return best[:_LONGEST_QUOTATION]


def _subject_words(text: str) -> frozenset[str]:
    return frozenset(tokenize(_WHO.sub(" ", text))) - _FUNCTION_WORDS


def _statement_words(statement: PromptStatement) -> frozenset[str]:
    return _subject_words(without_quoted_questions(statement.text))
