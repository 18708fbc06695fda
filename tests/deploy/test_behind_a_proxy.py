"""Behind nginx and HAProxy, as ``deploy/`` sets them up: streams, addresses, TLS and bounds are as without them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

import pytest

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from foundation.database.acting_user import acting_as
from tests.deploy.proxies import RunningProxy
from tests.support.cast import allow
from tests.support.model_server import Exchange, ModelServer, Says, SaysInTwoBreaths

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]
QUESTION = "What happened?"


@dataclass
class AnswersInTwoBreaths:
    """Streams an answer in two pieces, the second when told to go on; what asks for JSON it answers at once."""

    speaker: SaysInTwoBreaths = field(default_factory=SaysInTwoBreaths)

    def perform(self, exchange: Exchange) -> None:
        (Says() if "response_format" in exchange.request.body else self.speaker).perform(exchange)


@pytest.fixture
def token(alice: User) -> str:
    allow(alice)
    with acting_as(alice.pk):
        return issue_token(alice)[1]


def test_a_piece_of_an_answer_arrives_before_the_model_has_finished(
    proxy: RunningProxy, model: ModelServer, token: str
) -> None:
    model.default = behaviour = AnswersInTwoBreaths()
    with proxy.client() as client:
        client.headers["Authorization"] = f"Token {token}"
        session = client.post("/api/sessions", json={}).json()["session_id"]
        address = f"/api/sessions/{session}/messages"
        with client.stream("POST", address, params={"stream": "true"}, json={"content": QUESTION}) as answer:
            lines = (json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: "))
            assert next(lines) == {"text": "Bonds "}
            behaviour.speaker.go_on.set()
            assert any(line.get("reply") == "Bonds fell." for line in lines)


def test_an_address_is_the_clients_own_whatever_it_claims(proxy: RunningProxy) -> None:
    def attempt(address: str, claimed: str) -> int:
        wrong = {"username": "nobody", "password": f"wrong-{claimed}"}
        with proxy.client(address) as client:
            return client.post("/api/auth/token", json=wrong, headers={"X-Forwarded-For": claimed}).status_code

    of_one = [attempt("127.0.0.2", f"203.0.113.{number}") for number in range(3)]
    assert (of_one, attempt("127.0.0.3", "127.0.0.2")) == ([401, 401, 429], 401)


def test_what_is_not_encrypted_is_redirected_and_cookies_are_for_tls_alone(proxy: RunningProxy) -> None:
    with proxy.client() as client:
        plain = client.get(f"http://localhost:{proxy.http_port}/sign-in/", headers={"X-Forwarded-Proto": "https"})
        page = client.get("/sign-in/")
    assert (plain.status_code, plain.headers["location"].startswith("https://localhost")) == (301, True)
    assert page.status_code == 200
    assert re.search("csrftoken=.*; Secure", page.headers["set-cookie"])


def test_bodies_are_bounded_as_in_the_product(proxy: RunningProxy) -> None:
    with proxy.client() as client:
        larger = {"content": b" " * 1_000_001, "headers": {"Content-Type": "application/json"}}
        assert client.post("/api/sessions", **larger).status_code == 413  # type: ignore[arg-type]
        assert client.post("/api/imports", **larger).status_code == 401  # type: ignore[arg-type]


def test_metrics_are_not_for_the_public(proxy: RunningProxy) -> None:
    with proxy.client() as client:
        assert client.get("/metrics").status_code == 404
