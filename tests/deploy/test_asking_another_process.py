"""A proxy asks another web process only where the first has done nothing for certain: no turn is lost or doubled."""

from __future__ import annotations

import pytest

from finclaw.statuses import STATUS_OF
from tests.deploy.conftest import StartProxy
from tests.support.model_server import Behaviour, Drops, ModelServer, Refuses, Says
from tests.support.ports import free_port

STOPPING = STATUS_OF["server_stopping"]
TURNS = 4
BODY = {"content": "Hello"}


def _port(server: ModelServer) -> int:
    return int(server.base_url.split(":")[2].split("/")[0])


def _server(behaviour: Behaviour) -> ModelServer:
    """A web process that is ready, and treats every POST like this."""
    server = ModelServer(behaviour)
    server.models = {}
    return server


def _asked_through(start: StartProxy, ports: tuple[int, int], times: int) -> list[int]:
    with start(ports) as proxy, proxy.client() as client:
        return [client.post("/api/sessions/1/messages", json=BODY).status_code for _ in range(times)]


def test_who_is_stopping_is_passed_over(start: StartProxy) -> None:
    with _server(Refuses(STOPPING)) as stopping, _server(Says()) as other:
        assert _asked_through(start, (_port(stopping), _port(other)), TURNS) == [200] * TURNS
        assert len(other.requests) == TURNS


def test_nothing_but_stopping_is_told_by_the_status_that_proxies_repeat_on() -> None:
    assert [code for code, status in STATUS_OF.items() if status == STOPPING] == ["server_stopping"]


def test_who_is_not_there_is_passed_over(start: StartProxy) -> None:
    with _server(Says()) as other:
        assert _asked_through(start, (free_port(), _port(other)), TURNS) == [200] * TURNS
        assert len(other.requests) == TURNS


def test_who_dies_in_a_turn_may_have_stored_it(start: StartProxy) -> None:
    with _server(Drops()) as one, _server(Drops()) as other:
        assert _asked_through(start, (_port(one), _port(other)), 1) == [502]
        assert len(one.requests + other.requests) == 1


def test_who_lacks_a_part_may_have_stored_the_turn(start: StartProxy) -> None:
    with _server(Refuses(503)) as one, _server(Refuses(503)) as other:
        assert _asked_through(start, (_port(one), _port(other)), 1) == [503]
        assert len(one.requests + other.requests) == 1


def test_what_all_refuse_the_client_sees(start: StartProxy) -> None:
    refuses = Refuses(STOPPING, headers={"Retry-After": "7"})
    with (
        _server(refuses) as one, _server(refuses) as other,
        start((_port(one), _port(other))) as proxy, proxy.client() as client,
    ):  # fmt: skip
        answer = client.post("/api/sessions/1/messages", json=BODY)
    assert (answer.status_code, answer.headers["retry-after"]) == (STOPPING, "7")
    assert "refused" in answer.text


@pytest.fixture(autouse=True)
def _usual_model() -> None:
    """No product is asked here."""
