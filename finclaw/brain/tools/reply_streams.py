"""The reply of a model as a stream: asked for whole or piece by piece, listened to, and what it is once complete."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast

from finclaw.brain.tools.turn_end import TurnEnd
from finclaw.brain.types import CandidateDecision
from foundation.llm import LanguageModel, ModelRole, Prompt, Reply, TokenUsage, model_id_for
from foundation.llm.types import ToolOffer
from memory.types import SearchResult, ToolRun

T = TypeVar("T")
AskModel = Callable[[Prompt, ToolOffer], Generator[str, None, Reply]]
ContentParts = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class CompletedReply:
    """The whole reply, the prompt it answers, what the model looked up, the searches behind that, the ``end`` it
    gave, and how each tool ran.
    """

    reply: Reply
    prompt: Prompt
    decisions: tuple[CandidateDecision, ...] = ()
    searches: tuple[SearchResult, ...] = ()
    ending: TurnEnd | None = None
    runs: tuple[ToolRun, ...] = ()


class WayOfAsking(Protocol):
    """How a reply is asked for; ``parts`` are shown to the model beside the prompt."""

    def __call__(self, model: LanguageModel, role: ModelRole, parts: ContentParts = ()) -> AskModel: ...


def ask_for_whole(model: LanguageModel, role: ModelRole, parts: ContentParts = ()) -> AskModel:
    """Asks for the whole reply, given as a stream of one piece."""

    def ask(prompt: Prompt, offer: ToolOffer) -> Generator[str, None, Reply]:
        reply = model.call(prompt, model_id_for(role), parts or None, kind="answer", tools=offer)
        yield reply.text
        return reply

    return ask


def ask_for_pieces(model: LanguageModel, role: ModelRole, parts: ContentParts = ()) -> AskModel:
    """Asks for the reply piece by piece."""
    return lambda prompt, offer: model.stream(prompt, model_id_for(role), parts or None, kind="answer", tools=offer)


def drain(speaking: Generator[object, None, CompletedReply]) -> CompletedReply:
    """Run the stream to its end and return the completed reply, for callers that do not listen to pieces."""
    while True:
        try:
            next(speaking)
        except StopIteration as end:
            return cast("CompletedReply", end.value)


def give_fixed_reply(text: str, prompt: Prompt) -> Generator[str, None, CompletedReply]:
    """A fixed text as a stream of one piece; no model is asked."""
    yield text
    return CompletedReply(Reply(text, "", TokenUsage(0, 0)), prompt)


def record_pieces(pieces: Generator[str, None, T], heard: list[str]) -> Generator[str, None, T]:
    """The pieces, with the first also appended to ``heard``: from then on the request cannot be repeated."""
    with closing(pieces):
        try:
            heard.append(next(pieces))
        except StopIteration as end:
            return cast("T", end.value)
        yield heard[0]
        return (yield from pieces)
