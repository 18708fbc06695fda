"""Turns wait for their model without holding anything that others need, and their pieces arrive as they come."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any
from uuid import UUID

import httpx
import pytest
from django.urls import reverse

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from tests.server.conftest import CONNECTIONS
from tests.support.cast import PASSWORD, allow
from tests.support.model_server import ModelServer, SaysInTwoBreaths, WaitsForOthers
from tests.support.web_server import PATIENCE_SECONDS, WebServer

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]
TURNS = CONNECTIONS + 2
ASKED = {"content": "What could I do then?"}  # the small model reads it first


@pytest.fixture
def headers(alice: User) -> dict[str, str]:
    allow(alice)
    return {"Authorization": f"Token {issue_token(alice)[1]}"}


def _said_in(answer: httpx.Response) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]


def _page_of(session: str) -> str:
    """The address that the page of a conversation sends its messages to."""
    address = httpx.URL(session)
    session_id = UUID(address.path.split("/")[-2])
    return str(address.copy_with(path=reverse("web:chat_send", args=[session_id])))


def _signed_in(server: WebServer) -> httpx.Client:
    """Alice's browser."""
    browser = httpx.Client(timeout=90)
    page = server.address + reverse("web:sign_in")
    browser.get(page)
    _repeat_csrf_token(browser)
    browser.post(page, data={"username": "alice", "password": PASSWORD})
    _repeat_csrf_token(browser)  # signing in has made another
    return browser


def _repeat_csrf_token(browser: httpx.Client) -> None:
    browser.headers["X-CSRFToken"] = browser.cookies["csrftoken"]


def _new_session(server: WebServer, headers: dict[str, str]) -> str:
    answer = httpx.post(f"{server.address}/api/sessions", json={}, headers=headers, timeout=PATIENCE_SECONDS)
    return f"{server.address}/api/sessions/{answer.json()['session_id']}/messages"


def _sent_plainly(session: str, headers: dict[str, str], browser: httpx.Client) -> str:
    answer = httpx.post(session, json=ASKED, headers=headers, timeout=90).json()
    return str(answer.get("code") or answer["reply"])


def _streamed(session: str, headers: dict[str, str], browser: httpx.Client) -> str:
    answer = httpx.post(f"{session}?stream=true", json=ASKED, headers=headers, timeout=90)
    return str(_said_in(answer)[-1].get("reply", answer.text))


def _sent_by_a_page(session: str, headers: dict[str, str], browser: httpx.Client) -> str:
    answer = browser.post(_page_of(session), data=ASKED)
    return "Hello." if "#latest" in answer.headers.get("Location", "") else answer.text


def _streamed_to_a_page(session: str, headers: dict[str, str], browser: httpx.Client) -> str:
    answer = browser.post(f"{_page_of(session)}?stream=true", data=ASKED)
    return "".join(piece.get("text", "") for piece in _said_in(answer)) or answer.text


@pytest.mark.parametrize("send", [_sent_plainly, _streamed, _sent_by_a_page, _streamed_to_a_page])
@pytest.mark.parametrize("asked_model", ["", "gpt-4.1"], ids=["small", "large"])
def test_more_turns_wait_at_once_than_there_are_connections_to_the_database(
    server: WebServer,
    model: ModelServer,
    headers: dict[str, str],
    send: Callable[[str, dict[str, str], httpx.Client], str],
    asked_model: str,
) -> None:
    sessions = [_new_session(server, headers) for _ in range(TURNS)]
    model.default = WaitsForOthers(TURNS, model=asked_model)

    with ThreadPoolExecutor(TURNS) as people, closing(_signed_in(server)) as browser:
        answers = people.map(lambda session: send(session, headers, browser), sessions)
        assert list(answers) == ["Hello."] * TURNS


def test_a_piece_arrives_before_the_model_has_finished(
    server: WebServer, model: ModelServer, headers: dict[str, str]
) -> None:
    session, speaker = _new_session(server, headers), SaysInTwoBreaths()
    model.script([speaker])
    asked = {"url": session, "params": {"stream": "true"}, "json": {"content": "What happened?"}}
    with httpx.stream("POST", **asked, headers=headers, timeout=PATIENCE_SECONDS) as answer:  # type: ignore[arg-type]
        lines = (json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: "))
        assert next(lines) == {"text": "Bonds "}
        speaker.go_on.set()
        assert list(lines)[-1]["reply"] == "Bonds fell."
