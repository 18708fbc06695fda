"""Reads the messages of a chat as OpenAI's clients send them: instructions, history, the message, tools' answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile
from typing import Any, Final

from django.utils.translation import gettext as _

from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.program_texts import masked_text, screened_json
from consent.sensitive.services import SAID, screen_text
from finclaw.brain.types import EarlierLookup
from foundation.exceptions import ValidationFailed
from foundation.llm.types import ToolCall, ToolRound
from foundation.sanitization.prompt_text import NOTHING, as_message
from foundation.sanitization.types import SafeText
from memory.types import HistoryLine

INSTRUCTING: Final = frozenset({"system", "developer"})
LOOKUP_CHARS, LOOKUP_ANSWER = 16_000, 4_000
"""How many characters of tools' answers in earlier turns the model is shown, in all and of each answer."""
_ROLES: Final = frozenset({"user", "assistant", "tool"})


@dataclass(frozen=True)
class ChatMessages:
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


def read_messages(messages: Sequence[dict[str, Any]], known_names: Collection[str] = ()) -> ChatMessages:
    """The parts of a chat. Raises ``ValidationFailed`` for a chat that a turn cannot answer, and ``SensitiveInput`` for
    sensitive arguments of tool calls; ``known_names`` do not count as sensitive.
    """
    told = [_text_of(message) for message in messages if message.get("role") in INSTRUCTING]
    said = [message for message in messages if message.get("role") not in INSTRUCTING]
    if any(message.get("role") not in _ROLES for message in said):
        raise _refusal(_("Roles are system, developer, user, assistant and tool."))
    since = list(takewhile(lambda message: message["role"] != "user", reversed(said)))[::-1]
    until = said[: len(said) - len(since)]
    asked = list(takewhile(lambda message: message["role"] == "user", reversed(until)))[::-1]
    if not asked:
        raise _refusal(_("There is no message of the user's."))
    before = until[: len(until) - len(asked)]
    return ChatMessages(
        tuple(map(_text_of, asked)),
        tuple(_history(before)),
        tuple(_rounds(since, known_names)),
        tuple(_lookups(before, known_names)),
        as_message(masked_text("\n\n".join(filter(None, told)))) if any(told) else NOTHING,
    )


def _history(messages: Sequence[dict[str, Any]]) -> list[HistoryLine]:
    """What user and assistant said; without tools' answers and the assistant's messages that call tools."""
    spoken = [message for message in messages if message["role"] != "tool" and not message.get("tool_calls")]
    lines = [HistoryLine(message["role"], _text_of(message)) for message in spoken]
    return [line for line in lines if line.text.strip()]


def _lookups(messages: Sequence[dict[str, Any]], known_names: Collection[str]) -> list[EarlierLookup]:
    """The tools' answers in earlier turns, the latest ones for which there is room; without turns that hold sensitive
    input or are incomplete.
    """
    found, room = list[EarlierLookup](), LOOKUP_CHARS
    for asked, told in _turns_with_tools(messages):
        room -= len(str(told))
        if room < 0:
            break
        with suppress(ValidationFailed, SensitiveInput):
            words = screen_text(SAID, asked, known_names).text
            found.append(EarlierLookup(as_message(words), tuple(_rounds(told, known_names))))
    return found[::-1]


def _turns_with_tools(messages: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """For each turn with tools: the user's words, and the messages up to the last tool's answer; the latest first."""
    runs = [list(run) for _, run in groupby(messages, key=lambda message: message["role"] == "user")]
    for asked, answered in reversed(list(pairwise(runs))):
        last = max((place for place, one in enumerate(answered, 1) if one["role"] == "tool"), default=0)
        if last and asked[0]["role"] == "user":
            yield "\n".join(map(_text_of, asked)), [_shortened(message) for message in answered[:last]]


def _shortened(message: dict[str, Any]) -> dict[str, Any]:
    """The message, a tool's shortened; it is masked before the cut, which could hide half of a sensitive text."""
    if message["role"] != "tool":
        return message
    return message | {"content": masked_text(_text_of(message)[: 2 * LOOKUP_ANSWER])[:LOOKUP_ANSWER]}


def _rounds(messages: Sequence[dict[str, Any]], known_names: Collection[str]) -> list[ToolRound]:
    """The rounds of tool calls since the user's message, each call with its answer."""
    rounds, left = [], list(messages)
    while left:
        asking = left.pop(0)
        calls = tuple(_tool_call(call, known_names) for call in asking.get("tool_calls") or ())
        answers = list(takewhile(lambda message: message["role"] == "tool", left))
        left = left[len(answers) :]
        said = {_answered_call(answer): as_message(masked_text(_text_of(answer))) for answer in answers}
        if asking["role"] != "assistant" or not calls or set(said) != {call.id for call in calls}:
            raise _unanswered()
        spoken = screen_text(SAID, _text_of(asking), known_names).text
        rounds.append(ToolRound(spoken, calls, tuple(said[call.id] for call in calls)))
    return rounds


def _answered_call(answer: dict[str, Any]) -> str:
    """The id of the call that a tool's message answers."""
    key = answer.get("tool_call_id")
    if not isinstance(key, str):
        raise _unanswered()
    return key


def _unanswered() -> ValidationFailed:
    return _refusal(_("The last message is the user's, or answers all that the assistant asked tools for."))


def _tool_call(call: Any, known_names: Collection[str]) -> ToolCall:
    function = call.get("function") if isinstance(call, dict) else None
    if isinstance(function, dict):
        match (call.get("id"), function.get("name"), function.get("arguments")):
            case str(key), str(name), str(arguments):
                return ToolCall(key, name, screened_json(arguments, known_names))
    raise _refusal(_("A tool call needs an id, and the name and arguments of its function."))


def _text_of(message: dict[str, Any]) -> str:
    """The words of a message, given as text or as parts of text."""
    content = message.get("content")
    if content is None and message.get("role") == "assistant":
        return ""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise _refusal(_("The content of a message is text, or a list of parts."))
    texts = [part.get("refusal" if part.get("type") == "refusal" else "text") for part in parts]
    kinds = {part.get("type") for part in parts} - {"text", "input_text", "output_text", "refusal"}
    if kinds or not all(isinstance(text, str) for text in texts):
        raise _refusal(_("Only text is taken, no part of another type."))
    return "\n".join(map(str, texts))


def _refusal(sentence: str) -> ValidationFailed:
    return ValidationFailed(details={"messages": [sentence]})
