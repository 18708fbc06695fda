"""What a person says outright of a memory over the API (M-25)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from memory.models import EvolutionEvent, MemoryItem
from memory.services import item_decisions
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow, allow_nothing
from tests.support.talk import permit_of


def keep(user: User, text: str = "I own a vineyard.") -> str:
    with acting_as(user.pk):
        return str(item_decisions.add_stated(permit_of(user), text).pk)


def say_of(client: APIClient, memory_id: str, rating: str, key: str = "", **more: Any) -> Any:
    return post(client, f"/api/memories/{memory_id}/feedback", {"rating": rating} | more, key)


def counts(user: User, memory_id: str) -> tuple[int, int, int]:
    """Judged uses, welcomed, called wrong."""
    with acting_as(user.pk):
        item = MemoryItem.objects.get(pk=memory_id)
    return item.injection_count, item.positive_count, item.correction_count


def test_an_outsider_has_no_say(alice: User, as_charlie: APIClient, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    memory_id = keep(alice)
    assert say_of(as_charlie, memory_id, "not_helpful").status_code == 404
    assert say_of(as_charlie, MISSING, "helpful").status_code == 404
    assert counts(alice, memory_id) == (0, 0, 0)


@pytest.mark.parametrize(
    "body",
    [{}, {"rating": "positive"}, {"rating": ["helpful"]}, {"signal": "positive", "rating": "helpful"},
     {"rating": "helpful", "comment": "x" * 501}],
)  # fmt: skip
def test_malformed_feedback_is_refused(alice: User, as_alice: APIClient, body: dict[str, Any]) -> None:
    allow(alice)
    memory_id = keep(alice)
    answer = post(as_alice, f"/api/memories/{memory_id}/feedback", body)
    assert (answer.status_code, code_of(answer)) == (400, "validation_error")
    assert counts(alice, memory_id) == (0, 0, 0)


def test_a_good_word_counts_and_validates(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    with time_machine.travel(timezone.now() - timedelta(days=100)):
        memory_id = keep(alice)
    answer = say_of(as_alice, memory_id, "helpful", comment="对，就是这样")
    assert answer.status_code == 200
    assert answer.json()["memory_id"] == memory_id
    assert counts(alice, memory_id) == (1, 1, 0)
    with acting_as(alice.pk):
        assert timezone.now() - MemoryItem.objects.get(pk=memory_id).last_validated_at < timedelta(minutes=1)


def test_the_same_key_counts_once(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    memory_id = keep(alice)
    assert [say_of(as_alice, memory_id, "not_helpful", "k1").status_code for _ in range(2)] == [200, 200]
    assert counts(alice, memory_id) == (1, 0, 1)


def test_called_wrong_again_it_is_held_back(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    memory_id = keep(alice)
    states = [say_of(as_alice, memory_id, "not_helpful").json()["state"] for _ in range(2)]
    assert states == ["active", "quarantined"]
    assert post(as_alice, "/api/memories/search", {"query": "vineyard"}).json()["results"] == []


def test_a_comment_with_a_secret_is_refused_and_counts_nothing(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    memory_id = keep(alice)
    answer = say_of(as_alice, memory_id, "helpful", comment="my card is 4111 1111 1111 1111")
    assert (answer.status_code, code_of(answer)) == (422, "sensitive_input")
    assert counts(alice, memory_id) == (0, 0, 0)


def test_a_comment_is_not_kept(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    memory_id = keep(alice)
    say_of(as_alice, memory_id, "not_helpful", comment="zanzibar")
    with acting_as(alice.pk):
        rows = [*MemoryItem.objects.values(), *EvolutionEvent.objects.values()]
    assert "zanzibar" not in str(rows)


def test_what_was_replaced_takes_no_feedback(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    memory_id = keep(alice)
    as_alice.patch(f"/api/memories/{memory_id}", {"content": "I own an orchard."})
    assert say_of(as_alice, memory_id, "helpful").status_code == 404


def test_without_the_learning_scope_nothing_is_there_to_speak_of(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    memory_id = keep(alice)
    allow(alice, ConsentScope.SAVE_TO_PROFILE)
    assert code_of(say_of(as_alice, memory_id, "helpful")) == "consent_scope_missing"
    allow_nothing(alice)
    assert code_of(say_of(as_alice, memory_id, "helpful")) == "consent_scope_missing"


def test_often_welcomed_a_memory_ranks_higher_and_explain_says_so(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    liked, plain = keep(alice, "I follow shipping rates in Rotterdam."), keep(alice, "I follow shipping rates in Oslo.")
    for _ in range(5):
        say_of(as_alice, liked, "thumbs_up")
    body = {"query": "shipping rates", "explain": True}
    found = {row["memory_id"]: row for row in post(as_alice, "/api/memories/search", body).json()["results"]}
    names = {"semantic", "lexical", "recency", "confidence_effective", "provenance", "frequency"}
    assert all(set(row["explain"]) == names for row in found.values())
    assert found[liked]["explain"]["frequency"] == 1.1
    assert found[plain]["explain"]["frequency"] == 1.0
