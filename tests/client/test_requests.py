"""A request is made again where that helps, under one key, and every failure is an error that says what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from finclaw_client import (
    ApiError,
    AsyncFinClaw,
    AuthenticationError,
    ConfigurationError,
    ConsentError,
    FinClaw,
    NotFoundError,
    RateLimitError,
    Retries,
    UnreachableError,
)
from finclaw_client.requests import path

from tests.support.coroutines import run_coroutine

Answers = Iterator[httpx2.Response | Exception]
HASTY = Retries(first_wait=0.0)
DONE = {"job_id": "j", "state": "done", "progress": 1.0, "results": []}


class Scripted:
    """A transport that answers one thing after another, and notes what it was asked."""

    def __init__(self, *answers: httpx2.Response | Exception) -> None:
        self.asked: list[httpx2.Request] = []
        self._answers = iter(answers)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self, retries: Retries = HASTY, **options: Any) -> FinClaw:
        return FinClaw("https://f.example", "t", transport=httpx2.MockTransport(self), retries=retries, **options)

    @property
    def keys(self) -> list[str | None]:
        return [request.headers.get("idempotency-key") for request in self.asked]


def refusal(status: int, code: str = "service_unavailable", **headers: str) -> httpx2.Response:
    body = {"code": code, "message": "Not now.", "details": {}}
    return httpx2.Response(
        status, json=body, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )


def said(status: int = 200, **body: Any) -> httpx2.Response:
    return httpx2.Response(status, json=body)


@pytest.mark.parametrize("status", [425, 429, 503])
def test_a_write_is_made_again_under_one_key(status: int) -> None:
    server = Scripted(refusal(status), httpx2.ConnectError("refused"), said(202, **DONE))
    assert server.client().memories.add("I own a vineyard.")["job_id"] == "j"
    assert len(set(server.keys)) == 1
    assert None not in server.keys


def test_a_key_is_the_caller_s_where_one_is_given_and_each_write_has_its_own() -> None:
    server = Scripted(said(202, **DONE), said(202, **DONE), said(202, **DONE))
    for key in ("mine", None, None):
        server.client().memories.add("I own a vineyard.", key=key)
    assert server.keys[0] == "mine"
    assert len(set(server.keys)) == 3


@pytest.mark.parametrize("status", [400, 403, 404, 409, 422, 500])
def test_what_stays_wrong_is_asked_once(status: int) -> None:
    server = Scripted(refusal(status, "internal_error"))
    with pytest.raises(ApiError) as refused:
        server.client().jobs.get("j")
    assert (refused.value.status, len(server.asked), server.keys) == (status, 1, [None])


def test_retry_after_is_obeyed_and_too_long_a_wait_is_left_to_the_caller() -> None:
    retries = Retries(attempts=3, longest_wait=30.0)
    passing = ApiError(503, {}, {"retry-after": "7"})
    assert [retries.wait_after(passing, attempt) for attempt in (1, 2, 3)] == [7.0, 7.0, None]
    assert retries.wait_after(ApiError(503, {}, {"retry-after": "31"}), 1) is None
    assert [retries.wait_after(UnreachableError(), attempt) for attempt in (1, 2, 3)] == [0.5, 1.0, None]
    server = Scripted(refusal(429, "rate_limited", retry_after="60", x_request_id="r-1"))
    with pytest.raises(RateLimitError) as refused:
        server.client().jobs.get("j")
    assert (refused.value.retry_after, refused.value.request_id, len(server.asked)) == (60.0, "r-1", 1)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, "token_revoked", AuthenticationError),
        (403, "consent_scope_missing", ConsentError),
        (404, "not_found", NotFoundError),
        (409, "a_code_of_a_later_version", ApiError),
    ],
)
def test_an_error_is_of_the_kind_that_its_code_asks_for(status: int, code: str, kind: type[ApiError]) -> None:
    with pytest.raises(ApiError, match=rf"^Not now\. \({code}\)$") as refused:
        Scripted(refusal(status, code)).client().jobs.get("j")
    assert type(refused.value) is kind
    assert refused.value.code == code


def test_what_is_not_finclaw_s_answer_is_said_to_be_none() -> None:
    for body in ("<html>Bad gateway</html>", "[1]"):
        with pytest.raises(ApiError, match="status 404; is its address right"):
            Scripted(httpx2.Response(404, text=body)).client().jobs.get("j")
    with pytest.raises(ApiError, match="status 301"):
        Scripted(httpx2.Response(301, headers={"location": "https://elsewhere.example"})).client().jobs.get("j")


def test_nobody_answering_is_an_error_of_its_own_that_names_the_address() -> None:
    server = Scripted(*[httpx2.ReadTimeout("")] * 3)
    with pytest.raises(UnreachableError, match=r"https://f\.example/: ReadTimeout"):
        server.client().jobs.get("j")
    assert len(server.asked) == 3


def test_an_answer_that_breaks_off_is_an_error_and_no_shorter_answer() -> None:
    frames = 'event: delta\ndata: {"text": "Bonds "}\n\n'
    stream = httpx2.Response(200, text=frames, headers={"content-type": "text/event-stream"})
    with Scripted(stream).client().turns.stream("s", "What happened?") as events:
        assert next(events).text == "Bonds "  # type: ignore[union-attr]
        with pytest.raises(UnreachableError, match="broke off"):
            next(events)


def test_an_error_within_a_stream_is_raised_with_its_code() -> None:
    error = '{"code": "model_unavailable", "message": "No.", "details": {}}'
    frames = f"event: a_later_one\ndata: {{}}\n\nevent: error\ndata: {error}\n\n"
    stream = httpx2.Response(200, text=frames, headers={"content-type": "text/event-stream"})
    with Scripted(stream).client().turns.stream("s", "Hm?") as events, pytest.raises(ApiError) as refused:
        next(events)
    assert refused.value.code == "model_unavailable"


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: FinClaw("https://f.example"), "FINCLAW_TOKEN"),
        (lambda: FinClaw("f.example", "t"), "https://finclaw.example"),
        (lambda: AsyncFinClaw("ftp://f.example", "t"), "https://finclaw.example"),
    ],
)
def test_a_missing_or_wrong_setting_is_named(
    make: Callable[[], object], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FINCLAW_TOKEN", raising=False)
    monkeypatch.delenv("FINCLAW_URL", raising=False)
    with pytest.raises(ConfigurationError, match=named):
        make()


def test_the_environment_says_where_and_who_and_a_service_token_for_whom(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINCLAW_URL", "https://f.example/")
    monkeypatch.setenv("FINCLAW_TOKEN", "secret")
    server = Scripted(said(), said())
    FinClaw(user="ann@acme.example", transport=httpx2.MockTransport(server)).user()
    [asked] = server.asked
    assert str(asked.url) == "https://f.example/api/users/me"
    assert asked.headers["authorization"] == "Bearer secret"
    assert asked.headers["x-finclaw-user"] == "ann@acme.example"


def test_an_id_never_leads_to_another_address() -> None:
    assert path("memories", "../users/me?x#y") == "memories/..%2Fusers%2Fme%3Fx%23y"


def test_with_await_it_is_the_same() -> None:
    server = Scripted(refusal(503), said(202, **DONE))

    async def add() -> Any:
        transport = httpx2.MockTransport(server)
        async with AsyncFinClaw("https://f.example", "t", transport=transport, retries=HASTY) as client:
            return await client.memories.add("I own a vineyard.")

    assert run_coroutine(add) == DONE
    assert len(set(server.keys)) == 1
