"""Wraps statements in what people write around them: tails, openers, questions, another subject. Pure.

A learner that learns the bare sentence should learn the wrapped one, too: it says the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory.evaluation.labelled_chats import LabelledChat, LabelledChatMessage
from memory.evaluation.learning_scores import LearnedChat, match_statements

Wrap = Callable[[str], str]
_END: Final = re.compile(r"[.!。！~～]{1,8}$")
_SUBJECT: Final = (
    (re.compile(r"\bI am\b|\bI'm\b|\bim\b"), "we're"),
    (re.compile(r"\bI\b"), "we"),
    (re.compile(r"\bmy\b"), "our"),
)


_OWN_SUBJECT: Final = re.compile(r"^(?:I'm|I am|I've|I have|I)\s+")


def _strip_end(text: str) -> str:
    return _END.sub("", text.strip())


def _in_first_person_plural(text: str) -> str:
    for pattern, words in _SUBJECT:
        text = pattern.sub(words, text)
    return text


def _without_subject(text: str) -> str:
    return _OWN_SUBJECT.sub("", text.strip())


WRAPS: Final[Mapping[str, Mapping[str, Wrap]]] = {
    "en": {
        "tail": lambda text: f"{_strip_end(text)}, tbh",
        "laughter": lambda text: f"{_strip_end(text)} lol",
        "opener": lambda text: f"btw {text}",
        "question": lambda text: f"{_strip_end(text)}, you know?",
        "opinion asked": lambda text: f"{_strip_end(text)}, what do you think?",
        "keep in mind": lambda text: f"{_strip_end(text)}, so keep that in mind",
        "we": _in_first_person_plural,
        "no subject": _without_subject,
        "lower case": lambda text: _strip_end(text).lower(),
        "emoji": lambda text: f"{_strip_end(text)} 😅",
    },
    "zh": {
        "tail": lambda text: f"{_strip_end(text)}，哈哈",
        "particle": lambda text: f"{_strip_end(text)}嘛",
        "opener": lambda text: f"对了，{text}",
        "question": lambda text: f"{_strip_end(text)}，你懂吧？",
        "opinion asked": lambda text: f"{_strip_end(text)}，你觉得呢？",
        "keep in mind": lambda text: f"{_strip_end(text)}，记住这一点",
        "we": lambda text: re.sub(r"我(?!们)", "我们", text),
        "self": lambda text: re.sub(r"我(?!们)", "本人", text),
        "no subject": lambda text: re.sub(r"^我(?!们)", "", text.strip()),
        "emoji": lambda text: f"{_strip_end(text)}😅",
    },
}


@dataclass(frozen=True)
class WrappedShares:
    """How many statements that were learned bare were learned again when wrapped.

    ``kept`` counts those in force both bare and wrapped; ``known`` counts those that both times were in force or
    awaited the user's confirmation ("asked").
    """

    bare_kept: int
    kept: int
    bare_known: int
    known: int


def wrapped_chats(learned: Sequence[LearnedChat]) -> Iterator[tuple[str, LabelledChat]]:
    """For each message that taught something and each wrap that changes it: the wrap's name, and a chat of its own.

    The chat holds the wrapped message with the labels of the bare one.
    """
    for chat in learned:
        for position, message in enumerate(chat.chat.messages):
            taught = _held_statements(chat, position, message, asked=True)
            for name, wrap in WRAPS[chat.chat.language].items() if taught else ():
                text = wrap(message.text)
                if text != message.text:
                    said = replace(message, text=text)
                    yield name, LabelledChat(f"{chat.chat.name}:{position}:{name}", chat.chat.language, (said,))


def wrapped_shares(
    learned: Sequence[LearnedChat], wrapped: Sequence[LearnedChat], key: Callable[[LearnedChat], str]
) -> dict[str, WrappedShares]:
    """The shares by ``key`` of the wrapped chats: language, or wrap."""
    bare = {
        f"{chat.chat.name}:{position}": (
            _held_statements(chat, position, message),
            _held_statements(chat, position, message, asked=True),
        )
        for chat in learned
        for position, message in enumerate(chat.chat.messages)
    }
    found: dict[str, WrappedShares] = {}
    for chat in wrapped:
        kept, known = bare[chat.chat.name.rpartition(":")[0]]
        again = _held_statements(chat, 0, chat.chat.messages[0])
        known_again = _held_statements(chat, 0, chat.chat.messages[0], asked=True)
        before = found.get(key(chat), WrappedShares(0, 0, 0, 0))
        found[key(chat)] = WrappedShares(
            before.bare_kept + len(kept),
            before.kept + len(kept & again),
            before.bare_known + len(known),
            before.known + len(known & known_again),
        )
    return found


def _held_statements(
    learned: LearnedChat, position: int, message: LabelledChatMessage, *, asked: bool = False
) -> set[int]:
    standings = ("in_force", "asked") if asked else ("in_force",)
    taught = [
        memory for memory in learned.after[position] if position in memory.taught_by and memory.standing in standings
    ]
    return match_statements(message, [memory.content for memory in taught])[0]
