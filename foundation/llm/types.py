"""Defines the input and output of language models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, groupby
from typing import Any, Final, Literal

from foundation.sanitization.prompt_text import NOTHING, element, join_texts
from foundation.sanitization.types import SafeText
from foundation.text import estimate_tokens

ModelRole = Literal["large", "small"]
CallKind = Literal[
    "answer",
    "understanding",
    "memory_check",
    "boundary_check",
    "research",
    "learning",
    "events",
    "portrait",
    "arbitration",
    "summary",
]
"""What a call is for. Calls are counted, timed and priced by it, so it is a label of metrics: few and fixed."""
ANSWER_CUT: Final = "answer_cut"
"""The degradation that a receipt shows where an answer was cut at the model's token limit."""
THE_USER = "user"
"""How a prompt names the person it answers, among those it quotes."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may ask for. Servers take names of ``[A-Za-z0-9_-]{1,64}``; ``parameters`` is the JSON
    Schema of its arguments, an object.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """The tools of one call. With ``may_call`` off they only describe tools that were called in earlier rounds."""

    tools: tuple[Tool, ...] = ()
    may_call: bool = True


NO_TOOLS = ToolOffer()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of a model. ``arguments`` is JSON as the model wrote it, not validated yet."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolRound:
    """One round of tool calls: the model's text, its calls, and ``answers`` with one text a call, in their order."""

    text: str
    calls: tuple[ToolCall, ...]
    answers: tuple[SafeText, ...]

    @property
    def texts(self) -> list[str]:
        """All texts of the round that the model reads."""
        return [self.text, *(text for call in self.calls for text in (call.name, call.arguments)), *self.answers]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; ``rounds`` are the tool calls between it and the next message."""

    role: Literal["user", "assistant"]
    content: SafeText
    rounds: tuple[ToolRound, ...] = ()

    @property
    def texts(self) -> list[str]:
        """Everything of it that the model reads."""
        return [self.content, *(text for tool_round in self.rounds for text in tool_round.texts)]


@dataclass(frozen=True, slots=True)
class CallerFields:
    """What a program that calls the model through this service asks of it.

    ``fields`` are fields of its request as given, its tools among them; ``max_tokens`` may lower the configured limit
    of the answer.
    """

    fields: Mapping[str, Any] = field(default_factory=dict)
    max_tokens: int | None = None

    @property
    def has_tools(self) -> bool:
        """Whether the program offers tools of its own: it runs what the model calls."""
        return bool(self.fields.get("tools"))


NO_FIELDS = CallerFields()


@dataclass(frozen=True, slots=True)
class Prompt:
    """The system prompt and the turns after it, oldest first; the last one is the user's.

    All of it is ``SafeText``: what may enter a prompt is decided in ``foundation.sanitization``, and nowhere else.
    What changes from turn to turn stands in the last message, right before the user's words, so that everything before
    it is the same text as in the turn before: ``guidance`` instructs for this turn alone, ``context`` is quoted and
    instructs nothing. ``opening`` quotes what was said before the messages; ``rounds`` is what was looked up since.
    ``caller`` is what a calling program asks of the model.
    Raises ``ValueError`` when the last message is not the user's.
    """

    system: SafeText
    messages: tuple[Message, ...]
    guidance: SafeText = NOTHING
    context: SafeText = NOTHING
    opening: SafeText = NOTHING
    rounds: tuple[ToolRound, ...] = ()
    caller: CallerFields = NO_FIELDS

    def __post_init__(self) -> None:
        if not self.messages or self.messages[-1].role != "user":
            raise ValueError("a prompt ends with the user's message")

    @property
    def question(self) -> str:
        """The user's latest message."""
        return self.messages[-1].content

    @property
    def turns(self) -> list[Message]:
        """The messages as the model reads them: the user first, then both by turns, the last with what is for it.

        Many chat templates refuse anything else: a system message after the first (Qwen), two messages of one speaker
        or an assistant who speaks first (Mistral, Gemma).
        """
        *earlier, last = self.messages
        asked = _paragraphs(_lines_in("guidance", self.guidance), _lines_in("context", self.context), last.content)
        opening = [Message("user", self.opening)] if self.opening else []
        return _by_turns([*opening, *earlier, Message("user", asked)])

    @property
    def texts(self) -> list[str]:
        """Everything that the model reads, piece by piece."""
        looked_up = [text for tool_round in self.rounds for text in tool_round.texts]
        asked_of_model = [json.dumps(self.caller.fields, ensure_ascii=False)] if self.caller.fields else []
        said = [text for turn in self.turns for text in turn.texts]
        return [self.system, *said, *looked_up, *asked_of_model]


def _by_turns(messages: Iterable[Message]) -> list[Message]:
    """The messages with neighbours of one speaker as one, from the user's first on."""
    spoken = dropwhile(lambda message: message.role != "user", messages)
    return [_joined_turn(list(together)) for _, together in groupby(spoken, key=lambda message: message.role)]


def _joined_turn(said: Sequence[Message]) -> Message:
    rounds = tuple(tool_round for message in said for tool_round in message.rounds)
    return Message(said[0].role, _paragraphs(*(message.content for message in said)), rounds)


def _lines_in(tag: str, text: SafeText) -> SafeText:
    return element(tag, join_texts("\n", (NOTHING, text, NOTHING))) if text else NOTHING


def _paragraphs(*texts: SafeText) -> SafeText:
    return join_texts("\n\n", filter(None, texts))


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one call: as the server counted them, else estimated.

    ``cached_tokens`` are those of the prompt that the server had read before, and bills for less.
    """

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0

    @classmethod
    def estimated(cls, prompt: Prompt, answer: str) -> TokenUsage:
        """The usage of a call whose server did not count, erring upwards."""
        return cls(sum(map(estimate_tokens, prompt.texts)), estimate_tokens(answer))

    def __add__(self, other: TokenUsage) -> TokenUsage:
        return TokenUsage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer. ``degraded`` holds codes of the HTTP contract's ``degraded`` list.

    With ``tool_calls`` it is not the final answer: the model waits for their results, and ``text`` may be empty.
    ``first_token_at`` is when its first word, or its first tool call, had come: seconds of the monotonic clock.
    """

    text: str
    model_id: str
    usage: TokenUsage
    degraded: tuple[str, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    first_token_at: float | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class CallLimits:
    """What one call may cost, in seconds, attempts and tokens.

    ``timeout_seconds`` bounds the whole call, retries and waiting between them included;
    ``first_token_timeout_seconds`` bounds every silence, before the first token and between two.
    """

    timeout_seconds: float
    first_token_timeout_seconds: float
    max_retries: int
    max_output_tokens: int
    first_backoff_seconds: float = 0.5
