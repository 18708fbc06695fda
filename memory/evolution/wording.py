"""Rewords what a speaker says of themselves into the third person, understandable on any later day. Pure."""

from __future__ import annotations

import re
from typing import Final

from memory.evolution.types import Utterance
from memory.grammar import third_person, third_person_pronouns
from memory.rewriting.rule_rewriter import with_absolute_times
from memory.rewriting.types import EventClock

_PLEASE = re.compile(r"(?:,|(?<!\s))\s++please$", re.IGNORECASE)
_THESE_DAYS = re.compile(
    r"(?:(?<!\s)\s++)?\b(?:lately|recently|these days|nowadays|right now)\b|最近|近来|近期|这段时间|这几天|现在|目前"
)
"""Words for the present that a memory's own time of validity already says."""
SECRET: Final = re.compile(
    r"\b(?:pass(?:word|code|phrase)|pin(?: code| number)?|cvv|token|api key|private key|seed phrase)\b"
    r"|密码|口令|验证码|密钥|私钥|助记词",
    re.IGNORECASE,
)
"""Words of secrets, which no memory keeps even where no classifier recognised them."""
_SPOKEN = (
    (re.compile(r"\bgonna\b"), "going to"),
    (re.compile(r"\bwanna\b"), "want to"),
    (re.compile(r"\bi(?=\s|['’](?:m|ve|d|ll)\b)"), "I"),
    (re.compile(r"^[Ii]m\b"), "I'm"),
    (re.compile(r"^[Ii]ve\b"), "I've"),
)
_FILLERS = re.compile(r"^(?:(?:just|also|really|actually|definitely|totally)\s+)+|(?<=^我)(?:也|还|都|真的|其实)+")
_SELF_ZH = (
    (
        re.compile(
            r"^(最近|现在|目前|平时|平常|其实|[今去前昨上][^我,，]{1,4})?[,，]?(?:[我俺](?!们)|本人)(?:的(?!确))?"
        ),
        r"\1",
    ),
    (re.compile(r"我(?!们|国)|俺(?!们)|本人"), "自己"),
)


def in_third_person(content: str, utterance: Utterance, *, chinese: bool) -> str:
    """A first-person text without the first person, and with dates for "yesterday"."""
    clock = EventClock(utterance.said_at, utterance.time_zone, language="zh" if chinese else "en")
    if not chinese:
        return third_person_pronouns(with_absolute_times(_THESE_DAYS.sub("", content), clock))
    for pattern, replacement in _SELF_ZH:
        content = pattern.sub(replacement, content)
    return with_absolute_times(_THESE_DAYS.sub("", content), clock)


def as_sentence(words: str, *, chinese: bool) -> str:
    """A text of the speaker as a sentence without subject: "I just wanna learn" as "Wants to learn"."""
    text = _FILLERS.sub("", words if chinese else third_person(_replace_spoken_forms(words)))
    return text[:1].upper() + text[1:]


def _replace_spoken_forms(text: str) -> str:
    for pattern, words in _SPOKEN:
        text = pattern.sub(words, text)
    return _PLEASE.sub("", text)
