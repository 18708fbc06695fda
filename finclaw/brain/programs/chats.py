"""Reads a chat that a program sends: its instructions, the history, the message to answer, and its tools' answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby, pairwise, takewhile
from typing import Literal

from django.utils.translation import gettext as _

from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.program_texts import masked_text, screened_json
from consent.sensitive.services import SAID, screen_text
from finclaw.brain.types import EarlierLookup, ProgramRequest
from foundation.exceptions import ValidationFailed
from foundation.llm import ModelRole
from foundation.llm.types import CallerFields, ToolCall, ToolRound
from foundation.sanitization.prompt_text import NOTHING, as_message
from foundation.sanitization.types import SafeText
from memory.types import HistoryLine

LOOKUP_CHARS, LOOKUP_ANSWER = 16_000, 4_000
"""How many characters of tools' answers in earlier turns the model is shown, in all and of each answer."""


@dataclass(frozen=True)
class ChatMessage:
    """A message of a program's chat as it came: nothing in it is screened.

    ``calls`` are an assistant's calls of tools; ``call_id`` says which of them a tool's message answers.
    """

    role: Literal["instructions", "user", "assistant", "tool"]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True)
class ProgramChat:
    """A chat in parts. ``asked`` are the user's last consecutive messages and ``history`` is what precedes them.
    ``rounds`` are the tool calls after them, ``lookups`` those before; ``instructions`` are the program's.
    """

    asked: tuple[str, ...]
    history: tuple[HistoryLine, ...]
    rounds: tuple[ToolRound, ...]
    lookups: tuple[EarlierLookup, ...]
    instructions: SafeText

    @property
    def known(self) -> tuple[HistoryLine, ...]:
        """All that was said, the message included."""
        return (*self.history, *(HistoryLine("user", text) for text in self.asked))

    def request(self, caller: CallerFields, role: ModelRole | None) -> ProgramRequest:
        """What the program asks of the turn besides the message."""
        return ProgramRequest(self.instructions, caller, self.rounds, self.lookups, role, self.known)


class _UnansweredCalls(Exception):
    """A round of tool calls has no answer to each call, or answers to others."""


def read_chat(messages: Sequence[ChatMessage], known_names: Collection[str], *, field: str) -> ProgramChat:
    """The parts of a chat. Raises ``ValidationFailed``, naming the ``field`` that held it, for a chat that a turn
    cannot answer, and ``SensitiveInput`` for sensitive arguments of tool calls; ``known_names`` are not sensitive.
    """
    told = [message.text for message in messages if message.role == "instructions"]
    said = [message for message in messages if message.role != "instructions"]
    since = list(takewhile(lambda message: message.role != "user", reversed(said)))[::-1]
    until = said[: len(said) - len(since)]
    asked = list(takewhile(lambda message: message.role == "user", reversed(until)))[::-1]
    if not asked:
        raise ValidationFailed(details={field: [_("There is no message of the user's.")]})
    before = until[: len(until) - len(asked)]
    try:
        rounds = tuple(_rounds(since, known_names))
    except _UnansweredCalls:
        refusal = _("The last message is the user's, or answers all that the assistant asked tools for.")
        raise ValidationFailed(details={field: [refusal]}) from None
    return ProgramChat(
        tuple(message.text for message in asked),
        tuple(_history(before)),
        rounds,
        tuple(_lookups(before, known_names)),
        as_message(masked_text("\n\n".join(filter(None, told)))) if any(told) else NOTHING,
    )


def _history(messages: Sequence[ChatMessage]) -> Iterator[HistoryLine]:
    """What user and assistant said; without tools' answers and the assistant's messages that call tools."""
    for message in messages:
        if message.role in ("user", "assistant") and not message.calls and message.text.strip():
            yield HistoryLine("user" if message.role == "user" else "assistant", message.text)


def _lookups(messages: Sequence[ChatMessage], known_names: Collection[str]) -> list[EarlierLookup]:
    """The tools' answers in earlier turns, the latest ones for which there is room; without turns that hold sensitive
    input or are incomplete.
    """
    found, room = list[EarlierLookup](), LOOKUP_CHARS
    for asked, told in _turns_with_tools(messages):
        room -= len(str(told))
        if room < 0:
            break
        with suppress(_UnansweredCalls, SensitiveInput):
            words = screen_text(SAID, asked, known_names).text
            found.append(EarlierLookup(as_message(words), tuple(_rounds(told, known_names))))
    return found[::-1]


def _turns_with_tools(messages: Sequence[ChatMessage]) -> Iterator[tuple[str, list[ChatMessage]]]:
    """For each turn with tools: the user's words, and the messages up to the last tool's answer; the latest first."""
    runs = [list(run) for _, run in groupby(messages, key=lambda message: message.role == "user")]
    for asked, answered in reversed(list(pairwise(runs))):
        last = max((place for place, one in enumerate(answered, 1) if one.role == "tool"), default=0)
        if last and asked[0].role == "user":
            yield "\n".join(message.text for message in asked), [_shortened(message) for message in answered[:last]]


def _shortened(message: ChatMessage) -> ChatMessage:
    """The message, a tool's shortened; it is masked before the cut, which could hide half of a sensitive text."""
    if message.role != "tool":
        return message
    return replace(message, text=masked_text(message.text[: 2 * LOOKUP_ANSWER])[:LOOKUP_ANSWER])


def _rounds(messages: Sequence[ChatMessage], known_names: Collection[str]) -> Iterator[ToolRound]:
    """The rounds of tool calls since the user's message, each call with its answer. Raises ``_UnansweredCalls``."""
    left = list(messages)
    while left:
        asking = left.pop(0)
        answers = list(takewhile(lambda message: message.role == "tool", left))
        left = left[len(answers) :]
        said = {answer.call_id: as_message(masked_text(answer.text)) for answer in answers}
        if asking.role != "assistant" or not asking.calls or set(said) != {call.id for call in asking.calls}:
            raise _UnansweredCalls
        calls = tuple(replace(call, arguments=screened_json(call.arguments, known_names)) for call in asking.calls)
        spoken = screen_text(SAID, asking.text, known_names).text
        yield ToolRound(spoken, calls, tuple(said[call.id] for call in calls))
