"""Entries get their vectors when they are stored or, where no model answers at once, in the background."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.embeddings import EmbeddingUnavailable, LocalEmbedder, configured_embedder
from knowledge import entry_vectors
from knowledge.models import KnowledgeEntry
from knowledge.promoted_entries import PromotedText, add_promoted
from knowledge.stores.postgres import PostgresStore
from knowledge.types import KnowledgeQuestion, Org
from tests.support.cast import allow
from tests.support.organisation import know


class DistantEmbedder(LocalEmbedder):
    """A model on a server, which may be down."""

    is_local = False
    model_id = "distant-1"
    answers = True
    asked: list[int]

    def __init__(self) -> None:
        self.asked = []

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if not self.answers:
            raise EmbeddingUnavailable()
        self.asked.append(len(texts))
        return super().embed_passages(texts)


@pytest.fixture
def distant(monkeypatch: pytest.MonkeyPatch) -> DistantEmbedder:
    embedder = DistantEmbedder()
    monkeypatch.setattr(entry_vectors, "configured_embedder", lambda: embedder)
    monkeypatch.setattr(entry_vectors, "BATCH", 2)
    return embedder


def _models() -> list[str]:
    with in_role(OPERATOR_ROLE):
        return sorted(KnowledgeEntry.objects.values_list("model_id", flat=True))


def test_a_model_in_this_process_embeds_at_once(alice: User, tenant: Tenant) -> None:
    know(tenant, "Refunds take five days.")
    permit = allow(alice)
    with acting_as(alice.pk):
        add_promoted(permit, alice, PromotedText("Refunds take a week."))

    assert _models() == [configured_embedder().model_id] * 2
    assert entry_vectors.count_waiting() == 0


def test_entries_of_earlier_times_are_embedded_a_batch_at_a_time(
    alice: User, tenant: Tenant, distant: DistantEmbedder
) -> None:
    for number in range(3):
        know(tenant, f"Refund {number} takes five days.")
    permit = allow(alice)
    with acting_as(alice.pk):
        add_promoted(permit, alice, PromotedText("Refunds take a week."))
    assert entry_vectors.count_waiting() == 4

    assert entry_vectors.embed_waiting() == 4
    assert distant.asked == [2, 2]
    assert _models() == ["distant-1"] * 4
    assert entry_vectors.embed_waiting() == 0


def test_work_that_was_cut_off_goes_on_where_it_ended(
    tenant: Tenant, distant: DistantEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        know(tenant, f"Refund {number} takes five days.")
    with monkeypatch.context() as cut:
        cut.setattr(entry_vectors, "MOST_BATCHES", 1)
        assert entry_vectors.embed_waiting() == 2

    assert entry_vectors.embed_waiting() == 1
    assert distant.asked == [2, 1]


def test_a_model_that_does_not_answer_is_asked_again_in_the_next_run(tenant: Tenant, distant: DistantEmbedder) -> None:
    know(tenant, "Refunds take five days.")
    distant.answers = False
    assert entry_vectors.embed_waiting() == 0
    distant.answers = True
    assert entry_vectors.embed_waiting() == 1


def test_an_entry_that_changed_meanwhile_keeps_no_vector_of_its_old_text(
    tenant: Tenant, distant: DistantEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = know(tenant, "Refunds take five days.")

    def edited_meanwhile(texts: Sequence[str]) -> NDArray[np.float32]:
        with in_role(OPERATOR_ROLE):
            KnowledgeEntry.objects.filter(pk=entry.pk).update(version=2)
        return LocalEmbedder().embed_passages(texts)

    monkeypatch.setattr(distant, "embed_passages", edited_meanwhile)
    assert entry_vectors.embed_waiting() == 0
    assert _models() == [""]


def test_until_then_an_entry_is_found_by_its_words(alice: User, tenant: Tenant, distant: DistantEmbedder) -> None:
    know(tenant, "Refunds take five days.")
    with acting_as(alice.pk):
        found = PostgresStore().search(KnowledgeQuestion("refund"), Org(tenant.pk, tenant.org_tier))
    assert [snippet.text for snippet in found.snippets] == ["Refunds take five days."]
