"""Answers that must fit a JSON schema."""

from __future__ import annotations

import json

import pytest

from foundation.llm.exceptions import MalformedReply, ModelUnavailable
from foundation.llm.offline_model import OfflineModel
from foundation.llm.types import Prompt
from tests.foundation.llm.conftest import ModelMaker
from tests.support.model_server import ModelServer, Says

SCHEMA = {
    "title": "user intent",
    "type": "object",
    "properties": {"intent_type": {"type": "string"}, "confidence": {"type": "number", "maximum": 1}},
    "required": ["intent_type", "confidence"],
}
GOOD = '{"intent_type": "闲聊", "confidence": 0.9}'


@pytest.mark.parametrize(
    "text",
    [GOOD, f"  {GOOD}\n", f"```json\n{GOOD}\n```", f"```\n{GOOD}\n```", f"\n```JSON\n\n{GOOD}\n\n```\n"],
)
def test_a_fitting_object_comes_back_without_its_fence(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, text: str
) -> None:
    server.script([Says((text,))])

    reply = make_model().call(prompt, "small", schema=SCHEMA)

    assert json.loads(reply.text) == {"intent_type": "闲聊", "confidence": 0.9}


def test_the_schema_is_sent_under_a_name_servers_accept(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt
) -> None:
    server.script([Says((GOOD,))])

    make_model().call(prompt, "small", schema=SCHEMA)

    asked = server.requests[0].body["response_format"]
    assert asked == {"type": "json_schema", "json_schema": {"name": "user_intent", "schema": SCHEMA}}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I think it is small talk.", "not_json"),
        (GOOD[:-1], "not_json"),
        (f"Here you are: {GOOD}", "not_json"),
        ('{"intent_type": "x", "confidence": NaN}', "not_json"),
        ("[" * 100_000, "not_json"),
        (f"[{GOOD}]", "not_an_object"),
        ('"chat"', "not_an_object"),
        ('{"intent_type": "chat"}', "schema_broken"),
        ('{"intent_type": "chat", "confidence": "high"}', "schema_broken"),
        ('{"intent_type": "chat", "confidence": 2}', "schema_broken"),
    ],
)
def test_anything_else_is_malformed_and_left_to_the_caller_to_ask_again(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, text: str, reason: str
) -> None:
    server.script([Says((text,))])

    with pytest.raises(MalformedReply) as failure:
        make_model(retries=2).call(prompt, "small", schema=SCHEMA)

    assert failure.value.details["reason"] == reason
    assert len(server.requests) == 1


def test_the_offline_model_refuses_structured_calls(prompt: Prompt) -> None:
    with pytest.raises(ModelUnavailable, match="No language model is configured"):
        OfflineModel().call(prompt, "offline", schema=SCHEMA)
