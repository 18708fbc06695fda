"""``COGNITIVE_ENABLED=false`` falls back whole: no events, no portraits, the rest as ever (M-46, seed D §8.5)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import override_settings
from django.urls import reverse
from rest_framework.test import APIClient

from finclaw.brain.tools.lookups import ToolRefused, parse_arguments, run_tool
from finclaw.brain.types import TurnResult
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from memory.models import CognitiveEvent, CognitiveJob, EntityProfile, Session
from memory.retrieval.services import embed_query
from tests.brain.test_looking_up import tell
from tests.brain.test_turn import ask
from tests.support import api
from tests.support.api import post
from tests.support.cast import allow
from tests.support.talk import open_session, permit_of, say
from tests.web.support import signed_in

ASKED = "What do I follow, BTC?"


@pytest.fixture
def told(alice: User) -> Session:
    """A chat of Alice's, who said something, and of whom an event and a portrait were made before."""
    allow(alice)
    say(alice, open_session(alice), "I follow BTC")
    tell(alice, "r", "Alice follows BTC and gold.")
    return open_session(alice)


@pytest.fixture
def as_alice(alice: User) -> APIClient:
    return api.signed_in(alice)


@pytest.fixture
def off() -> Iterator[None]:
    with override_settings(COGNITIVE_ENABLED=False):
        yield


def kinds(result: TurnResult) -> set[str]:
    return {memory.kind for memory in result.memories_used}


def rows() -> tuple[int, int, int, int]:
    found = (CognitiveJob, CognitiveEvent, EntityProfile, OutboxMessage)
    return tuple(model.objects.count() for model in found)  # type: ignore[return-value]


def test_with_it_on_events_and_the_portrait_are_recalled(alice: User, told: Session) -> None:
    assert {"event", "profile"} <= kinds(ask(alice, told, ASKED))


def test_off_a_turn_recalls_statements_and_messages_alone(alice: User, told: Session, off: None) -> None:
    result = ask(alice, told, ASKED)

    assert "BTC" in result.reply
    assert "item" in kinds(result)
    assert not {"event", "profile"} & kinds(result)
    assert "memory_unavailable" not in result.degraded


@pytest.mark.parametrize(
    "body", [{"new_info": "Alice bought gold."}, {"summary": "Explained gold."}, {"force": True, "action_summary": "x"}]
)
def test_off_an_end_is_answered_and_queues_nothing(
    alice: User, told: Session, as_alice: APIClient, off: None, body: dict[str, object]
) -> None:
    with acting_as(alice.pk):
        before = rows()

    answer = post(as_alice, f"/api/sessions/{told.pk}/end", {"request_id": "off", **body})

    assert answer.status_code == 202
    assert answer.json() == {"event_id": None, "queued": False, "reason": "cognitive_disabled", "job_id": None}
    with acting_as(alice.pk):
        assert rows() == before


def test_off_what_was_made_before_can_still_be_read_and_forgotten(
    alice: User, told: Session, as_alice: APIClient, off: None
) -> None:
    assert [row["event_id"] for row in as_alice.get("/api/events").json()["results"]] == ["r:1"]
    assert as_alice.delete("/api/events/r:1").status_code == 202


@pytest.mark.parametrize("address", ["/api/events/search", "/api/entity-profiles/search"])
def test_off_a_search_finds_none_of_it_and_says_why(
    alice: User, told: Session, as_alice: APIClient, address: str
) -> None:
    assert post(as_alice, address, {"query": "BTC"}).json()["results"]
    with override_settings(COGNITIVE_ENABLED=False):
        answer = post(as_alice, address, {"query": "BTC"})
    assert answer.status_code == 200
    assert answer.json() == {"results": [], "degraded": ["cognitive_disabled"]}


def test_off_the_pages_search_finds_none_of_it(alice: User, told: Session) -> None:
    browser = signed_in(alice)
    assert browser.get(reverse("web:events"), {"q": "gold"}).context["events"]
    with override_settings(COGNITIVE_ENABLED=False):
        assert not browser.get(reverse("web:events"), {"q": "gold"}).context["events"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("cognitive_search_events", '{"query": "gold"}'),
        ("cognitive_get_profile", '{"entity_type": "user", "entity_id": "me"}'),
        ("cognitive_search_profiles", '{"query": "gold", "entity_type": "user", "entity_id": "me"}'),
    ],
)
def test_off_a_tool_that_was_offered_before_is_refused(
    alice: User, told: Session, off: None, name: str, arguments: str
) -> None:
    with acting_as(alice.pk), pytest.raises(ToolRefused):
        run_tool(permit_of(alice), told, "Alice", parse_arguments(name, arguments), embed_query("gold"))


@pytest.mark.parametrize("page", ["web:events", "web:portraits"])
def test_off_the_pages_say_so(alice: User, told: Session, page: str) -> None:
    browser = signed_in(alice)
    assert "switched off here" not in browser.get(reverse(page)).content.decode()
    with override_settings(COGNITIVE_ENABLED=False):
        assert "switched off here" in browser.get(reverse(page)).content.decode()
        assert "switched off here" not in browser.get(reverse("web:memories")).content.decode()
