"""A memory's versions: bi-temporal, capped, owned."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from consent.exceptions import ConsentOutdated, ConsentScopeMissing
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound, ValidationFailed
from foundation.personal_data import ConsentScope
from memory.models import MemoryItem, SearchEntry
from memory.services import item_decisions, item_queries, items
from memory.services.versions import ItemDraft, content_hash
from tests.support.cast import A_MONDAY, allow
from tests.support.items import add_item

LATER = A_MONDAY + timedelta(days=30)


def _draft(content: str = "Lives in Berlin", **changes: object) -> ItemDraft:
    fields: dict[str, object] = {
        "content": content,
        "memory_type": "observation",
        "epistemic_type": "fact",
        "provenance": "observation",
        "confidence": 0.5,
        "valid_at": A_MONDAY,
    }
    return ItemDraft(**(fields | changes))  # type: ignore[arg-type]


def test_somebody_elses_memory_is_not_found(alice: User, charlie: User) -> None:
    with acting_as(alice.pk):
        item = add_item(allow(alice), _draft())
    permit = allow(charlie)
    with acting_as(charlie.pk):
        for attempt in (item_queries.item_of, items.confirm):
            with pytest.raises(NotFound):
                attempt(permit, item.pk)
        with pytest.raises(NotFound):
            item_decisions.correct(permit, item.pk, "Mine now")


def test_nothing_is_stored_without_the_learning_scope(alice: User) -> None:
    permit = allow(alice, ConsentScope.SAVE_TO_PROFILE)
    with acting_as(alice.pk), pytest.raises(ConsentScopeMissing):
        add_item(permit, _draft())


def test_under_a_consent_that_has_changed_since_nothing_is_written(alice: User) -> None:
    stale = allow(alice)
    with acting_as(alice.pk):
        item = add_item(stale, _draft())
    allow(alice, ConsentScope.MEMORY_LEARNING)
    doors: list[Callable[[], object]] = [
        lambda: add_item(stale, _draft("Lives in Hamburg")),
        lambda: item_decisions.add_stated(stale, "Lives in Hamburg"),
        lambda: items.supersede(stale, item, _draft("Lives in Hamburg")),
        lambda: items.confirm(stale, item.pk),
        lambda: item_decisions.correct(stale, item.pk, "Lives in Hamburg"),
    ]
    with acting_as(alice.pk):
        for write in doors:
            with pytest.raises(ConsentOutdated):
                write()
        assert MemoryItem.objects.get().superseded_at is None


def test_a_person_is_locked_once_for_a_change(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        old = add_item(permit, _draft())
        with CaptureQueriesContext(connection) as captured:
            items.supersede(permit, old, _draft("Lives in Hamburg", valid_at=LATER))
    assert sum("FOR NO KEY UPDATE" in query["sql"] for query in captured) == 1


@pytest.mark.parametrize("text", ["", "   ", "x" * (item_decisions.MAX_CONTENT_CHARS + 1)])
def test_a_correction_needs_words_and_not_too_many(alice: User, text: str) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_item(permit, _draft())
        with pytest.raises(ValidationFailed):
            item_decisions.correct(permit, item.pk, text)
        assert item_queries.item_of(permit, item.pk).superseded_at is None


def test_what_was_believed_on_one_day_about_another(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        old = add_item(permit, _draft("Lives in Berlin"))
        before_the_move = timezone.now()
        items.supersede(permit, old, _draft("Lives in Hamburg", valid_at=LATER))
        now = timezone.now()

        def believed(valid_at: object, known_at: object) -> list[str]:
            rows = MemoryItem.objects.believed(valid_at=valid_at, known_at=known_at)  # type: ignore[arg-type]
            return [row.content for row in rows]

        after_the_move = LATER + timedelta(days=1)
        assert believed(after_the_move, known_at=before_the_move) == ["Lives in Berlin"]
        assert believed(after_the_move, known_at=now) == ["Lives in Hamburg"]
        assert believed(A_MONDAY + timedelta(days=1), known_at=now) == ["Lives in Berlin"]
        assert believed(A_MONDAY - timedelta(days=1), known_at=now) == []


def test_a_confirmation_is_a_new_version_true_for_the_same_time(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        old = add_item(permit, _draft())
        new = items.confirm(permit, old.pk)
        assert (new.provenance, new.confidence, new.version) == ("confirmed_by_user", 0.9, 2)
        assert new.valid_at == old.valid_at
        now = timezone.now()
        assert list(MemoryItem.objects.believed(valid_at=now, known_at=now)) == [new]
        assert [row.version for row in item_queries.history_of(permit, new)] == [1, 2]


def test_only_the_open_version_is_searched(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        old = add_item(permit, _draft())
        new = item_decisions.correct(permit, old.pk, "Lives in Hamburg")
        live = dict(SearchEntry.objects.values_list("pk", "live"))
        assert live == {old.pk: False, new.pk: True}


def test_a_replaced_version_cannot_be_changed_again(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        old = add_item(permit, _draft())
        items.confirm(permit, old.pk)
        with pytest.raises(NotFound):
            item_decisions.correct(permit, old.pk, "Lives in Hamburg")


@pytest.mark.parametrize(("provenance", "too_sure"), [("observation", 0.61), ("analysis", 0.81)])
def test_the_database_itself_refuses_more_confidence_than_the_provenance_allows(
    alice: User, provenance: str, too_sure: float
) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_item(permit, _draft())
        with pytest.raises(IntegrityError), transaction.atomic():
            MemoryItem.objects.filter(pk=item.pk).update(provenance=provenance, confidence=too_sure)


def test_the_database_allows_one_open_version_per_chain(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_item(permit, _draft())
        item.pk, item.version = uuid4(), 2
        with pytest.raises(IntegrityError), transaction.atomic():
            item.save(force_insert=True)


def test_content_hashes_meet_for_equal_words_of_one_person_only(alice: User, bob: User) -> None:
    assert content_hash(alice.pk, "Follows ＢＴＣ") == content_hash(alice.pk, "follows  btc")
    assert content_hash(alice.pk, "follows btc") != content_hash(bob.pk, "follows btc")
