"""An answer piece by piece."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.types import Prompt, Reply, TokenUsage
from tests.foundation.llm.conftest import ModelMaker
from tests.support.model_server import Drops, KeepsAlive, ModelServer, Refuses, Says, SendsEvents, Stalls


def drained(stream: Generator[str, None, Reply]) -> tuple[list[str], Reply]:
    pieces = []
    while True:
        try:
            pieces.append(next(stream))
        except StopIteration as end:
            return pieces, end.value


def test_pieces_are_yielded_and_the_whole_reply_is_returned(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt
) -> None:
    server.script([Says(("In ", "Berlin", "，柏林。"), prompt_tokens=21, completion_tokens=4)])

    pieces, reply = drained(make_model().stream(prompt, "big"))

    assert pieces[0] == "In "  # what comes at once after it may come as one
    assert "".join(pieces) == "In Berlin，柏林。"
    assert reply == Reply("In Berlin，柏林。", "big", TokenUsage(21, 4))
    assert server.requests[0].body["stream_options"] == {"include_usage": True}


def test_nothing_is_sent_before_the_first_piece_is_asked_for(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt
) -> None:
    make_model().stream(prompt, "big")

    assert server.requests == []


@pytest.mark.parametrize("behaviour", [Drops(("In ",)), Stalls(("In ",)), KeepsAlive(("In ",))])
def test_a_stream_that_breaks_after_some_pieces_fails_and_is_not_tried_again(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, behaviour: Drops | Stalls | KeepsAlive
) -> None:
    server.script([behaviour])
    stream = make_model(timeout=0.6, silence=0.3, retries=2).stream(prompt, "big")

    assert next(stream) == "In "
    with pytest.raises(ModelUnavailable):
        next(stream)
    assert len(server.requests) == 1


@pytest.mark.parametrize("behaviour", [Refuses(500), Refuses(429, {"Retry-After": "0"}), SendsEvents(())])
def test_a_stream_that_has_not_begun_is_tried_again(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, behaviour: Refuses | SendsEvents
) -> None:
    server.script([behaviour])

    pieces, _ = drained(make_model(retries=1).stream(prompt, "big"))

    assert pieces == ["Hello."]
    assert len(server.requests) == 2


ROLE = '{"choices": [{"index": 0, "delta": {"role": "assistant"}, "finish_reason": null}]}'
TEXT = '{"choices": [{"index": 0, "delta": {"content": "In "}, "finish_reason": null}]}'
STOP = '{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}'


@pytest.mark.parametrize(
    "events",
    [
        (ROLE, TEXT),
        (ROLE, TEXT, "[DONE]"),
        (ROLE, STOP, "[DONE]"),
        (ROLE, TEXT, '{"choices": [{"del'),
        (ROLE, TEXT, '{"choices": "none"}', STOP),
        (ROLE, TEXT, '{"error": {"message": "overloaded"}}'),
        ("[1, 2]", STOP),
    ],
    ids=["no end", "no finish reason", "no text", "cut JSON", "wrong shape", "error event", "no object"],
)
def test_a_stream_without_a_proper_end_is_no_reply(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, events: tuple[str, ...]
) -> None:
    server.script([SendsEvents(events)])

    with pytest.raises(ModelUnavailable):
        drained(make_model().stream(prompt, "big"))


def test_a_reader_who_leaves_closes_the_connection(server: ModelServer, make_model: ModelMaker, prompt: Prompt) -> None:
    server.script([Stalls(("In ",))])
    model = make_model()
    stream = model.stream(prompt, "big")
    next(stream)

    stream.close()

    assert model.call(prompt, "big").text == "Hello."


def test_events_without_text_yield_nothing(server: ModelServer, make_model: ModelMaker, prompt: Prompt) -> None:
    server.script([SendsEvents((ROLE, ROLE, TEXT, STOP, "[DONE]"))])

    pieces, reply = drained(make_model().stream(prompt, "big"))

    assert pieces == ["In "]
    assert reply.usage.completion_tokens > 0
