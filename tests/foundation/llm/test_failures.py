"""What a failing server looks like from this side."""

from __future__ import annotations

import socket

import pytest

from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.types import Prompt
from tests.foundation.llm.conftest import ModelMaker
from tests.support.model_server import (
    MALFORMED,
    NO_CHOICES,
    Behaviour,
    Drops,
    KeepsAlive,
    ModelServer,
    Refuses,
    Says,
    SendsBody,
    Stalls,
)


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (Refuses(400), "request_refused"),
        (Refuses(401), "credentials_refused"),
        (Refuses(403), "credentials_refused"),
        (Refuses(404), "request_refused"),
        (Refuses(408), "server_error"),
        (Refuses(429), "rate_limited"),
        (Refuses(500), "server_error"),
        (Refuses(503), "server_error"),
        (MALFORMED, "unusable_answer"),
        (NO_CHOICES, "unusable_answer"),
        (SendsBody("[]"), "unusable_answer"),
        (SendsBody('{"choices": null}'), "unusable_answer"),
        (SendsBody('{"choices": [{"message": {"content": null}}]}'), "unusable_answer"),
        (SendsBody("<html>gateway</html>", "text/html"), "unusable_answer"),
        (Says(("  ",)), "unusable_answer"),
        (Drops(), "unreachable"),
    ],
)
def test_every_failure_is_model_unavailable_with_a_reason(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, behaviour: Behaviour, reason: str
) -> None:
    server.script([behaviour])

    with pytest.raises(ModelUnavailable) as failure:
        make_model().call(prompt, "big")

    assert failure.value.code == "model_unavailable"
    assert failure.value.details["reason"] == reason


def test_a_server_that_is_not_there_is_unreachable(make_model: ModelMaker, prompt: Prompt) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        base_url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"

        with pytest.raises(ModelUnavailable) as failure:
            make_model(base_url=base_url, retries=1).call(prompt, "big")

    assert failure.value.details["reason"] == "unreachable"


@pytest.mark.parametrize("behaviour", [Stalls(), KeepsAlive()])
def test_a_call_ends_at_its_deadline_even_while_bytes_keep_coming(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, behaviour: Behaviour
) -> None:
    server.script([behaviour])

    with pytest.raises(ModelUnavailable) as failure:
        make_model(timeout=0.3, retries=3).call(prompt, "big")

    assert failure.value.details["reason"] == "timeout"
    assert len(server.requests) == 1
