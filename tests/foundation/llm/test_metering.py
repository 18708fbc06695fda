"""Each call of a model is counted by what it was for: how it ended, how long it took, and the tokens it cost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from time import monotonic
from typing import Any

import pytest
from prometheus_client import REGISTRY
from pytest_django import Settings

from foundation.llm import CallKind, MalformedReply, ModelUnavailable, configured_model
from foundation.llm.types import Prompt, TokenUsage
from tests.foundation.llm.test_streaming import drained
from tests.support.model_server import ModelServer, Refuses, Says, SaysInTwoBreaths

_SCHEMA = {"type": "object", "required": ["town"], "properties": {"town": {"type": "string"}}}


@pytest.fixture(autouse=True)
def _model(settings: Settings, server: ModelServer) -> None:
    settings.OPENAI_BASE_URL = server.base_url
    settings.MODEL_MAX_RETRIES = 0


def _counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


class Figures:
    """What the metrics of one kind of call have grown by since this was made."""

    def __init__(self, kind: CallKind, model: str = "big") -> None:
        self._labels = {"kind": kind, "model": model}
        self._before = self._read()

    def _read(self) -> dict[str, float]:
        outcomes = ("answered", "broken_off", "malformed", "server_error")
        calls = {word: _counted("model_calls_total", **self._labels, outcome=word) for word in outcomes}
        directions = ("input", "cached_input", "output")
        tokens = {word: _counted("model_tokens_total", **self._labels, direction=word) for word in directions}
        timed = ("model_first_token_seconds", "model_call_seconds")
        return calls | tokens | {name: _counted(f"{name}_count", **self._labels) for name in timed}

    @property
    def new(self) -> dict[str, float]:
        return {name: value - self._before[name] for name, value in self._read().items() if value != self._before[name]}


@pytest.mark.parametrize(
    "counted",
    [{"prompt_tokens_details": {"cached_tokens": 15}}, {"prompt_cache_hit_tokens": 15}],
    ids=["nested", "flat"],
)
@pytest.mark.parametrize("streaming", [True, False])
def test_an_answer_is_counted_with_its_tokens_and_its_first_one(
    server: ModelServer, prompt: Prompt, counted: Mapping[str, Any], streaming: bool
) -> None:
    server.script([Says(("In ", "Berlin."), prompt_tokens=21, completion_tokens=4, counted_besides=counted)])
    figures = Figures("answer")
    model = configured_model(None)

    if streaming:
        _, reply = drained(model.stream(prompt, "big", kind="answer"))
    else:
        reply = model.call(prompt, "big", kind="answer")

    assert reply.usage == TokenUsage(21, 4, cached_tokens=15)
    assert figures.new == {
        "answered": 1, "input": 6, "cached_input": 15, "output": 4,
        "model_first_token_seconds": 1, "model_call_seconds": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    "counted",
    [
        {},
        {"prompt_tokens_details": None},
        {"prompt_tokens_details": {"cached_tokens": "some"}},
        {"prompt_tokens_details": 7},
    ],
)
def test_a_server_that_does_not_say_what_it_cached_cached_nothing(
    server: ModelServer, prompt: Prompt, counted: Mapping[str, Any]
) -> None:
    server.script([Says(prompt_tokens=21, completion_tokens=4, counted_besides=counted)])

    assert configured_model(None).call(prompt, "big", kind="answer").usage == TokenUsage(21, 4)


def test_no_more_is_cached_than_was_read(server: ModelServer, prompt: Prompt) -> None:
    server.script([Says(prompt_tokens=21, counted_besides={"prompt_cache_hit_tokens": 1_000})])

    assert configured_model(None).call(prompt, "big", kind="answer").usage.cached_tokens == 21


def test_the_first_token_comes_before_the_rest(server: ModelServer, prompt: Prompt) -> None:
    speaking = SaysInTwoBreaths()
    server.script([speaking])
    stream = configured_model(None).stream(prompt, "big", kind="answer")
    next(stream)
    heard = monotonic()
    speaking.go_on.set()

    _, reply = drained(stream)

    assert reply.first_token_at is not None
    assert reply.first_token_at <= heard


def test_a_refused_call_is_counted_by_its_reason_and_by_what_it_was_for(server: ModelServer, prompt: Prompt) -> None:
    server.script([Refuses(503)])
    research, answers = Figures("research"), Figures("answer")

    with pytest.raises(ModelUnavailable):
        configured_model(None).call(prompt, "big", kind="research")

    assert research.new == {"server_error": 1}
    assert answers.new == {}


def test_an_answer_out_of_shape_is_a_failure_that_costs_its_tokens(server: ModelServer, prompt: Prompt) -> None:
    server.script([Says((json.dumps({"village": "Rixdorf"}),), prompt_tokens=30, completion_tokens=9)])
    figures = Figures("learning")

    with pytest.raises(MalformedReply):
        configured_model(None).call(prompt, "big", kind="learning", schema=_SCHEMA)

    assert figures.new == {"malformed": 1, "input": 30, "output": 9}


def test_a_reader_who_leaves_has_cost_the_prompt_and_what_was_said_so_far(server: ModelServer, prompt: Prompt) -> None:
    server.script([Says(("In ", "Berlin ", "and elsewhere."))])
    figures = Figures("answer")
    stream = configured_model(None).stream(prompt, "big", kind="answer")
    said = next(stream)

    stream.close()

    cost = TokenUsage.estimated(prompt, said)
    assert figures.new == {
        "broken_off": 1, "input": cost.prompt_tokens, "output": cost.completion_tokens, "model_first_token_seconds": 1,
    }  # fmt: skip
