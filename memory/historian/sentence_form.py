"""Strips a sentence of what ties it to the chat: greeting, form of address, connective, closing remark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from foundation.language import (
    language_of,
    without_chat_noise,
)
from foundation.language.inflection import is_past_tense
from foundation.lexicon import read_lexicon
from foundation.text import tokenize
from memory.historian.happenings import with_dropped_subject

_WORDS: Final = read_lexicon(__file__)

FEWEST_LEFT: Final = 3
"""The fewest index tokens that may be left of a sentence without its last clauses."""
_GREETING: Final = re.compile(rf"\A(?:{_WORDS.phrase('greeting')}){{1,3}}+(?=\S)", re.IGNORECASE)
"""How a message opens before it says something: "Hi AI companion, today I …"."""
_CALL: Final = _WORDS.of("zh").pattern("call")
"""Whom a sentence is addressed to."""
_CALLED_BY_NAME: Final = re.compile(r"\A@?(?P<name>[^\W\d_]{2,40})\s?[,，!！:：]\s*(?=\S)")
_CALLED_AT_THE_END: Final = re.compile(r"[,，]\s?(?P<name>[^\W\d_]{2,40})(?=\s?[.!?。！？~～]*\Z)")
_LINK: Final = _WORDS.pattern("link", re.IGNORECASE)
"""What ties a sentence to the one before it."""
_REJECTS: Final = _WORDS.pattern("rejects", re.IGNORECASE)
_ADVERSATIVE: Final = _WORDS.pattern("adversative", re.IGNORECASE)
"""How a clause begins that must not be cut off, because the one before it would mean something else without it."""
_CUT: Final = _WORDS.of("en").pattern("cut", re.IGNORECASE)
_OPEN_END: Final = re.compile(rf"(?:{_WORDS.phrase('open_end')})$", re.IGNORECASE)
_TOO: Final = _WORDS.of("en").pattern("too")
_ALSO: Final = _WORDS.of("en").pattern("also")
FIRST_PERSON: Final = _WORDS.pattern("first_person")
_DROPPED: Final = _WORDS.of("en").pattern("dropped", re.IGNORECASE)
_SAYS_I: Final = _WORDS.of("en").pattern("says_i")
_NO_VERB_ALONE: Final = frozenset(_WORDS.of("en").words("no_verb_alone"))
"""Words that look like verbs in the past but may open a sentence as something else: no "I" is put before them."""


def is_bare_rejection(text: str) -> bool:
    """Whether a sentence says that something is wrong, and nothing else."""
    mark = _REJECTS.match(text)
    return mark is not None and not text[mark.end() :].strip(" .!。！,，")


def opens_with_rejection(sentence: str) -> bool:
    """Whether a sentence begins by saying that something said before is wrong."""
    return _REJECTS.match(sentence.strip()) is not None


def strip_addressee(sentence: str, name: str) -> str:
    """The sentence without the name that it opens or ends with: "Bob, I …", "I agree, Bob"."""
    for pattern in (_CALLED_BY_NAME, _CALLED_AT_THE_END):
        called = pattern.search(sentence)
        if called is not None and name.casefold().startswith(called["name"].casefold()):
            sentence = sentence[: called.start()] + sentence[called.end() :]
    return sentence


def strip_connectives(sentence: str) -> str:
    """A sentence without greeting, filler, correction mark and the link to the one before it."""
    text = sentence.strip()
    for pattern in (_CALL, _GREETING, _REJECTS, _LINK):
        if (match := pattern.match(text)) and match.end() < len(text):
            text = text[match.end() :]
    text = _with_subject(text)
    text = _TOO.sub("", _ALSO.sub(r"\1 ", without_chat_noise(text))).strip(" ,，、;；~～")
    return text[:1].upper() + text[1:]


def _with_subject(text: str) -> str:
    """The sentence with the "I" that it leaves out: "Just sold my flat", "今天称了体重"."""
    if language_of(text) == "zh":
        return with_dropped_subject(text)
    dropped = _DROPPED.match(text) if not _SAYS_I.search(text) else None
    if dropped is None or not is_past_tense(verb := dropped["verb"].lower()) or verb in _NO_VERB_ALONE:
        return text
    return f"I {text[:1].lower()}{text[1:]}"


def shortened(text: str) -> Iterator[str]:
    """The sentence without its last clause, without its last two and so on, as long as only remarks are cut off."""
    cuts = list(_CUT.finditer(text))[:8]
    for cut in reversed(cuts):
        if _ADVERSATIVE.match(text, cut.end()):
            return
        head = text[: cut.start()].rstrip(" ,，;；")
        if len(tokenize(head)) >= FEWEST_LEFT and FIRST_PERSON.search(head) and is_whole(head):
            yield head


def is_whole(text: str) -> bool:
    """Whether a text ends where a sentence may end, and closes every quotation and bracket that it opens."""
    if _OPEN_END.search(text):
        return False
    pairs = ("“”", "‘’", "《》", "「」", "（）", "()", "【】")
    return text.count('"') % 2 == 0 and all(text.count(pair[0]) == text.count(pair[1]) for pair in pairs)
