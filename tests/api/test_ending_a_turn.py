"""``POST /api/sessions/{id}/end`` to the letter (M-40, seed D §2.1)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import CognitiveJob
from memory.services import turn_leases
from memory.services.turn_leases import begin_turn
from tests.support.api import code_of, post
from tests.support.cast import allow

MOST_QUERIES = 10
"""Of a request that ends a turn, signing in, throttling and idempotency included."""


def session_of(client: APIClient) -> str:
    return str(post(client, "/api/sessions", {}).json()["session_id"])


def ended(client: APIClient, session: str, key: str = "", **body: Any) -> Any:
    return post(client, f"/api/sessions/{session}/end", {"request_id": "r"} | body, key=key)


@pytest.mark.parametrize("request_id", ["4111-1111-1111-1111", "alice@example.com", "+8613800138000"])
def test_a_request_id_that_holds_what_is_never_kept_is_refused(
    alice: User, as_alice: APIClient, request_id: str
) -> None:
    allow(alice)
    answer = ended(as_alice, session_of(as_alice), request_id=request_id, new_info="Bought tea.")
    assert (answer.status_code, code_of(answer)) == (422, "sensitive_input")
    assert answer.json()["details"]["field"] == "request_id"
    assert request_id not in answer.content.decode()
    with acting_as(alice.pk):
        assert not CognitiveJob.objects.exists()


def test_an_end_answers_which_event_it_will_be(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    answer = ended(as_alice, session_of(as_alice), action_summary="Compared two funds", new_info="I prefer low fees",
                   end_seq=3)  # fmt: skip
    body = answer.json()
    assert answer.status_code == 202
    assert (body["event_id"], body["queued"], body["reason"]) == ("r:3", True, None)
    drain()
    event = as_alice.get("/api/events/r:3").json()
    assert event["canonical_text"].endswith("FinClaw compared two funds. Alice prefers low fees.")


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ({"summary": "Explained duration"}, ("Explained duration", "")),
        ({"summary": "old", "action_summary": "Explained duration"}, ("Explained duration", "")),
        ({"summary": "Explained duration", "new_info": "I hold bonds"}, ("Explained duration", "I hold bonds")),
        ({"new_info": "I hold bonds"}, ("", "I hold bonds")),
        ({"action_summary": "  Explained duration "}, ("Explained duration", "")),
    ],
)
def test_the_legacy_summary_is_the_action_where_none_is_given(
    alice: User, as_alice: APIClient, body: dict[str, str], kept: tuple[str, str]
) -> None:
    allow(alice)
    assert ended(as_alice, session_of(as_alice), **body).json()["queued"]
    with acting_as(alice.pk):
        job = CognitiveJob.objects.get()
    assert (job.action_summary, job.new_info) == kept


@pytest.mark.parametrize("body", [{}, {"action_summary": "", "new_info": " \n"}, {"summary": ""}, {"force": True}])
def test_an_empty_end_queues_nothing_and_says_so(alice: User, as_alice: APIClient, body: dict[str, Any]) -> None:
    allow(alice)
    answer = ended(as_alice, session_of(as_alice), **body)
    assert answer.status_code == 202
    assert answer.json() == {"event_id": None, "queued": False, "reason": "empty", "job_id": None}
    assert drain() == 0


@pytest.mark.parametrize("new_info", ["I hold bonds", ""])
def test_while_a_reply_is_on_its_way_only_force_ends(alice: User, as_alice: APIClient, new_info: str) -> None:
    permit = allow(alice)
    session = session_of(as_alice)
    with acting_as(alice.pk):
        begin_turn(permit, UUID(session))
    refused = ended(as_alice, session, new_info=new_info)
    assert (refused.status_code, code_of(refused)) == (409, "reply_pending")
    assert 1 <= int(refused["Retry-After"]) <= turn_leases.LEASE.total_seconds()
    forced = ended(as_alice, session, new_info=new_info, force=True)
    assert (forced.status_code, forced.json()["queued"]) == (202, bool(new_info))
    assert post(as_alice, f"/api/sessions/{session}/messages", {"content": "Hello"}).status_code == 200


def test_the_event_s_own_zone_and_place_win_over_the_conversations(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    created = post(as_alice, "/api/sessions", {"time_zone": "Asia/Shanghai", "location": "Shanghai"}).json()
    ended(as_alice, created["session_id"], new_info="I moved here yesterday", occurred_at="2026-03-01T23:30:00Z",
          time_zone="America/New_York", location="Boston")  # fmt: skip
    drain()
    event = as_alice.get("/api/events/r:1").json()
    assert event["canonical_text"] == "1 March 2026: Alice moved to Boston on 28 February 2026."
    assert event["timestamp_local"] == "2026-03-01T18:30:00-05:00"


@pytest.mark.parametrize("secret", ["4111 1111 1111 1111", "11010519491231002X"])
def test_a_secret_is_refused_before_it_is_stored(alice: User, as_alice: APIClient, secret: str) -> None:
    allow(alice)
    answer = ended(as_alice, session_of(as_alice), new_info=f"My number is {secret}")
    assert (answer.status_code, code_of(answer)) == (422, "sensitive_input")
    with acting_as(alice.pk):
        assert not CognitiveJob.objects.exists()


def test_ending_asks_the_database_no_more_than_it_did(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    session = session_of(as_alice)
    ended(as_alice, session, new_info="I hold bonds")
    with CaptureQueriesContext(connection) as asked:
        ended(as_alice, session, new_info="I hold bonds", end_seq=2)
    assert len(asked) <= MOST_QUERIES, [query["sql"][:80] for query in asked]
