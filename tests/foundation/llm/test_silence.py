"""A server that hangs costs the silence one may wait for, once; one that goes on writing has the whole time."""

from __future__ import annotations

import time

import pytest

from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.types import Prompt
from tests.foundation.llm.conftest import ModelMaker
from tests.foundation.llm.test_streaming import drained
from tests.support.model_server import Behaviour, Exchange, Hangs, KeepsAlive, ModelServer, Says, Stalls

SILENCE = 0.2


class SaysSlowly:
    """Streams a piece every so often, for longer than one may be silent."""

    def perform(self, exchange: Exchange) -> None:
        says = Says(("a ",) * 8)
        send = exchange.send_event

        def send_late(payload: object) -> None:
            exchange.closing.wait(SILENCE / 4)
            send(payload)  # type: ignore[arg-type]

        exchange.send_event = send_late  # type: ignore[method-assign]
        says.perform(exchange)


@pytest.mark.parametrize("behaviour", [Hangs(), Stalls(), Stalls(("In ",)), KeepsAlive()], ids=str)
@pytest.mark.parametrize("streaming", [False, True])
def test_silence_ends_a_call_long_before_its_whole_time_and_is_not_met_again(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, behaviour: Behaviour, streaming: bool
) -> None:
    server.script([behaviour])
    model = make_model(timeout=600.0, silence=SILENCE, retries=3)

    with pytest.raises(ModelUnavailable) as failure:
        drained(model.stream(prompt, "big")) if streaming else model.call(prompt, "big")

    assert failure.value.details["reason"] == "timeout"
    assert len(server.requests) == 1


@pytest.mark.parametrize("streaming", [False, True])
def test_an_answer_may_take_longer_than_a_silence(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, streaming: bool
) -> None:
    server.script([SaysSlowly()])
    model = make_model(timeout=30.0, silence=SILENCE)

    reply = drained(model.stream(prompt, "big"))[1] if streaming else model.call(prompt, "big")

    assert reply.text == "a " * 8


def test_a_slow_reader_is_not_the_servers_silence(server: ModelServer, make_model: ModelMaker, prompt: Prompt) -> None:
    server.script([Says(("In ", "Berlin."))])
    stream = make_model(timeout=30.0, silence=SILENCE).stream(prompt, "big")

    pieces = []
    for piece in stream:
        time.sleep(1.5 * SILENCE)
        pieces.append(piece)

    assert pieces == ["In ", "Berlin."]
