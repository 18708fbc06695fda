"""The last change of a memory can be taken back, whoever made it (M-15, M-16)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from consent.exceptions import ConsentOutdated, ConsentScopeMissing
from consent.permit import Permit
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound, ValidationFailed
from foundation.personal_data import ConsentScope
from memory.models import MemoryItem
from memory.services import item_decisions, items, versions
from memory.services.history import record_change, undo
from tests.memory.evolution.support import actions, believed, changes, draft, recallable
from tests.support.cast import A_MONDAY, allow
from tests.support.items import add_item

LATER = A_MONDAY + timedelta(days=30)
Change = Callable[[Permit, MemoryItem], object]


def _superseded(permit: Permit, item: MemoryItem) -> object:
    return items.supersede(permit, item, draft("Lives in Hamburg", valid_at=LATER))


def _retired(permit: Permit, item: MemoryItem) -> None:
    items.retire(permit, item, at=LATER)


def _corrected(permit: Permit, item: MemoryItem) -> object:
    return item_decisions.correct(permit, item.pk, "Lives in Hamburg")


def _confirmed(permit: Permit, item: MemoryItem) -> object:
    return items.confirm(permit, item.pk)


CHANGES: list[Change] = [_superseded, _retired, _corrected, _confirmed]


def test_somebody_elses_memory_is_not_found(alice: User, charlie: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_item(permit, draft())
        items.confirm(permit, item.pk)
    stranger = allow(charlie)
    with acting_as(charlie.pk), pytest.raises(NotFound):
        undo(stranger, item.pk)


def test_under_a_consent_that_ended_or_changed_nothing_is_undone(alice: User) -> None:
    stale = allow(alice)
    with acting_as(alice.pk):
        item = items.confirm(stale, add_item(stale, draft()).pk)
    without = allow(alice, ConsentScope.SAVE_TO_PROFILE)
    with acting_as(alice.pk):
        with pytest.raises(ConsentOutdated):
            undo(stale, item.pk)
        with pytest.raises(ConsentScopeMissing):
            undo(without, item.pk)


def test_what_was_only_learned_has_nothing_to_undo(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_item(permit, draft())
        with pytest.raises(ValidationFailed, match="There is nothing to undo"):
            undo(permit, item.pk)


@pytest.mark.parametrize("change", CHANGES)
def test_the_former_version_stands_again_and_is_found_again(alice: User, change: Change) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_item(permit, draft())
        change(permit, item)
        again = undo(permit, item.pk)
        assert (again.pk, again.state, again.invalid_at, again.superseded_at) == (item.pk, "active", None, None)
        assert (again.confidence, again.provenance, again.superseded_by_id) == (0.5, "observation", None)
        assert actions(permit, item)[-1] == "undone"
        with pytest.raises(ValidationFailed):
            undo(permit, item.pk)
    assert believed(alice) == recallable(alice) == {"Lives in Berlin"}
    _, changed, undone = changes(alice)
    assert changed.undone_at is not None
    assert undone.inputs == {"undid": str(changed.pk), "action": changed.action}
    assert undone.actor == "person"


def test_changes_are_taken_back_one_by_one_the_last_first(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_item(permit, draft())
        hamburg = items.supersede(permit, item, draft("Lives in Hamburg", valid_at=LATER))
        item_decisions.correct(permit, hamburg.pk, "Lives in Bremen")
        assert undo(permit, item.pk).content == "Lives in Hamburg"
        assert undo(permit, item.pk).content == "Lives in Berlin"


def test_after_an_undo_the_chain_goes_on_and_its_past_stays_as_it_was_believed(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_item(permit, draft())
        item_decisions.correct(permit, item.pk, "Lives in Hamburg")
        while_corrected = timezone.now()
        undo(permit, item.pk)
        after = timezone.now()

        def told(known_at: object) -> list[str]:
            return [row.content for row in MemoryItem.objects.believed(timezone.now(), known_at)]  # type: ignore[arg-type]

        assert told(while_corrected) == ["Lives in Hamburg"]
        assert told(after) == ["Lives in Berlin"]
        newest = item_decisions.correct(permit, item.pk, "Lives in Bremen")
        assert (newest.chain_id, newest.version) == (item.chain_id, 3)
        assert told(timezone.now()) == ["Lives in Bremen"]
        assert told(after) == ["Lives in Berlin"]


def test_what_upkeep_changed_of_an_items_standing_is_put_back(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_item(permit, draft())
        before = {"state": item.state, "confidence": item.confidence, "epistemic_type": item.epistemic_type}
        versions.change_fields(item, state="quarantined", confidence=0.2, epistemic_type="outdated")
        record_change(permit, item, "fused", "governor", "fuse", before=before)
        assert recallable(alice) == set()
        again = undo(permit, item.pk)
        assert (again.state, again.confidence, again.epistemic_type) == ("active", 0.5, "fact")
    assert recallable(alice) == {"Lives in Berlin"}


def test_a_merge_is_taken_apart(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        one, other = (add_item(permit, draft(text)) for text in ("Lives in Berlin", "Lives in Berlin, Mitte"))
        now = timezone.now()
        for source in (one, other):
            versions.close_version(source, at=source.valid_at, state="superseded", now=now)
        merged = versions.store_version(permit, draft("Lives in Berlin Mitte"), now=now, valid_at=A_MONDAY)
        MemoryItem.objects.filter(pk__in=[one.pk, other.pk]).update(superseded_by=merged)
        grounds = {"merged": [one.pk, other.pk], "created": True}
        record_change(permit, merged, "merged", "governor", inputs=grounds)
        assert actions(permit, one) == ["added", "merged"]
        undo(permit, merged.pk)
    assert believed(alice) == recallable(alice) == {"Lives in Berlin", "Lives in Berlin, Mitte"}


def test_a_version_that_was_merged_since_is_taken_apart_there_first(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        boat = add_item(permit, draft("Owns a boat"))
        item = items.confirm(permit, add_item(permit, draft()).pk)
        item_decisions.correct(permit, item.pk, "Owns a boat")
        with pytest.raises(ValidationFailed, match="part of a merged one"):
            undo(permit, item.pk)
        undo(permit, boat.pk)
        assert undo(permit, item.pk).provenance == "observation"


def test_what_was_told_again_elsewhere_stands_in_the_way(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_item(permit, draft())
        item_decisions.correct(permit, item.pk, "Lives in Hamburg")
        add_item(permit, draft("Lives in Berlin"))
        with pytest.raises(ValidationFailed, match="already says this"):
            undo(permit, item.pk)
    assert believed(alice) == {"Lives in Hamburg", "Lives in Berlin"}
