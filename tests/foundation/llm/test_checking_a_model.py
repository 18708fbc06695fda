"""``manage.py check_model`` tries what a model can do and says in plain lines what is degraded, without any secret."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from tests.support.model_server import AsksFor, Behaviour, Exchange, Hangs, ModelServer, Refuses, Says, SendsBody

KEY = "sk-not-to-be-shown"
FITTING = Says(('{"town": "Rome", "number": 7}',))


class AbleModel:
    """A server on which everything works, apart from what is named."""

    def __init__(self, **without: Behaviour) -> None:
        self._without = without

    def perform(self, exchange: Exchange) -> None:
        self._behaviour(exchange.request.body).perform(exchange)

    def _behaviour(self, body: dict) -> Behaviour:  # type: ignore[type-arg]
        asked = body.get("response_format", {}).get("type", "")
        if asked or "JSON" in body["messages"][-1]["content"]:
            return self._without.get(asked or "prompt", FITTING)
        if body.get("tools"):
            return self._without.get("tools", AsksFor((("look_up_weather", '{"town": "Berlin"}'),)))
        if body["max_tokens"] < 50:
            return self._without.get("limit", Says(("The sea",), finish_reason="length"))
        return self._without.get("system", Says(("Quartz", ".")))


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    with ModelServer(AbleModel()) as running:
        settings.OPENAI_BASE_URL = running.base_url.replace("//", "//user:pass-not-to-be-shown@")
        settings.OPENAI_API_KEY, settings.MODEL_LARGE, settings.MODEL_SMALL = KEY, "big", ""
        settings.MODEL_CALLS_TOOLS, settings.MODEL_CONTEXT_WINDOW = True, 32_000
        settings.MODEL_FIRST_TOKEN_TIMEOUT_SECONDS = 0.3
        running.models = {"data": [{"id": "big", "max_model_len": 32_768}]}
        yield running


def _check() -> str:
    printed = StringIO()
    try:
        call_command("check_model", stdout=printed)
    finally:
        text = printed.getvalue()
        assert KEY not in text
        assert "not-to-be-shown" not in text
    return text


def test_a_model_that_can_everything_is_not_degraded(server: ModelServer) -> None:
    printed = _check()

    assert "Nothing is degraded." in printed
    assert "32768 tokens; MODEL_CONTEXT_WINDOW is 32000" in printed
    assert "json_schema: yes; json_object: yes; prompt: yes" in printed


@pytest.mark.parametrize(
    ("without", "line"),
    [
        ({"json_schema": Refuses(500)}, "JSON: the schema is sent in the prompt"),
        (
            {name: Says(("no",)) for name in ("json_schema", "json_object", "prompt")},
            "JSON: messages are understood, learned from and researched by rules alone",
        ),
        ({"tools": Refuses(400)}, "tools: set MODEL_CALLS_TOOLS=false"),
        ({"tools": Says(("It rains.",))}, "tools: set MODEL_CALLS_TOOLS=false"),
        ({"system": Says(("Four", "."))}, "system prompt: who speaks"),
        ({"limit": Says(("The sea", "."))}, "answer limit: nobody is told"),
        ({"system": Says(("Quartz",), knows_streams=False)}, "streaming: nobody can read along"),
    ],
)
def test_what_is_missing_is_named_with_what_is_done_without_it(
    server: ModelServer, without: dict[str, Behaviour], line: str
) -> None:
    server.default = AbleModel(**without)

    degraded = _check().split("Degraded:")[1]

    assert f"  {line}" in degraded
    assert len(degraded.strip().splitlines()) == 1


def test_a_window_that_is_too_small_is_told(server: ModelServer, settings: Settings) -> None:
    server.models = {"data": [{"id": "big", "meta": {"n_ctx_train": 8_192}}]}
    assert "set it to 8192" in _check()

    server.models = {"data": "nonsense"}
    assert "the server does not say" in _check()


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (Refuses(401, message=f"bad key {KEY}"), "the key is refused: check OPENAI_API_KEY (HTTP 401)"),
        (Refuses(404), "refused (HTTP 404)"),
        (Refuses(429, {"Retry-After": "3600"}), "too many requests (HTTP 429)"),
        (Hangs(), "silent for too long"),
        (SendsBody("<html>", "text/html"), "an answer that cannot be used"),
    ],
)
def test_a_model_that_does_not_answer_is_a_failure(server: ModelServer, behaviour: Behaviour, words: str) -> None:
    server.default = behaviour
    printed = StringIO()

    with pytest.raises(CommandError, match="big cannot be used"):
        call_command("check_model", stdout=printed)

    assert words in printed.getvalue()
    assert len(server.requests) == 1


def test_both_models_are_tried(server: ModelServer, settings: Settings) -> None:
    settings.MODEL_SMALL = "little"

    assert [line.split(" at ")[0] for line in _check().splitlines() if " at http" in line] == ["big", "little"]


def test_without_a_model_it_says_so(settings: Settings) -> None:
    settings.OPENAI_BASE_URL = ""

    assert "No language model is configured" in _check()


def test_its_questions_hold_nothing_of_anybodys(server: ModelServer) -> None:
    _check()

    assert all(len(json.dumps(request.body)) < 2_000 for request in server.requests)
