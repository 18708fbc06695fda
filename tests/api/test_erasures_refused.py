"""Who may not forget what, and wishes that cannot be: refused, and nothing is asked for (C-9)."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from tests.support.api import MISSING, code_of, post, send, signed_in
from tests.support.cast import allow
from tests.support.forgetting import ASK, CONFIRMED, keep_memory, new_session, receipt_of, write_event

NONES = (("thread", MISSING), ("task", MISSING))


@pytest.fixture
def as_alice(alice: User) -> APIClient:
    allow(alice)
    return signed_in(alice)


def test_an_outsider_erases_and_reads_nothing_of_alice(as_alice: APIClient, charlie: User) -> None:
    allow(charlie)
    outsider = signed_in(charlie)
    session = new_session(as_alice)
    memory, event = (
        keep_memory(as_alice, "I own a vineyard."),
        write_event(as_alice, session, "Alice bought a vineyard."),
    )
    receipt = receipt_of(as_alice.delete(f"/api/memories/{keep_memory(as_alice, 'I like tea.')}"))
    drain()
    asked = [
        outsider.delete(f"/api/memories/{memory}"),
        outsider.delete(f"/api/events/{event}"),
        outsider.delete(f"/api/sessions/{session}"),
        outsider.get(f"/api/erasures/{receipt['tombstone_id']}"),
        outsider.get(f"/api/erasures/{receipt['tombstone_id']}/certificate"),
        *(
            post(outsider, ASK, {"scope": scope, "target_id": target, "confirm": "charlie"})
            for scope, target in (("item", memory), ("event", event), ("session", session), *NONES)
        ),
        post(outsider, f"/api/users/{MISSING}/erasure", {"scope": "account", "confirm": "charlie"}),
    ]
    assert [answer.status_code for answer in asked] == [404] * len(asked)
    assert outsider.get("/api/erasures").json()["results"] == []
    assert as_alice.get(f"/api/memories/{memory}").status_code == 200
    assert as_alice.get(f"/api/events/{event}").status_code == 200
    assert as_alice.get(f"/api/sessions/{session}").status_code == 200


def test_another_persons_account_is_as_absent_as_a_made_up_one(as_alice: APIClient, bob: User) -> None:
    answer = post(as_alice, f"/api/users/{bob.pk}/erasure", {"scope": "account", **CONFIRMED})
    assert (answer.status_code, code_of(answer)) == (404, "not_found")
    assert User.objects.get(pk=bob.pk).is_active


@pytest.mark.parametrize(
    ("method", "path"),
    [("get", ASK), ("delete", ASK), ("post", "/api/erasures"), ("delete", f"/api/erasures/{MISSING}"),
     ("patch", f"/api/erasures/{MISSING}"), ("post", f"/api/erasures/{MISSING}/certificate")],
)  # fmt: skip
def test_other_methods_are_refused(as_alice: APIClient, method: str, path: str) -> None:
    answer = getattr(as_alice, method)(path)
    assert (answer.status_code, code_of(answer)) == (405, "method_not_allowed")


def test_nobody_signed_in_is_refused(db: None) -> None:
    nobody = APIClient()
    asked = [post(nobody, ASK, {}), nobody.get("/api/erasures"), nobody.get(f"/api/erasures/{MISSING}/certificate")]
    assert [answer.status_code for answer in asked] == [401] * 3


@pytest.mark.parametrize(
    "body",
    [
        {}, {"scope": "profile"}, {"confirm": "alice"},
        {"scope": "profile", "confirm": "Alice"}, {"scope": "profile", "confirm": "bob"},
        {"scope": "everything", **CONFIRMED}, {"scope": None, **CONFIRMED}, {"scope": ["profile"], **CONFIRMED},
        {"scope": "item", **CONFIRMED}, {"scope": "item", "target_id": "", **CONFIRMED},
        {"scope": "event", **CONFIRMED}, {"scope": "session", **CONFIRMED}, {"scope": "thread", **CONFIRMED},
        {"scope": "task", **CONFIRMED},
        {"scope": "account", "target_id": MISSING, **CONFIRMED}, {"scope": "memories", "target_id": "x", **CONFIRMED},
        {"scope": "item", "target_id": "x" * 101, **CONFIRMED},
        {"scope": "profile", "confirm": "a" * 61},
        {"scope": "profile", "sources": "burn", **CONFIRMED}, {"scope": "profile", "user": "bob", **CONFIRMED},
    ],
)  # fmt: skip
def test_a_malformed_wish_is_refused_and_nothing_is_asked_for(as_alice: APIClient, body: dict[str, Any]) -> None:
    answer = post(as_alice, ASK, body)
    assert (answer.status_code, code_of(answer)) == (400, "validation_error")
    assert as_alice.get("/api/erasures").json()["results"] == []


@pytest.mark.parametrize(
    "body", [{"scope": "item", "target_id": "a\0b", **CONFIRMED}, {"scope": "profile", "confirm": "ali\0ce"}]
)
def test_what_postgresql_cannot_hold_is_no_wish(as_alice: APIClient, body: dict[str, Any]) -> None:
    assert code_of(post(as_alice, ASK, body)) == "malformed_json"
    assert as_alice.get("/api/erasures").json()["results"] == []


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b'{"confirm": "bob"}', b'{"confirm": "alice", "x": 1}'])
def test_deleting_all_memories_needs_its_confirmation(as_alice: APIClient, body: bytes) -> None:
    keep_memory(as_alice, "I own a vineyard.")
    assert send(as_alice, "DELETE", "/api/memories", body).status_code == 400
    assert len(as_alice.get("/api/memories").json()["results"]) == 1


@pytest.mark.parametrize("query", ["sources=burn", "sources=%00", "source=keep"])
def test_a_query_that_cannot_be_erases_nothing(as_alice: APIClient, query: str) -> None:
    memory = keep_memory(as_alice, "I own a vineyard.")
    event = write_event(as_alice, new_session(as_alice), "Alice bought a vineyard.")
    for path in (f"/api/memories/{memory}", f"/api/events/{event}"):
        assert code_of(as_alice.delete(f"{path}?{query}")) == "validation_error"
        assert as_alice.get(path).status_code == 200


@pytest.mark.parametrize("target", ["nonsense", MISSING])
@pytest.mark.parametrize("scope", ["item", "event", "session", "thread", "task"])
def test_a_target_that_is_none_is_not_found(as_alice: APIClient, scope: str, target: str) -> None:
    answer = post(as_alice, ASK, {"scope": scope, "target_id": target, **CONFIRMED})
    assert (answer.status_code, code_of(answer)) == (404, "not_found")
