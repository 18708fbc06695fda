"""A database that 0.1.0 filled is migrated, another model is configured, and everything is found all the while."""

from __future__ import annotations

from typing import Final

import pytest

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.embeddings import LocalEmbedder
from foundation.outbox.job_run import run
from foundation.outbox.leases import claim
from foundation.outbox.tasks import drain
from memory.indexing import reembedding
from memory.indexing.reembedding import BACKLOG, queue_waiting
from memory.models import SearchEntry
from memory.retrieval.services import search
from memory.types import Kind, SearchQuery
from tests.support.embedders import WordsEmbedder, embedding_with, models_of
from tests.support.former import cancel_the_purge
from tests.support.talk import permit_of

pytestmark = pytest.mark.usefixtures("former_release")
THEN = "finclaw-static-hashed-1"
KINDS: Final[tuple[Kind, ...]] = ("turn", "item", "event", "profile")
ASKED = {  # whose question, and what is found first for it
    ("alice", "Where do I live, Hamburg?"): "Hamburg",
    ("alice", "Who is a vet in Oslo?"): "vet in Oslo",
    ("alice", "treasury bonds"): "treasury bonds",
    ("bob", "我住在上海吗"): "上海",
    ("bob", "比特币"): "比特币",
}


@pytest.fixture
def people() -> dict[str, User]:
    return {user.username: user for user in User.objects.all()}


def _places(people: dict[str, User]) -> set[int]:
    """At which places of what is found the answers stand, the first being 0; raises where one is not found."""
    return {_place(people[who], question, word) for (who, question), word in ASKED.items()}


def _place(user: User, question: str, word: str) -> int:
    with acting_as(user.pk):
        found = search(permit_of(user), SearchQuery(question, KINDS))
    assert found.degraded == ()
    return next(place for place, hit in enumerate(found.hits) if word in hit.text)


def _by_owner() -> dict[str, set[str]]:
    with in_role(OPERATOR_ROLE):
        rows = SearchEntry.objects.values_list("user__username", "model_id")
        return {name: {model for owner, model in rows if owner == name} for name, _ in rows}


def test_before_while_and_after_and_back_again(people: dict[str, User], monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {name: len(models_of(user)) for name, user in people.items()}
    assert _by_owner() == {name: {THEN} for name in people}
    new = WordsEmbedder("another-1")
    with embedding_with(new):
        assert _places(people) == {0}
        monkeypatch.setattr(reembedding, "BATCH", 3)
        assert BACKLOG.queue_now() == 2  # Charlie withdrew
        cancel_the_purge()
        claimed = claim()
        assert claimed is not None
        run(claimed)
        assert {THEN, new.model_id} in _by_owner().values()
        assert _places(people)  # perhaps behind one that has its vector already
        drain()
        assert _by_owner() == {"alice": {new.model_id}, "bob": {new.model_id}, "charlie": {THEN}}
        assert not any("peanuts" in text or "BTC" in text for text in new.asked)
        assert _places(people) == {0}
    with embedding_with(LocalEmbedder()):
        assert _places(people) == {0}
        assert BACKLOG.queue_now() == 2
        drain()
        assert _places(people) == {0}
        assert queue_waiting() == 0

    assert _by_owner() == {name: {THEN} for name in people}
    assert {name: len(models_of(user)) for name, user in people.items()} == entries
