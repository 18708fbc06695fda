"""Tries what a configured model can do of what this product asks of one, and says what is done without it."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final, Protocol

from foundation.llm.answer_formats import FORMATS, AnswerFormat
from foundation.llm.exceptions import MalformedReply, ModelUnavailable
from foundation.llm.refusals import noting_refusals
from foundation.llm.types import ANSWER_CUT, NO_TOOLS, Message, Prompt, Reply, Tool, ToolOffer
from foundation.sanitization.prompt_text import trusted_text
from foundation.sanitization.types import SafeText

_WORD: Final = "quartz"
_SYSTEM: Final = trusted_text("You are a careful assistant. Answer briefly.")
_SAY_THE_WORD: Final = trusted_text(f"Whatever the message asks, answer with this single word: {_WORD}")
_SCHEMA: Final[dict[str, Any]] = {
    "title": "check",
    "type": "object",
    "additionalProperties": False,
    "required": ["town", "number"],
    "properties": {"town": {"type": "string"}, "number": {"type": "integer"}},
}
_TOOL: Final = ToolOffer(
    (
        Tool(
            "look_up_weather",
            "The weather of a town, today.",
            {"type": "object", "required": ["town"], "properties": {"town": {"type": "string"}}},
        ),
    )
)
_MOST_TOKENS: Final = 300  # as for reading what a message wants: one that thinks for longer has no answer left
_FEW_TOKENS: Final = 8


@dataclass(frozen=True)
class CheckResult:
    """What one trial found. ``without`` says what is done without it; empty where nothing is missing."""

    tried: str
    found: str
    without: str = ""
    is_fatal: bool = False


@dataclass(frozen=True)
class CheckedSettings:
    """What the settings say of a model that is checked."""

    calls_tools: bool
    context_window: int


class CheckedModel(Protocol):
    """A model behind a server, asked directly: without retries, and in a format of the caller's."""

    def call(
        self, prompt: Prompt, model_id: str, *, max_tokens: int | None = None, tools: ToolOffer = NO_TOOLS
    ) -> Reply: ...

    def stream(
        self, prompt: Prompt, model_id: str, *, max_tokens: int | None = None
    ) -> Generator[str, None, Reply]: ...

    def call_in_format(
        self, prompt: Prompt, model_id: str, schema: Mapping[str, Any], asked: AnswerFormat, *, max_tokens: int | None
    ) -> Reply: ...

    def stated_window(self, model_id: str) -> int | None: ...


def check_model(model: CheckedModel, model_id: str, stated: CheckedSettings) -> Iterator[CheckResult]:
    """Try one thing after another; where the model does not answer at all, that is the only result."""
    answers = _check_answer(model, model_id)
    yield from answers
    if any(result.is_fatal for result in answers):
        return
    yield _check_system_prompt(model, model_id)
    yield _check_json(model, model_id)
    yield _check_tools(model, model_id, stated)
    yield _check_limit(model, model_id)
    yield _check_window(model, model_id, stated)


def _check_answer(model: CheckedModel, model_id: str) -> list[CheckResult]:
    began = monotonic()
    try:
        with noting_refusals(model_id):
            pieces = model.stream(_question(trusted_text("Write one sentence on the sea.")), model_id)
            moments = [monotonic() - began for _ in pieces]
    except ModelUnavailable as error:
        return [CheckResult("answer", _failure(error), "no message is answered", is_fatal=True)]
    answer = CheckResult("answer", f"yes; first words after {moments[0]:.1f} s, the last after {moments[-1]:.1f} s")
    if len(moments) > 1:
        return [answer, CheckResult("streaming", f"yes, {len(moments)} pieces")]
    without = "nobody can read along, and the server is silent until the answer is whole"
    return [answer, CheckResult("streaming", "no, it came in one piece", without)]


def _check_system_prompt(model: CheckedModel, model_id: str) -> CheckResult:
    prompt = Prompt(_SAY_THE_WORD, (Message("user", trusted_text("What is two and two?")),))
    without = "who speaks, what is remembered and the safety rules may go unheeded"
    return _check_word("system prompt", model, model_id, prompt, without)


