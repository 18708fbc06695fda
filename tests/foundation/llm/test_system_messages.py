"""Chat templates that take one system message, and that one first, still answer a prompt with two."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.types import Message, Prompt
from foundation.sanitization.types import SafeText
from tests.foundation.llm.conftest import ModelMaker
from tests.foundation.llm.test_streaming import drained
from tests.support.model_server import Exchange, ModelServer, Refuses, Says

TWO = Prompt(
    SafeText("Be careful."),
    (Message("user", SafeText("Hello")), Message("assistant", SafeText("Hi")), Message("user", SafeText("Well?"))),
    closing=SafeText("Answer in English."),
)


class TakesOneSystemMessage:
    """A server with a strict template: llama.cpp answers 500, vLLM 400."""

    def __init__(self, status: int) -> None:
        self._refuses = Refuses(status)

    def perform(self, exchange: Exchange) -> None:
        roles = [message["role"] for message in exchange.request.body["messages"]]
        (self._refuses if "system" in roles[1:] else Says()).perform(exchange)


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize("streaming", [False, True])
def test_it_is_found_out_once_and_kept_to(
    server: ModelServer, make_model: ModelMaker, status: int, streaming: bool
) -> None:
    server.default = TakesOneSystemMessage(status)
    model = make_model(retries=2)

    for _ in range(2):
        reply = drained(model.stream(TWO, "big"))[1] if streaming else model.call(TWO, "big")
        assert reply.text == "Hello."

    first, *merged = [request.body["messages"] for request in server.requests]
    assert [message["role"] for message in first] == ["system", "user", "assistant", "system", "user"]
    assert len(merged) == 2
    for messages in merged:
        assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
        assert messages[0]["content"] == "Be careful.\n\nAnswer in English."


def test_a_prompt_refused_for_something_else_tells_nothing_about_the_next(
    server: ModelServer, make_model: ModelMaker
) -> None:
    server.script([Refuses(400), Refuses(400)])  # with two and with one: it is too long
    server.default = TakesOneSystemMessage(400)
    model = make_model()

    with pytest.raises(ModelUnavailable):
        model.call(TWO, "big")
    assert model.call(TWO, "big").text == "Hello."
    assert model.call(TWO, "big").text == "Hello."

    assert len(server.requests) == 5


def test_a_server_that_takes_two_gets_two(server: ModelServer, make_model: ModelMaker) -> None:
    server.script([Says(), Refuses(400)])
    model = make_model()

    model.call(TWO, "big")
    with pytest.raises(ModelUnavailable):
        model.call(TWO, "big")

    assert len(server.requests) == 2


def test_one_system_message_is_asked_with_once(server: ModelServer, make_model: ModelMaker) -> None:
    server.default = Refuses(400)

    with pytest.raises(ModelUnavailable):
        make_model().call(replace(TWO, closing=SafeText("")), "big")

    assert len(server.requests) == 1
