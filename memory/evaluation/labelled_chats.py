"""Reads labelled chats: messages with what a careful assistant learns from each, in either of two formats.

A JSONL row holds one message (``type`` single), or two of which the second changes the first (``pair``), with a pattern
that finds each statement to be learned. A ``.txt`` file holds the messages of one writer (a "voice"), one a line, with
a label for each sentence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from memory.evaluation.voices import LabelledMessage, LabelledSentence, read_voice

Change = Literal["", "update", "retract", "correct", "both"]
_LANGUAGES: Final = ("en", "zh")


class BadChat(ValueError):
    """A file or row in none of the formats. The message names file and line, but quotes no text."""


@dataclass(frozen=True)
class ExpectedStatement:
    """One statement to be learned.

    A memory learned from the message holds the statement if ``pattern`` finds it in the memory; without a pattern, if
    ``sentence`` is nearest to the memory among the message's sentences.
    """

    label: str
    pattern: re.Pattern[str] | None = None
    sentence: str = ""


@dataclass(frozen=True)
class LabelledChatMessage:
    """One message; ``other_sentences`` are its sentences that teach nothing, where sentences are labelled."""

    text: str
    statements: tuple[ExpectedStatement, ...]
    other_sentences: tuple[str, ...] = ()


@dataclass(frozen=True)
class LabelledChat:
    """Messages of one person.

    ``change`` says what the second message does to the first; after ``both``, both are true. The right answer to
    ``question`` contains ``must`` and not ``must_not``; either is None where the set does not say.
    """

    name: str
    language: str
    messages: tuple[LabelledChatMessage, ...]
    change: Change = ""
    question: str = ""
    must: re.Pattern[str] | None = None
    must_not: re.Pattern[str] | None = None


def read_chats(path: Path) -> list[LabelledChat]:
    """The chats of a JSONL file, a voice's file, or all voices of a folder. Raises ``BadChat``, ``OSError``."""
    if path.is_dir():
        return [chat for voice in sorted(path.glob("*.txt")) for chat in read_chats(voice)]
    return list(_chats_of_voice(path) if path.suffix == ".txt" else _chats_of_rows(path))


def _chats_of_rows(path: Path) -> Iterator[LabelledChat]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip():
            try:
                yield _chat_of_row(json.loads(line))
            except (AttributeError, KeyError, TypeError, ValueError, re.error):
                raise BadChat(f"{path.name}:{number}") from None


def _chat_of_row(row: dict[str, Any]) -> LabelledChat:
    change = row.get("op", "")
    if row["lang"] not in _LANGUAGES or change not in get_args(Change) or bool(change) != (row["type"] == "pair"):
        raise ValueError
    return LabelledChat(
        name=str(row["id"]),
        language=row["lang"],
        messages=tuple(_parse_message(message) for message in (row["messages"] if change else [row])),
        change=change,
        question=row.get("question", ""),
        must=_compile_pattern(row.get("must", "")),
        must_not=_compile_pattern(row.get("must_not", "")),
    )


def _parse_message(row: dict[str, Any]) -> LabelledChatMessage:
    expected = tuple(ExpectedStatement(label["statement"], _compile_pattern(label["match"])) for label in row["learn"])
    return LabelledChatMessage(row["text"], expected)


def _compile_pattern(text: str) -> re.Pattern[str] | None:
    """Compile a label's pattern, which is trusted like code: no text that users send is ever compiled."""
    return re.compile(text, re.IGNORECASE | re.DOTALL) if text else None


def _chats_of_voice(path: Path) -> Iterator[LabelledChat]:
    try:
        for number, message in enumerate(read_voice(path), 1):
            yield LabelledChat(f"{message.voice}:{number}", message.language, (_chat_message(message),))
    except ValueError as error:
        raise BadChat(str(error)) from None


def _chat_message(message: LabelledMessage) -> LabelledChatMessage:
    teaching = tuple(_expected_statement(sentence) for sentence in message.sentences if sentence.teaches)
    others = tuple(sentence.text for sentence in message.sentences if not sentence.teaches)
    return LabelledChatMessage(message.text, teaching, others)


def _expected_statement(sentence: LabelledSentence) -> ExpectedStatement:
    return ExpectedStatement(f"{sentence.kind}: {sentence.text.strip()}", sentence=sentence.text)
