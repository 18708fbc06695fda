"""Characters that PostgreSQL refuses never leave the model port: an answer with one is an answer without it."""

from __future__ import annotations

import json

import pytest

from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.types import Message, Prompt, Tool, ToolOffer
from foundation.sanitization.types import SafeText
from tests.foundation.llm.conftest import ModelMaker
from tests.foundation.llm.test_streaming import drained
from tests.support.model_server import AsksFor, ModelServer, Says

LOOK_UP = ToolOffer((Tool("look_up", "Finds.", {"type": "object", "properties": {"query": {"type": "string"}}}),))
SCHEMA = {"title": "note", "type": "object", "required": ["note"], "properties": {"note": {"type": "string"}}}


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (("A\x00B", "C\x00"), "ABC"),
        (("half \ud83d", "\ude00!"), "half 😀!"),
        (("half \ud83d", " lost"), "half ? lost"),
        (("lone \ude00", ""), "lone ?"),
        (("at the end \ud83d",), "at the end ?"),
        (("柏林", "。"), "柏林。"),
    ],
)
def test_it_is_cleaned_whole_and_in_pieces(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, pieces: tuple[str, ...], text: str
) -> None:
    server.default = Says(pieces)
    model = make_model()

    streamed, reply = drained(model.stream(prompt, "big"))

    assert reply.text == model.call(prompt, "big").text == text
    assert text.startswith("".join(streamed))
    "".join(streamed).encode()


def test_an_answer_of_nothing_else_is_none(server: ModelServer, make_model: ModelMaker, prompt: Prompt) -> None:
    server.default = Says(("\x00", "\x00"))

    with pytest.raises(ModelUnavailable) as failure:
        make_model().call(prompt, "big")

    assert failure.value.details["reason"] == "unusable_answer"


def test_an_escape_in_a_structured_answer_is_cleaned(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt
) -> None:
    server.default = Says((r'{"note": "a\u0000b \ud83d \ud83d\ude00 \u00e4", "\u0000k": ["\u0000"]}',))

    reply = make_model().call(prompt, "small", schema=SCHEMA)

    assert json.loads(reply.text) == {"note": "ab ? 😀 ä", "k": [""]}


def test_the_arguments_of_a_tool_call_are_cleaned(server: ModelServer, make_model: ModelMaker) -> None:
    server.default = AsksFor((("look_up", r'{"query": "a\u0000b"}'), ("look_up", "no json \\u0000")))
    prompt = Prompt(SafeText("System."), (Message("user", SafeText("Well?")),))

    first, second = make_model().call(prompt, "big", tools=LOOK_UP).tool_calls

    assert json.loads(first.arguments) == {"query": "ab"}
    assert second.arguments == "no json \\u0000"
