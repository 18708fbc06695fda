"""When a call is tried again, and when it is not."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
import structlog

from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.types import Prompt
from tests.foundation.llm.conftest import ModelMaker
from tests.support.model_server import MALFORMED, NO_CHOICES, Behaviour, Drops, ModelServer, Refuses


@pytest.mark.parametrize(
    "behaviour", [Refuses(429), Refuses(500), Refuses(408), Drops(), MALFORMED, NO_CHOICES], ids=str
)
def test_what_may_pass_is_tried_again(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, behaviour: Behaviour
) -> None:
    server.script([behaviour, behaviour])

    assert make_model(retries=2).call(prompt, "big").text == "Hello."
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_will_not_pass_is_not_tried_again(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, status: int
) -> None:
    server.script([Refuses(status)])

    with pytest.raises(ModelUnavailable):
        make_model(retries=2).call(prompt, "big")
    assert len(server.requests) == 1


@pytest.fixture
def full_server() -> Iterator[str]:
    """The address of a server that is up and accepts nobody: its queue of connections is full."""
    with ExitStack() as sockets:
        server = sockets.enter_context(socket.socket())
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(4):
            waiting = sockets.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(server.getsockname())
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


def test_a_connection_that_is_not_accepted_in_time_is_tried_again(
    full_server: str, make_model: ModelMaker, prompt: Prompt
) -> None:
    model = make_model(base_url=full_server, silence=0.1, retries=2)

    with structlog.testing.capture_logs() as logs, pytest.raises(ModelUnavailable) as failure:
        model.call(prompt, "big")

    assert failure.value.details["reason"] == "unreachable"
    assert [line["event"] for line in logs] == ["model.retry"] * 2


def test_the_number_of_retries_is_kept(server: ModelServer, make_model: ModelMaker, prompt: Prompt) -> None:
    server.default = Refuses(500)

    with pytest.raises(ModelUnavailable):
        make_model(retries=2).call(prompt, "big")
    assert len(server.requests) == 3


def in_an_hour() -> str:
    return format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)


@pytest.mark.parametrize("hint", [lambda: "3600", in_an_hour], ids=["seconds", "date"])
def test_a_retry_after_past_the_deadline_ends_the_call_at_once(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, hint: Callable[[], str]
) -> None:
    server.script([Refuses(429, {"Retry-After": hint()})])  # made now: a slow suite takes most of an hour

    with pytest.raises(ModelUnavailable) as failure:
        make_model(retries=2).call(prompt, "big")

    assert len(server.requests) == 1
    assert failure.value.details["retry_after_seconds"] > 3000


@pytest.mark.parametrize("hint", ["0", "Sat, 01 Jan 2000 00:00:00 GMT", "soon", "-5", "²"])
def test_a_retry_after_that_is_past_or_unreadable_does_not_stop_the_retry(
    server: ModelServer, make_model: ModelMaker, prompt: Prompt, hint: str
) -> None:
    server.script([Refuses(429, {"Retry-After": hint})])

    assert make_model(retries=1).call(prompt, "big").text == "Hello."
