"""Searching events with seed D's signature: whose, of which group, how many, from when to when (M-43, M-45)."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import override_settings
from rest_framework.test import APIClient

from foundation.accounts.models import ChatGroup, User
from foundation.outbox.tasks import drain
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow, allow_nothing, group_with

SEARCH = "/api/events/search"


@pytest.fixture
def group(alice: User, bob: User, charlie: User) -> ChatGroup:
    """Alice and Bob talk in it; Charlie does not belong."""
    for person in (alice, bob, charlie):
        allow(person)
    return group_with(alice, [bob])


def told(client: APIClient, request_id: str, new_info: str, *, at: str = "", **session: Any) -> None:
    """A conversation of the client's that ends with this event."""
    opened = post(client, "/api/sessions", session).json()["session_id"]
    body = {"request_id": request_id, "new_info": new_info, **({"occurred_at": at} if at else {})}
    assert post(client, f"/api/sessions/{opened}/end", body).json()["queued"]
    drain()


def found(client: APIClient, query: str = "ASML", **more: Any) -> list[str]:
    answer = post(client, SEARCH, {"query": query, **more})
    assert answer.status_code == 200
    return [row["event_id"] for row in answer.json()["results"]]


def test_without_a_target_ones_own_events_are_searched_and_no_group_members(
    group: ChatGroup, as_alice: APIClient, as_bob: APIClient
) -> None:
    told(as_alice, "mine", "Alice bought ASML.")
    told(as_bob, "bobs", "Bob bought ASML.", group_id=str(group.pk))

    assert found(as_alice) == ["mine:1"]


def test_ones_own_id_asks_for_the_same(group: ChatGroup, alice: User, as_alice: APIClient) -> None:
    told(as_alice, "mine", "Alice bought ASML.")

    assert found(as_alice, target_user_id=str(alice.pk)) == ["mine:1"]
    assert found(as_alice, target_user_id=None, target_group_id=None) == ["mine:1"]


def test_a_group_is_searched_whole_and_with_ones_own_id_for_what_one_told_there(
    group: ChatGroup, alice: User, as_alice: APIClient, as_bob: APIClient
) -> None:
    told(as_alice, "private", "Alice bought ASML.")
    told(as_alice, "alices", "Alice sold ASML.", group_id=str(group.pk))
    told(as_bob, "bobs", "Bob bought ASML.", group_id=str(group.pk))
    of_group = {"target_group_id": str(group.pk)}

    assert sorted(found(as_alice, **of_group)) == ["alices:1", "bobs:1"]
    assert found(as_alice, **of_group, target_user_id=str(alice.pk)) == ["alices:1"]


@pytest.mark.parametrize("of_group", [False, True])
def test_somebody_elses_id_finds_nobody_even_in_a_common_group(
    group: ChatGroup, alice: User, as_alice: APIClient, as_bob: APIClient, of_group: bool
) -> None:
    told(as_alice, "alices", "Alice bought ASML.", group_id=str(group.pk))
    target = {"target_user_id": str(alice.pk)} | ({"target_group_id": str(group.pk)} if of_group else {})

    assert post(as_bob, SEARCH, {"query": "ASML", **target}).status_code == 404


@pytest.mark.parametrize("target", ["target_user_id", "target_group_id"])
def test_an_id_of_nobody_is_not_found(group: ChatGroup, as_alice: APIClient, target: str) -> None:
    assert post(as_alice, SEARCH, {"query": "ASML", target: MISSING}).status_code == 404


def test_an_outsider_cannot_name_the_group(group: ChatGroup, as_alice: APIClient, as_charlie: APIClient) -> None:
    told(as_alice, "alices", "Alice bought ASML.", group_id=str(group.pk))

    assert post(as_charlie, SEARCH, {"query": "ASML", "target_group_id": str(group.pk)}).status_code == 404


def test_both_ends_of_a_span_belong_to_it(group: ChatGroup, as_alice: APIClient) -> None:
    for day in (1, 2, 3):
        told(as_alice, f"d{day}", "Alice bought ASML.", at=f"2026-03-0{day}T09:30:00Z")
    first, second, last = (f"2026-03-0{day}T09:30:00Z" for day in (1, 2, 3))

    assert sorted(found(as_alice, time_from=second)) == ["d2:1", "d3:1"]
    assert sorted(found(as_alice, time_to=second)) == ["d1:1", "d2:1"]
    assert found(as_alice, time_from=second, time_to="2026-03-02T10:30:00+01:00") == ["d2:1"]
    assert found(as_alice, time_from=last, time_to=first) == []


def test_twelve_come_unless_more_or_fewer_are_asked_for(group: ChatGroup, as_alice: APIClient) -> None:
    for number in range(14):
        told(as_alice, f"e{number}", f"Alice bought {number} ASML shares.")

    assert len(found(as_alice)) == 12
    assert len(found(as_alice, top_k=14)) == 14
    assert len(found(as_alice, top_k=1)) == 1
    with override_settings(COGNITIVE_TOOL_TOP_K=2):
        assert len(found(as_alice)) == 2


@pytest.mark.parametrize(
    "more",
    [{"top_k": 0}, {"top_k": 101}, {"top_k": None}, {"target_user_id": "me"}, {"time_from": "yesterday"},
     {"time_to": "2026-03-02T09:30:00"}, {"user_id": MISSING}, {"query": ""}],
)  # fmt: skip
def test_what_the_signature_does_not_know_is_refused(
    group: ChatGroup, as_alice: APIClient, more: dict[str, Any]
) -> None:
    assert code_of(post(as_alice, SEARCH, {"query": "ASML", **more})) == "validation_error"


def test_without_consent_to_learning_nothing_is_found(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    told(as_alice, "mine", "Alice bought ASML.")
    allow_nothing(alice)

    assert found(as_alice) == []
