"""Whatever goes wrong has the contract's shape, and never the caller's words in it."""

from __future__ import annotations

from http import HTTPStatus

import pytest
from django.conf import settings
from django.test import Client
from rest_framework.test import APIClient
from rest_framework.throttling import UserRateThrottle

from finclaw.api.parsers import MOST_LEVELS
from finclaw.api.users import MeView
from finclaw.statuses import STATUS_OF
from foundation.accounts.models import User
from memory.models import MemoryItem
from tests.support.api import code_of, post, send

_UNREADABLE = [b"{", b"\xff\xfe", b'{"name": NaN}', b'{"name": "a\\u0000b"}', b'{"name": "\\ud800"}', b"[" * 100_000]


@pytest.mark.parametrize(
    "path", ["/api/", "/api/nothing", "/api/users/me/", "/api/sessions/not-a-uuid", "/api/events/r"]
)
@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_an_address_that_is_none_is_not_found_by_any_method(as_alice: APIClient, method: str, path: str) -> None:
    answer = getattr(as_alice, method)(path)
    assert (answer.status_code, code_of(answer)) == (404, "not_found")


def test_options_is_a_method_like_another(as_alice: APIClient) -> None:
    assert code_of(as_alice.options("/api/users/me")) == "method_not_allowed"


@pytest.mark.parametrize("body", _UNREADABLE)
def test_a_body_that_cannot_be_read_is_malformed(as_alice: APIClient, body: bytes) -> None:
    answer = send(as_alice, "POST", "/api/groups", body)
    assert (answer.status_code, code_of(answer)) == (400, "malformed_json")


@pytest.mark.parametrize("depth", [65, 300, 500, 700, 5_000])
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_a_body_nested_without_end_is_malformed(
    as_alice: APIClient, depth: int, opening: bytes, closing: bytes
) -> None:
    for path in ("groups", "tasks", "tasks/preview", "memories"):
        answer = send(as_alice, "POST", f"/api/{path}", opening * depth + b"1" + closing * depth)
        assert (answer.status_code, code_of(answer)) == (400, "malformed_json")


def test_a_body_as_deep_as_may_be_is_read(as_alice: APIClient) -> None:
    answer = send(as_alice, "POST", "/api/tasks", b'{"a":' * MOST_LEVELS + b"1" + b"}" * MOST_LEVELS)
    assert (answer.status_code, code_of(answer)) == (400, "validation_error")


@pytest.mark.parametrize("body", [b"[]", b"null", b'"name"', b"1", b"{}"])
def test_a_body_of_another_shape_is_invalid(as_alice: APIClient, body: bytes) -> None:
    answer = send(as_alice, "POST", "/api/groups", body)
    assert (answer.status_code, code_of(answer)) == (400, "validation_error")


def test_a_refused_choice_is_told_what_may_be_chosen(as_alice: APIClient) -> None:
    answer = post(as_alice, "/api/memories/search", {"query": "tea", "filters": {"memory_type": "I own a vineyard"}})
    assert answer.status_code == 400
    told = answer.json()["details"]["filters"]["memory_type"][0]
    assert all(kind in told for kind in MemoryItem.MemoryType.values)
    assert "vineyard" not in told
    assert "USD" not in (refused := as_alice.get("/api/memories?state=USD").json()["details"]["state"][0])
    assert "quarantined" in refused


@pytest.mark.parametrize("charset", ["utf-16", "hex", "nonsense"])
def test_json_is_utf_8_whatever_the_header_says(as_alice: APIClient, charset: str) -> None:
    answer = send(as_alice, "POST", "/api/groups", '{"name": "研究"}'.encode(), f"application/json; charset={charset}")
    assert (answer.status_code, answer.json()["name"]) == (201, "研究")


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_only_json_is_taken(as_alice: APIClient, content_type: str) -> None:
    answer = send(as_alice, "POST", "/api/groups", b"name=Desk", content_type)
    assert (answer.status_code, code_of(answer)) == (415, "unsupported_media_type")


def test_a_body_over_the_limit_is_too_large(as_alice: APIClient) -> None:
    answer = post(as_alice, "/api/groups", {"name": "x" * settings.MAX_BODY_BYTES})
    assert (answer.status_code, code_of(answer)) == (413, "payload_too_large")


@pytest.mark.parametrize("accept", ["text/html", "text/event-stream", "application/xml", "*/*;q=0"])
def test_the_answer_is_json_whatever_is_asked_for(as_alice: APIClient, accept: str) -> None:
    answer = as_alice.get("/api/groups", headers={"Accept": accept})
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")


def test_a_browsers_session_needs_its_csrf_token(alice: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice, "django.contrib.auth.backends.ModelBackend")
    assert browser.get("/api/users/me").status_code == 200
    answer = browser.post("/api/groups", {"name": "Desk"}, content_type="application/json")
    assert (answer.status_code, code_of(answer)) == (403, "csrf_failed")


def test_a_bad_host_is_refused_in_json(db: None) -> None:
    answer = APIClient(raise_request_exception=False).get("/api/users/me", headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert "evil.example" not in answer.content.decode()
    assert code_of(answer) == "validation_error"


def test_too_many_requests_say_when_to_come_back(as_alice: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(UserRateThrottle, "THROTTLE_RATES", {"user": "2/min", "anon": "2/min"})
    answers = [as_alice.get("/api/groups") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert code_of(answers[2]) == "rate_limited"
    assert 1 <= int(answers[2]["Retry-After"]) <= 61


def test_an_unforeseen_error_says_no_more_than_the_requests_id(
    as_alice: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("I own a vineyard")

    monkeypatch.setattr(MeView, "_represent", broken)
    answer = as_alice.get("/api/users/me")
    assert (answer.status_code, code_of(answer)) == (500, "internal_error")
    assert answer.json()["details"] == {"request_id": answer["X-Request-Id"]}
    assert "vineyard" not in answer.content.decode()


def test_every_code_has_a_status_that_exists() -> None:
    assert {HTTPStatus(status) for status in STATUS_OF.values()} <= set(HTTPStatus)


def test_what_proxies_repeat_no_other_error_answers() -> None:
    assert [code for code, status in STATUS_OF.items() if status == STATUS_OF["server_stopping"]] == ["server_stopping"]
