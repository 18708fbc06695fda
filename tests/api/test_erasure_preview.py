"""What forgetting would take, asked over the API: whose it is, what is counted, and that nothing is forgotten."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from tests.support.api import post, signed_in
from tests.support.cast import allow
from tests.support.forgetting import ASK, CONFIRMED, keep_memory, new_session, write_event
from tests.support.talk import memories, open_session, say

ADDRESS = "/api/erasures/preview"


def test_an_outsider_previews_nothing_of_alice(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    say(alice, open_session(alice), "I prefer concise answers.")
    [memory] = memories(alice)
    answer = signed_in(charlie).get(ADDRESS, {"scope": "item", "target_id": str(memory.pk)})
    assert answer.status_code == 404


@pytest.mark.parametrize(
    "query",
    [{}, {"scope": "item"}, {"target_id": "x"}, {"scope": "account", "target_id": "x"},
     {"scope": "item", "target_id": "x", "sources": "burn"}, {"scope": "item", "target_id": "x", "more": "y"}],
)  # fmt: skip
def test_a_query_that_cannot_be_is_refused(as_alice: APIClient, query: dict[str, str]) -> None:
    assert as_alice.get(ADDRESS, query).status_code == 400


@pytest.mark.parametrize("target", ["nonsense", "00000000-0000-0000-0000-000000000000"])
def test_what_is_nobodys_is_not_found(as_alice: APIClient, target: str) -> None:
    assert as_alice.get(ADDRESS, {"scope": "item", "target_id": target}).status_code == 404


def test_it_counts_what_then_goes_and_forgets_nothing(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    say(alice, open_session(alice), "I work as a nurse at Zqneedle Hospital. I have a cat called Miso.")
    nurse = next(item for item in memories(alice) if "nurse" in item.content)
    query = {"scope": "item", "target_id": str(nurse.pk)}
    counted = as_alice.get(ADDRESS, query).json()
    assert counted == {
        "memories": 1, "events": [], "rewritten_events": [], "portrait_lines": 0, "messages": 0, "message_sentences": 1,
        "answers": 0, "answer_sentences": 0, "research": 0, "prompts": 0,
    }  # fmt: skip
    assert as_alice.get(ADDRESS, query | {"sources": "keep"}).json()["message_sentences"] == 0
    assert len(memories(alice)) == 2


def test_an_event_is_named_by_its_words(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    keep_memory(as_alice, "I follow BTC.")
    event = write_event(as_alice, new_session(as_alice), "Alice bought a bicycle.")
    counted = as_alice.get(ADDRESS, {"scope": "event", "target_id": event}).json()
    assert ["bicycle" in text for text in counted["events"]] == [True]
    assert post(as_alice, ASK, {**CONFIRMED, "scope": "event", "target_id": event}).status_code == 202
    drain()
    assert as_alice.get(ADDRESS, {"scope": "event", "target_id": event}).status_code == 404
