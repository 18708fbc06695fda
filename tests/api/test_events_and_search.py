"""``end``, the events it becomes, and both searches (M-40, M-43)."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.exceptions import MemoryUnavailable
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow, group_with


def _session(client: APIClient, **body: object) -> str:
    return str(post(client, "/api/sessions", body).json()["session_id"])


def _ended(client: APIClient, session: str, new_info: str, request_id: str = "r", **more: Any) -> Any:
    body = {"request_id": request_id, "new_info": new_info, **more}
    answer = post(client, f"/api/sessions/{session}/end", body)
    drain()
    return answer


def test_outsiders_and_other_members_read_no_private_event(
    alice: User, bob: User, as_alice: APIClient, as_bob: APIClient, charlie: User, as_charlie: APIClient
) -> None:
    for person in (alice, bob, charlie):
        allow(person)
    group_with(alice, [bob])
    _ended(as_alice, _session(as_alice), "Alice bought a vineyard.")
    for client in (as_bob, as_charlie):
        assert client.get("/api/events").json()["results"] == []
        assert client.get("/api/events/r:1").status_code == 404
        assert post(client, "/api/events/search", {"query": "vineyard"}).json()["results"] == []
        asked = post(client, "/api/events/search", {"query": "vineyard", "target_user_id": str(alice.pk)})
        assert asked.status_code == 404


def test_group_events_are_the_members_alone(
    alice: User, bob: User, as_alice: APIClient, as_bob: APIClient, charlie: User, as_charlie: APIClient
) -> None:
    for person in (alice, bob, charlie):
        allow(person)
    group = str(group_with(alice, [bob]).pk)
    _ended(as_alice, _session(as_alice, group_id=group), "Alice proposed to sell ASML.")
    query = {"query": "ASML", "target_group_id": group}
    found = post(as_bob, "/api/events/search", query).json()["results"]
    assert [(row["event_id"], row["perspective"], row["sender_id"]) for row in found] == [
        ("r:1", "group", str(alice.pk))
    ]
    metadata = {"user_id": str(alice.pk), "request_id": "r", "end_seq": 1, "group_id": group}
    assert metadata.items() <= found[0].items()
    for client in (as_alice, as_bob):
        [listed] = client.get("/api/events").json()["results"]
        assert (listed["event_id"], metadata.items() <= listed.items()) == ("r:1", True)
    assert metadata.items() <= as_bob.get("/api/events/r:1").json()["parts"][0].items()
    assert post(as_charlie, "/api/events/search", query).status_code == 404


def test_an_event_is_put_right_by_its_person_alone(
    alice: User, bob: User, charlie: User, as_alice: APIClient, as_bob: APIClient, as_charlie: APIClient
) -> None:
    for person in (alice, bob, charlie):
        allow(person)
    group = str(group_with(alice, [bob]).pk)
    _ended(as_alice, _session(as_alice, group_id=group), "Alice bought a vineyard.")
    right = {"canonical_text": "2 March 2026: Alice 买了一个果园。"}
    for client in (as_bob, as_charlie):
        assert client.patch("/api/events/r:1", right).status_code == 404
    for wrong in ({}, {"canonical_text": " "}, {"canonical_text": "x" * 2_001}, right | {"sender_id": "x"}):
        assert as_alice.patch("/api/events/r:1", wrong).status_code == 400
    answer = as_alice.patch("/api/events/r:1", right).json()
    assert answer["canonical_text"] == right["canonical_text"]
    assert as_bob.get("/api/events/r:1").json()["canonical_text"] == right["canonical_text"]
    found = post(as_alice, "/api/events/search", {"query": "果园"}).json()["results"]
    assert [row["canonical_text"] for row in found] == [right["canonical_text"]]


def test_a_correction_says_what_it_masked_and_refuses_what_must_not_be_kept(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    _ended(as_alice, _session(as_alice), "Alice bought a vineyard.")
    secret = {"canonical_text": "Alice's card is 4111 1111 1111 1111, CVV 123"}
    assert as_alice.patch("/api/events/r:1", secret).status_code == 422
    answer = as_alice.patch("/api/events/r:1", {"canonical_text": "Alice wrote to alice@example.org."}).json()
    assert [fragment["field"] for fragment in answer["masked"]] == ["canonical_text"]
    assert "alice@example.org" not in answer["canonical_text"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"request_id": ""},
        {"request_id": "a b"},
        {"request_id": "x" * 81},
        {"request_id": "r\u0000"},
        {"request_id": "r", "end_seq": 0},
        {"request_id": "r", "end_seq": 2**31},
        {"request_id": "r", "occurred_at": "2026-02-30T00:00:00Z"},
        {"request_id": "r", "occurred_at": "2026-03-02T09:30:00"},
        {"request_id": "r", "time_zone": "Mars/Base"},
        {"request_id": "r", "message_ids": ["x"]},
    ],
)
def test_a_malformed_end_is_refused(alice: User, as_alice: APIClient, body: dict[str, Any]) -> None:
    allow(alice)
    answer = post(as_alice, f"/api/sessions/{_session(as_alice)}/end", body)
    assert answer.status_code == 400
    assert code_of(answer) in {"validation_error", "malformed_json"}


def test_an_end_names_only_messages_and_a_sender_of_its_own(alice: User, as_alice: APIClient, charlie: User) -> None:
    allow(alice)
    path = f"/api/sessions/{_session(as_alice)}/end"
    assert post(as_alice, path, {"request_id": "r", "message_ids": [MISSING]}).status_code == 404
    assert post(as_alice, path, {"request_id": "r", "sender_id": str(charlie.pk)}).status_code == 404


def test_an_end_becomes_one_event_however_often_it_is_called(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    session = _session(as_alice, time_zone="Asia/Shanghai", location="Shanghai")
    told = {"occurred_at": "2026-03-02T09:30:00+08:00"}
    answers = [_ended(as_alice, session, "爱丽丝昨天买入了腾讯。", **told).json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert (answers[0]["event_id"], answers[0]["queued"], answers[0]["reason"]) == ("r:1", True, None)
    events = as_alice.get("/api/events").json()["results"]
    assert [event["event_id"] for event in events] == ["r:1"]
    assert events[0]["timestamp_local"] == "2026-03-02T09:30:00+08:00"
    assert (events[0]["timezone"], events[0]["location_abs"]) == ("Asia/Shanghai", "Shanghai")
    assert as_alice.get("/api/events/r:1").json() == events[0] | {"parts": events}


@pytest.mark.parametrize(
    ("scopes", "body", "reason"),
    [
        (tuple(ConsentScope), {}, "empty"),
        ((ConsentScope.SAVE_TO_PROFILE,), {"summary": "Talked about rates."}, "consent_scope_missing"),
    ],
)
def test_ending_never_fails_for_want_of_words_or_consent(
    alice: User, as_alice: APIClient, scopes: tuple[ConsentScope, ...], body: dict[str, Any], reason: str
) -> None:
    allow(alice, *scopes)
    answer = post(as_alice, f"/api/sessions/{_session(as_alice)}/end", {"request_id": "r", **body})
    assert answer.status_code == 202
    assert answer.json() == {"event_id": None, "queued": False, "reason": reason, "job_id": None}


def test_the_legacy_summary_stands_in_for_the_action(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    post(
        as_alice,
        f"/api/sessions/{_session(as_alice)}/end",
        {"request_id": "r", "summary": "FinClaw explained duration."},
    )
    drain()
    assert "duration" in as_alice.get("/api/events/r:1").json()["canonical_text"]


@pytest.mark.parametrize(
    "body",
    [{}, {"query": ""}, {"query": "x", "top_k": 0}, {"query": "x", "top_k": 101}, {"query": "x", "filter": {}},
     {"query": "x", "filters": {"user_id": MISSING}}, {"query": "x", "filters": []}, {"query": "x", "explain": "why"}],
)  # fmt: skip
def test_a_malformed_search_is_refused(alice: User, as_alice: APIClient, body: dict[str, Any]) -> None:
    allow(alice)
    assert code_of(post(as_alice, "/api/memories/search", body)) == "validation_error"


def test_a_search_scores_filters_and_explains(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    for text in ("I prefer dividend stocks.", "I live in Hamburg.", "我偏好红利股。"):
        post(as_alice, "/api/memories", {"text": text, "infer": False})
    found = post(as_alice, "/api/memories/search", {"query": "dividend stocks", "explain": True, "top_k": 1}).json()
    assert [row["memory"] for row in found["results"]] == ["I prefer dividend stocks."]
    assert set(found["results"][0]["explain"]) == {
        "semantic", "lexical", "recency", "confidence_effective", "provenance", "frequency",
    }  # fmt: skip
    assert found["results"][0]["provenance"]["kind"] == "confirmed_by_user"
    assert found["degraded"] == []
    chinese = post(as_alice, "/api/memories/search", {"query": "红利股", "top_k": 1}).json()["results"]
    assert [row["memory"] for row in chinese] == ["我偏好红利股。"]
    assert "explain" not in chinese[0]
    none = {"query": "dividend", "filters": {"memory_type": "pattern"}}
    assert post(as_alice, "/api/memories/search", none).json()["results"] == []


@pytest.mark.parametrize("search", ["memories", "events"])
def test_a_search_for_what_nothing_bears_on_finds_nothing(alice: User, as_alice: APIClient, search: str) -> None:
    allow(alice)
    post(as_alice, "/api/memories", {"text": "I prefer dividend stocks.", "infer": False})
    _ended(as_alice, _session(as_alice), "Alice bought dividend stocks.")
    found = [post(as_alice, f"/api/{search}/search", {"query": words}).json() for words in ("dividends", "zzzqqq")]
    assert [len(answer["results"]) for answer in found] == [1, 0]


@pytest.mark.parametrize("search", ["memories", "events"])
def test_a_search_leaves_out_what_scores_less_than_asked_for(alice: User, as_alice: APIClient, search: str) -> None:
    allow(alice)
    for number, told in enumerate(("Alice bought dividend stocks.", "Alice sold stocks of a railway.")):
        post(as_alice, "/api/memories", {"text": told, "infer": False})
        _ended(as_alice, _session(as_alice), told, request_id=f"r{number}")
    address, query = f"/api/{search}/search", {"query": "dividend stocks"}
    best, second = post(as_alice, address, query).json()["results"]
    above = post(as_alice, address, query | {"min_score": (best["score"] + second["score"]) / 2}).json()["results"]
    assert above == [best]
    assert post(as_alice, address, query | {"min_score": best["score"] + 1}).json()["results"] == []
    assert code_of(post(as_alice, address, query | {"min_score": -1})) == "validation_error"


def test_a_search_looks_back_in_time(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    kept = post(as_alice, "/api/memories", {"text": "I live in Berlin.", "infer": False}).json()["results"][0]
    then = as_alice.get(f"/api/memories/{kept['memory_id']}").json()["created_at"]
    as_alice.patch(f"/api/memories/{kept['memory_id']}", {"content": "I live in Hamburg."})
    query = {"query": "Where do I live?"}
    assert [row["memory"] for row in post(as_alice, "/api/memories/search", query).json()["results"]] == [
        "I live in Hamburg."
    ]
    past = post(as_alice, "/api/memories/search", query | {"valid_at": then, "known_at": then}).json()["results"]
    assert [row["memory"] for row in past] == ["I live in Berlin."]


def test_a_search_in_a_group_asks_for_membership(alice: User, as_alice: APIClient, as_charlie: APIClient) -> None:
    allow(alice)
    query = {"query": "x", "filters": {"group_id": str(group_with(alice).pk)}}
    assert post(as_alice, "/api/memories/search", query).status_code == 200
    assert post(as_charlie, "/api/memories/search", query).status_code == 404


@pytest.mark.parametrize(
    ("path", "searched"),
    [
        ("/api/memories/search", "finclaw.api.search.search"),
        ("/api/events/search", "memory.retrieval.event_search.search"),
    ],
)
def test_a_failing_retrieval_is_said_to_be_degraded(
    alice: User, as_alice: APIClient, monkeypatch: pytest.MonkeyPatch, path: str, searched: str
) -> None:
    allow(alice)

    def out_of_time(*_: object, **__: object) -> None:
        raise MemoryUnavailable() from DatabaseError()

    monkeypatch.setattr(searched, out_of_time)
    answer = post(as_alice, path, {"query": "x"})
    assert (answer.status_code, answer.json()) == (200, {"results": [], "degraded": ["memory_unavailable"]})