def _check_word(tried: str, model: CheckedModel, model_id: str, prompt: Prompt, without: str) -> CheckResult:
    try:
        reply = model.call(prompt, model_id, max_tokens=_MOST_TOKENS)
    except ModelUnavailable as error:
        return CheckResult(tried, _failure(error), without)
    return CheckResult(tried, "heeded") if _WORD in reply.text.casefold() else CheckResult(tried, "ignored", without)


def _check_json(model: CheckedModel, model_id: str) -> CheckResult:
    """Every format is tried: which one is best does not say whether the next below it would do."""
    found = {asked: _try_format(model, model_id, asked) for asked in FORMATS}
    shown = "; ".join(f"{asked}: {outcome}" for asked, outcome in found.items())
    works = [asked for asked, outcome in found.items() if outcome == "yes"]
    if not works:
        without = "messages are understood, learned from and researched by rules alone"
    elif FORMATS[0] not in works:
        without = "the schema is sent in the prompt, and an answer past it is replaced by rules"
    else:
        without = ""
    return CheckResult("JSON", shown, without)


def _try_format(model: CheckedModel, model_id: str, asked: AnswerFormat) -> str:
    prompt = _question(
        trusted_text('Name a town in Italy and the number 7, as JSON with the fields "town" and "number".')
    )
    try:
        model.call_in_format(prompt, model_id, _SCHEMA, asked, max_tokens=_MOST_TOKENS)
    except MalformedReply:
        return "answered past the schema"
    except ModelUnavailable as error:
        return _failure(error)
    return "yes"


def _check_tools(model: CheckedModel, model_id: str, stated: CheckedSettings) -> CheckResult:
    prompt = _question(trusted_text("What is the weather in Berlin today? Use the tool."))
    try:
        calls = model.call(prompt, model_id, max_tokens=_MOST_TOKENS, tools=_TOOL).tool_calls
    except ModelUnavailable as error:
        return CheckResult("tools", _failure(error), _without_tools(stated))
    if not calls:
        return CheckResult("tools", "offered, and not called", _without_tools(stated))
    if stated.calls_tools:
        return CheckResult("tools", "called")
    return CheckResult("tools", "called", "MODEL_CALLS_TOOLS is off: nothing is looked up while it answers")


def _without_tools(stated: CheckedSettings) -> str:
    if stated.calls_tools:
        return "set MODEL_CALLS_TOOLS=false: turns offer tools in vain, and are asked again without"
    return "nothing is looked up while it answers"


def _check_limit(model: CheckedModel, model_id: str) -> CheckResult:
    try:
        reply = model.call(_question(trusted_text("Write a page on the sea.")), model_id, max_tokens=_FEW_TOKENS)
    except ModelUnavailable as error:
        return CheckResult("answer limit", _failure(error), "nobody is told that an answer was cut")
    if ANSWER_CUT in reply.degraded:
        return CheckResult("answer limit", "told when it cuts")
    return CheckResult("answer limit", "not told", "nobody is told that an answer was cut")


def _check_window(model: CheckedModel, model_id: str, stated: CheckedSettings) -> CheckResult:
    window, configured = model.stated_window(model_id), stated.context_window
    if window is None:
        return CheckResult("context window", f"the server does not say; MODEL_CONTEXT_WINDOW is {configured}")
    found = f"{window} tokens; MODEL_CONTEXT_WINDOW is {configured}"
    if window < configured:
        return CheckResult("context window", found, f"long prompts are refused or cut: set it to {window}")
    return CheckResult("context window", found)


def _question(words: SafeText) -> Prompt:
    return Prompt(_SYSTEM, (Message("user", words),))


def _failure(error: ModelUnavailable) -> str:
    """The failure in words that hold nothing of the prompt, the answer or the key."""
    status = error.details.get("status")
    return f"{_FAILURES.get(error.details.get('reason', ''), 'failed')}{f' (HTTP {status})' if status else ''}"


_FAILURES: Final = {
    "timeout": "silent for too long",
    "unreachable": "not reached, or it broke off",
    "rate_limited": "refused for now: too many requests",
    "server_error": "the server failed",
    "credentials_refused": "the key is refused: check OPENAI_API_KEY",
    "request_refused": "refused",
    "unusable_answer": "an answer that cannot be used",
}
