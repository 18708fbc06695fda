"""Recognizes questions, which state nothing about their writer. Chinese and English."""

from __future__ import annotations

import re
from typing import Final

from foundation.text.sentences import split_sentences

CHINESE_QUESTION: Final = (
    r"(?<![没无])什么(?!的\W*$|[都也])|(?<=[做干卖])什么的|谁(?![都也])|哪[里儿个些种天年只]|(?<![不没])(?:怎么|怎样)"
    r"|多少|为何|是否|是不是|有没有|[吗呢]\s*+(?:[。！!]\s*+)?$"
)
"""The words of a question: "什么都吃", "不怎么喝" and "爬山什么的" tell something."""
# By more than its first word: "When I lived in Berlin I bought gold" tells something.
_ASKED: Final = re.compile(
    r"[?？]\W{0,40}$"
    r"|^\s*(?:so |and |but )?(?:(?:what|who|whom|whose|where|when|which|why|how)(?:'s| \w+){0,3}? )?"
    r"(?:do|does|did|is|are|was|were|am|can|could|should|shall|will|would|have|has|had)"
    r" (?:i|you|we|he|she|they|it|my|your|the|this|that|there)\b"
    r"|^\s*(?:please )?(?:tell|remind|show) me\b"
    rf"|{CHINESE_QUESTION}",
    re.IGNORECASE,
)
_ABOUT_QUESTIONS: Final = re.compile(
    r"\b(?:did|have|had) (?:i|we) (?:\w+ )?ask(?:ed)?\b|\bi asked\b|\b(?:my|our) (?:\w+ )?questions?\b"
    r"|我们?.{0,6}(?:问过?|提过?)(?:了|的)?(?:什么|哪|谁|问题|没有|吗|多少|几)|我们?(?:之前|刚才|上次|以前|前面|最近)?的.{0,4}问题|问过",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"“[^“”]*”|\"[^\"]*\"|「[^「」]*」|『[^『』]*』")


def asks_something(sentence: str) -> bool:
    """Whether a sentence is a question or asks to be told something."""
    return _ASKED.search(sentence) is not None


def asks_about_earlier_questions(text: str) -> bool:
    """Whether it is earlier questions that somebody asks for: "What did I ask before?", "我刚才问了什么？"."""
    return _ABOUT_QUESTIONS.search(text) is not None


def questions_in(text: str) -> list[str]:
    """The questions of a message, in order."""
    return [sentence for sentence in split_sentences(text) if asks_something(sentence)]


def statements_in(text: str) -> list[str]:
    """The sentences of a message that are not questions, in order."""
    return [sentence for sentence in split_sentences(text) if not asks_something(sentence)]


def without_quoted_questions(text: str) -> str:
    """A text without the questions that it quotes."""
    return _QUOTED.sub(lambda quoted: "" if asks_something(quoted.group()) else quoted.group(), text)
