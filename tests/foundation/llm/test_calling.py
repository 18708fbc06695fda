"""One call, one answer."""

from __future__ import annotations

from foundation.llm.types import Message, Prompt, TokenUsage
from foundation.sanitization.types import SafeText
from tests.foundation.llm.conftest import ModelMaker
from tests.support.model_server import ModelServer, Says


def test_the_answer_and_the_servers_own_count_come_back(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt
) -> None:
    server.script([Says(("In ", "Berlin."), prompt_tokens=21, completion_tokens=4)])

    reply = make_model().call(prompt, "big")

    assert reply.text == "In Berlin."
    assert reply.model_id == "big"
    assert reply.usage == TokenUsage(21, 4)
    assert reply.degraded == ()


def test_the_whole_prompt_is_sent_in_order(server: ModelServer, make_model: ModelMaker) -> None:
    turns = (
        Message("user", SafeText("你好")),
        Message("assistant", SafeText("Hello")),
        Message("user", SafeText("Where am I?")),
    )

    make_model().call(Prompt(SafeText("System."), turns), "big")

    sent = server.requests[0].body
    assert sent["model"] == "big"
    assert [(turn["role"], turn["content"]) for turn in sent["messages"]] == [
        ("system", "System."),
        ("user", "你好"),
        ("assistant", "Hello"),
        ("user", "Where am I?"),
    ]


def test_the_key_is_sent_as_a_bearer_token(server: ModelServer, make_model: ModelMaker, prompt: Prompt) -> None:
    make_model(api_key="a-key").call(prompt, "big")

    assert server.requests[0].headers["Authorization"] == "Bearer a-key"


def test_a_server_without_keys_can_be_called(server: ModelServer, make_model: ModelMaker, prompt: Prompt) -> None:
    assert make_model(api_key="").call(prompt, "big").text == "Hello."


def test_usage_is_estimated_when_the_server_gives_none(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt
) -> None:
    server.script([Says(prompt_tokens=None)])

    usage = make_model().call(prompt, "big").usage

    assert usage.prompt_tokens > 0
    assert usage.completion_tokens > 0


def test_a_caller_may_lower_the_output_limit_and_never_raise_it(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt
) -> None:
    model = make_model()

    for asked in (None, 40, 10_000):
        model.call(prompt, "big", max_tokens=asked)

    assert [request.body["max_tokens"] for request in server.requests] == [500, 40, 500]
