"""A model may ask for tools, at once or piece by piece, whether its server keeps to the protocol or not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from django.test import override_settings
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.llm import model_calls_tools
from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.offline_model import OfflineModel
from foundation.llm.tool_calls import ToolCallAssembler
from foundation.llm.types import Message, Prompt, Reply, TokenUsage, Tool, ToolCall, ToolOffer, ToolRound
from foundation.llm.wire_format import CallPiece
from foundation.sanitization.types import SafeText
from foundation.text import estimate_tokens
from tests.foundation.llm.conftest import ModelMaker
from tests.foundation.llm.test_streaming import drained
from tests.support.model_server import AsksFor, ModelServer, Says, SendsBody

LOOK_UP = Tool("look_up", "Looks something up.", {"type": "object", "properties": {"word": {"type": "string"}}})
OFFER = ToolOffer((LOOK_UP,))
ASKED = AsksFor((("look_up", '{"word": "BTC"}'), ("look_up", '{"word": "比特币"}')), said="One moment.")
CALLS = (
    ToolCall("call_look_up_0", "look_up", '{"word": "BTC"}'),
    ToolCall("call_look_up_1", "look_up", '{"word": "比特币"}'),
)


def test_what_a_model_asks_for_comes_back_with_what_it_said(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt
) -> None:
    server.script([ASKED])

    reply = make_model().call(prompt, "big", tools=OFFER)

    assert (reply.text, reply.tool_calls) == ("One moment.", CALLS)
    sent = server.requests[0].body
    assert sent["tools"] == [
        {"type": "function", "function": {
            "name": "look_up", "description": "Looks something up.", "parameters": LOOK_UP.parameters,
        }}
    ]  # fmt: skip
    assert sent["tool_choice"] == "auto"


def test_a_stream_puts_the_arguments_together(server: ModelServer, make_model: ModelMaker, prompt: Prompt) -> None:
    server.script([ASKED])

    pieces, reply = drained(make_model().stream(prompt, "big", tools=OFFER))

    assert pieces == ["One moment."]
    assert reply.tool_calls == CALLS


def test_asking_without_a_word_is_an_answer(server: ModelServer, make_model: ModelMaker, prompt: Prompt) -> None:
    silent = AsksFor((("look_up", "{}"),))
    server.script([silent, silent])

    assert make_model().call(prompt, "big", tools=OFFER).text == ""
    assert drained(make_model().stream(prompt, "big", tools=OFFER)) == (
        [],
        Reply("", "big", TokenUsage.estimated(prompt, ""), tool_calls=(ToolCall("call_look_up_0", "look_up", "{}"),)),
    )


@pytest.mark.parametrize("offer", [ToolOffer(), ToolOffer((LOOK_UP,), may_call=False)])
def test_who_asks_although_nothing_is_offered_has_not_answered(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, offer: ToolOffer
) -> None:
    server.script([AsksFor((("look_up", "{}"),))] * 2)

    with pytest.raises(ModelUnavailable):
        make_model().call(prompt, "big", tools=offer)
    with pytest.raises(ModelUnavailable):
        drained(make_model().stream(prompt, "big", tools=offer))


def test_without_tools_a_request_says_nothing_of_them(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt
) -> None:
    make_model().call(prompt, "big")

    assert not {"tools", "tool_choice"} & server.requests[0].body.keys()


def test_what_was_looked_up_follows_the_question_under_the_ids_of_its_calls(
    server: ModelServer, make_model: ModelMaker
) -> None:
    looked_up = Prompt(
        SafeText("Be careful."),
        (Message("user", SafeText("BTC?")),),
        context=SafeText("Soon."),
        rounds=(ToolRound("", CALLS, (SafeText("one"), SafeText("two"))),),
    )
    server.script([Says(("Done.",))])

    make_model().call(looked_up, "big", tools=ToolOffer((LOOK_UP,), may_call=False))

    sent = server.requests[0].body
    assert sent["tool_choice"] == "none"
    assert [message["role"] for message in sent["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
    ]
    assert sent["messages"][2]["content"] is None
    assert sent["messages"][2]["tool_calls"][1]["function"] == {"name": "look_up", "arguments": '{"word": "比特币"}'}
    assert sent["messages"][3:] == [
        {"role": "tool", "tool_call_id": "call_look_up_0", "content": "one"},
        {"role": "tool", "tool_call_id": "call_look_up_1", "content": "two"},
    ]


def test_an_estimate_counts_what_was_looked_up() -> None:
    bare = Prompt(SafeText("Be careful."), (Message("user", SafeText("BTC?")),))
    long = Prompt(bare.system, bare.messages, rounds=(ToolRound("", CALLS[:1], (SafeText("word " * 500),)),))

    assert TokenUsage.estimated(long, "").prompt_tokens >= TokenUsage.estimated(
        bare, ""
    ).prompt_tokens + estimate_tokens("word " * 500)


def test_a_server_that_sends_the_arguments_as_an_object_is_understood(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt
) -> None:
    call = {"function": {"name": "look_up", "arguments": {"word": "BTC"}}}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [call]}}
    server.script([SendsBody(json.dumps({"id": "1", "choices": [choice]}))])

    [asked] = make_model().call(prompt, "big", tools=OFFER).tool_calls

    assert (asked.id, asked.name, json.loads(asked.arguments)) == ("call_0", "look_up", {"word": "BTC"})


def _piece(**fields: Any) -> CallPiece:
    function: Mapping[str, Any] = {name: fields.pop(name) for name in ("name", "arguments") if name in fields}
    return CallPiece.model_validate(fields | {"function": function})


@pytest.mark.parametrize(
    "pieces",
    [
        # no index at all, a piece a call (ollama before 0.5)
        [_piece(id="a", name="f", arguments="{1}"), _piece(id="b", name="g", arguments="{2}")],
        # no index, in two pieces each
        [_piece(id="a", name="f"), _piece(arguments="{1}"), _piece(id="b", name="g"), _piece(arguments="{2}")],
        # the same index for every call
        [_piece(index=0, id="a", name="f", arguments="{1}"), _piece(index=0, id="b", name="g", arguments="{2}")],
        # interleaved
        [_piece(index=0, id="a", name="f"), _piece(index=1, id="b", name="g"), _piece(index=0, arguments="{1}"),
         _piece(index=1, arguments="{2}")],
        # a new id, or none, with every piece of one call
        [_piece(index=0, id="a", name="f", arguments="{"), _piece(index=0, id="x", arguments="1}"),
         _piece(index=1, id="b", name="g", arguments="{2"), _piece(index=1, arguments="}")],
        # the name again with every piece
        [_piece(index=0, id="a", name="f", arguments="{"), _piece(index=0, id="a", name="f", arguments="1}"),
         _piece(index=1, id="b", name="g", arguments="{2}")],
    ],
)  # fmt: skip
def test_calls_are_told_apart_whatever_the_server_leaves_out(pieces: list[CallPiece]) -> None:
    assert ToolCallAssembler(pieces).calls() == (ToolCall("a", "f", "{1}"), ToolCall("b", "g", "{2}"))


@settings(deadline=None)
@given(st.lists(st.tuples(st.text("ab", min_size=1, max_size=3), st.text(max_size=12)), max_size=4), st.data())
def test_arguments_survive_being_cut_anywhere(calls: list[tuple[str, str]], data: st.DataObject) -> None:
    gathered = ToolCallAssembler()
    for index, (name, arguments) in enumerate(calls):
        cut = data.draw(st.integers(0, len(arguments)))
        gathered.add(_piece(index=index, id=f"id{index}", name=name, arguments=arguments[:cut]))
        gathered.add(_piece(index=index, arguments=arguments[cut:]))

    assert [(call.name, call.arguments) for call in gathered.calls()] == calls


def test_the_offline_model_takes_no_tools(prompt: Prompt) -> None:
    assert OfflineModel().call(prompt, "offline", tools=OFFER).tool_calls == ()


@pytest.mark.parametrize(
    ("server_url", "declared", "expected"), [("", True, False), ("http://x", False, False), ("http://x", True, True)]
)
def test_tools_are_for_models_that_are_declared_to_take_them(server_url: str, declared: bool, expected: bool) -> None:
    with override_settings(OPENAI_BASE_URL=server_url, MODEL_CALLS_TOOLS=declared):
        assert model_calls_tools() is expected
