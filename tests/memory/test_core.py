"""The door through which a conversation reads and writes memory: what its receipts say, and whose memory it reaches."""

from __future__ import annotations

from uuid import UUID

import pytest
from rest_framework.test import APIClient

from consent.exceptions import ConsentScopeMissing
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from memory.core import MEMORY, Observation, WriteReceipt
from memory.models import EvolutionEvent, MemoryItem
from memory.retrieval.services import embed_query
from memory.services import item_decisions
from memory.types import SearchQuery
from tests.support.api import post, signed_in
from tests.support.cast import allow, allow_all_but_learning
from tests.support.forgetting import new_session
from tests.support.organisation import employ
from tests.support.talk import memories, open_session, permit_of, say


def _written(user: User, content: str, replaces: UUID | None = None) -> WriteReceipt:
    with acting_as(user.pk):
        return MEMORY.write_observation(permit_of(user), Observation(content, replaces=replaces))


def _found(user: User, text: str) -> list[str]:
    with acting_as(user.pk):
        [result] = MEMORY.read_personal_memories(permit_of(user), [SearchQuery(text)], embed_query(text))
    return [hit.text for hit in result.hits]


def test_nobody_reads_closes_or_corrects_what_is_anothers(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    kept, session = _written(alice, "Follows Bitcoin"), open_session(alice)
    assert _found(charlie, "Bitcoin") == []
    with acting_as(charlie.pk):
        permit = permit_of(charlie)
        with pytest.raises(NotFound):
            MEMORY.get_session(permit, session.pk)
        with pytest.raises(NotFound):
            MEMORY.archive_session(permit, charlie, session.pk)
        with pytest.raises(NotFound):
            MEMORY.write_observation(permit, Observation("Follows Ether", replaces=kept.memory_id))


def test_without_the_consent_to_learn_nothing_is_written_or_read(alice: User) -> None:
    allow(alice)
    _written(alice, "Follows Bitcoin")
    allow_all_but_learning(alice)
    assert _found(alice, "Bitcoin") == []
    with pytest.raises(ConsentScopeMissing):
        _written(alice, "Follows Ether")


def test_a_receipt_says_what_became_of_a_statement_and_leads_to_its_change(alice: User) -> None:
    allow(alice)
    first = _written(alice, "Follows Bitcoin")
    again = _written(alice, "follows bitcoin")
    corrected = _written(alice, "Follows Ether", replaces=first.memory_id)
    assert [receipt.status for receipt in (first, again, corrected)] == ["accepted", "rejected", "accepted"]
    assert again.memory_id == first.memory_id
    with acting_as(alice.pk):
        changes = {change.pk: (change.item_id, change.action) for change in EvolutionEvent.objects.all()}
    assert changes[first.receipt_id] == (first.memory_id, "added")
    assert changes[corrected.receipt_id] == (corrected.memory_id, "corrected")
    assert again.receipt_id not in changes


def test_a_mention_that_is_stated_is_merged_into_what_was_learned(alice: User) -> None:
    allow(alice)
    say(alice, open_session(alice), "I follow Bitcoin.")
    [learned] = [item for item in memories(alice) if "Bitcoin" in item.content]
    receipt = _written(alice, learned.content)
    assert receipt.status == "merged"
    with acting_as(alice.pk):
        assert MemoryItem.objects.get(pk=receipt.memory_id).chain_id == learned.chain_id


def test_a_conversation_archived_twice_has_one_receipt(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    with acting_as(alice.pk):
        receipts = [MEMORY.archive_session(permit_of(alice), alice, session.pk) for _ in range(2)]
        assert receipts[0] == receipts[1]
        assert MEMORY.get_session(permit_of(alice), session.pk).archived_at == receipts[0].archived_at


def test_an_item_notes_its_organisation_and_when_it_changed(alice: User) -> None:
    employ(tenant := Tenant.objects.create(name="Krugerrand"), alice)
    allow(alice)
    kept = _written(alice, "Follows Bitcoin")
    with acting_as(alice.pk):
        before = MemoryItem.objects.get(pk=kept.memory_id)
        MemoryItem.objects.filter(pk=before.pk).update(miss_count=3)
        counted = MemoryItem.objects.get(pk=kept.memory_id)
        item_decisions.correct(permit_of(alice), before.pk, "Follows Ether")
        closed = MemoryItem.objects.get(pk=kept.memory_id)
    assert (before.tenant_id, before.updated_at) == (tenant.pk, before.created_at)
    assert counted.updated_at == before.updated_at < closed.updated_at


@pytest.fixture
def as_alice(alice: User) -> APIClient:
    allow(alice)
    return signed_in(alice)


def test_the_api_answers_with_receipts_alike_for_a_repeated_request(as_alice: APIClient) -> None:
    key = {"Idempotency-Key": "k"}
    told = {"text": "Follows Bitcoin", "infer": False}
    first, repeated = (as_alice.post("/api/memories", told, headers=key).json()["results"] for _ in range(2))
    assert first == repeated
    [receipt] = first
    assert (receipt["event"], receipt["status"]) == ("ADD", "accepted")
    assert receipt["change_id"]
    assert receipt["written_at"]
    item = as_alice.get(f"/api/memories/{receipt['memory_id']}").json()
    assert (item["tenant_id"], item["updated_at"]) == (None, item["created_at"])
    [again] = post(as_alice, "/api/memories", told).json()["results"]
    assert (again["event"], again["status"], again["memory_id"]) == ("NONE", "rejected", receipt["memory_id"])


def test_archiving_again_changes_nothing(as_alice: APIClient) -> None:
    session = new_session(as_alice)
    answers = [post(as_alice, f"/api/sessions/{session}/archive", {}).json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert (answers[0]["session_id"], answers[0]["archived_at"] is None) == (session, False)
