"""A program that may only converse has the answers, and neither the memories behind them nor the pen."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from finclaw.api import turn_answers
from foundation.accounts.models import User
from foundation.accounts.scopes import CONVERSE, READ, WRITE
from foundation.outbox.tasks import drain
from tests.support.api import post, signed_in
from tests.support.cast import allow
from tests.support.oauth import Assistant, browser_of

pytestmark = pytest.mark.django_db(transaction=True)


def _said(client: APIClient, content: str, key: str = "") -> dict[str, Any]:
    session = post(client, "/api/sessions", {}).json()["session_id"]
    answer = post(client, f"/api/sessions/{session}/messages", {"content": content}, key)
    assert answer.status_code == 200
    body: dict[str, Any] = answer.json()
    return body


@pytest.mark.parametrize(("scope", "shown"), [(CONVERSE, False), (f"{CONVERSE} {READ}", True)])
def test_the_memories_behind_an_answer_are_shown_to_who_may_read_them(alice: User, scope: str, shown: bool) -> None:
    allow(alice)
    post(signed_in(alice), "/api/memories", {"text": "I hold semiconductor stocks for years.", "infer": False})
    told = _said(Assistant().connect(alice, scope=scope), "How long do I hold semiconductor stocks?", "one")
    assert bool(told["memories_used"]) == shown


@pytest.mark.parametrize(("scope", "shown"), [(CONVERSE, False), (f"{CONVERSE} {READ}", True)])
def test_what_a_message_taught_is_streamed_to_who_may_read_it(
    alice: User, monkeypatch: pytest.MonkeyPatch, scope: str, shown: bool
) -> None:
    monkeypatch.setattr(turn_answers, "wait_for_learned", lambda _acting, _answered: iter([{"learned": ["BTC"]}]))
    allow(alice)
    client = Assistant().connect(alice, scope=scope)
    session = post(client, "/api/sessions", {}).json()["session_id"]
    answer: Any = post(client, f"/api/sessions/{session}/messages?stream=true", {"content": "I follow BTC"})
    events = b"".join(answer.streaming_content).decode()
    assert "event: done" in events
    assert ("event: learned" in events) == shown


def test_ending_a_conversation_with_words_of_its_own_needs_the_scope_to_write(alice: User) -> None:
    allow(alice)
    ended = {"request_id": "visit", "new_info": "Alice visited the Dresden fab."}
    for scope, status in ((CONVERSE, 403), (f"{CONVERSE} {WRITE}", 202)):
        client = Assistant().connect(alice, scope=scope)
        session = post(client, "/api/sessions", {}).json()["session_id"]
        answer = post(client, f"/api/sessions/{session}/end", ended)
        assert answer.status_code == status, answer.content
    drain()


def test_the_page_says_what_conversing_is(alice: User) -> None:
    page = browser_of(alice).get(Assistant().address(scope=CONVERSE)).content.decode()
    assert "draw on what is remembered of you" in page
    assert "remembered as said by you" in page
