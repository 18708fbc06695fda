"""Memories that say the same become one, and can be taken apart again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consent.exceptions import ConsentOutdated, ConsentScopeMissing
from consent.models import Sources
from consent.services import withdraw_consent
from foundation.accounts.models import Membership, User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from memory.confidence import PROVENANCE_CAPS, combined_confidence
from memory.erasure.labels import ITEM
from memory.erasure.targets import targets_of_item
from memory.governance.consolidation import combined_provenance, consolidate
from memory.governance.thresholds import Thresholds
from memory.models import MemoryItem, SearchEntry
from memory.services import history
from tests.support.cast import A_MONDAY, allow, group_with
from tests.support.talk import memories, permit_of
from tests.support.upkeep import as_of, changes, remember, reread

THRESHOLDS = Thresholds()
ENGLISH = (
    ("Lives in Berlin", "Berlin"),
    ("Lives in Berlin, Germany", "Berlin, Germany"),
    ("Lives in old Berlin", "old Berlin"),
)
CHINESE = (("住在北京", "北京"), ("住在北京市", "北京市"), ("住在北京城", "北京城"))


def _three(user: User, said: tuple[tuple[str, str], ...] = ENGLISH, **fields: Any) -> list[MemoryItem]:
    return [remember(user, content, value=value, **fields) for content, value in said]


def _consolidate(user: User, thresholds: Thresholds = THRESHOLDS) -> list[MemoryItem]:
    with acting_as(user.pk):
        keys = consolidate(permit_of(user), thresholds)
    return [reread(user, key) for key in keys]


@pytest.mark.parametrize(
    ("confidences", "provenance", "expected"),
    [
        ([0.5, 0.5, 0.5], "analysis", 0.8),
        ([0.2, 0.2], "analysis", 0.36),
        ([0.9, 0.5], "confirmed_by_user", 0.95),
        ([0.4], "observation", 0.4),
    ],
)
def test_sayings_add_up_within_the_cap(confidences: list[float], provenance: str, expected: float) -> None:
    assert combined_confidence(confidences, provenance) == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.sampled_from(sorted(PROVENANCE_CAPS)))
def test_a_combined_confidence_never_passes_the_cap(confidences: list[float], provenance: str) -> None:
    assert 0 <= combined_confidence(confidences, provenance) <= PROVENANCE_CAPS[provenance]


@pytest.mark.parametrize(
    ("provenances", "expected"),
    [
        (["observation"] * 3, "analysis"),
        (["observation", "analysis"], "analysis"),
        (["observation", "confirmed_by_user"], "confirmed_by_user"),
    ],
)
def test_what_was_seen_several_times_is_analysis_unless_its_person_said_so(
    provenances: list[str], expected: str
) -> None:
    assert combined_provenance(provenances) == expected


@pytest.mark.parametrize("said", [ENGLISH, CHINESE])
def test_three_of_a_kind_become_one_that_names_them(alice: User, said: tuple[tuple[str, str], ...]) -> None:
    allow(alice)
    sources = _three(alice, said)
    [merged] = _consolidate(alice)
    assert (merged.content, merged.provenance, merged.confidence) == (said[0][0], "analysis", 0.8)
    assert sorted(merged.provenance_detail["merged_from"]) == sorted(str(one.pk) for one in sources)
    assert merged.provenance_detail["message_ids"] == sorted(one.provenance_detail["message_ids"][0] for one in sources)
    assert memories(alice, superseded_at=None) == [merged]
    assert {reread(alice, one.pk).superseded_by_id for one in sources} == {merged.pk}
    with acting_as(alice.pk):
        live = set(SearchEntry.objects.filter(kind="item", live=True).values_list("pk", flat=True))
    assert live == {merged.pk}


def test_at_every_moment_one_of_them_is_believed(alice: User) -> None:
    allow(alice)
    for days, (content, value) in enumerate(ENGLISH):
        remember(alice, content, value=value, valid_at=A_MONDAY + timedelta(days=days))
    _consolidate(alice)
    assert as_of(A_MONDAY + timedelta(hours=1), alice) == ["Lives in Berlin"]
    assert as_of(A_MONDAY + timedelta(days=30), alice) == ["Lives in Berlin"]


def test_what_was_counted_and_validated_goes_with_it(alice: User) -> None:
    allow(alice)
    validated = A_MONDAY + timedelta(days=20)
    _three(alice, injection_count=2, positive_count=1, last_validated_at=validated)
    [merged] = _consolidate(alice)
    assert (merged.injection_count, merged.positive_count, merged.last_validated_at) == (6, 3, validated)


def test_a_second_run_changes_nothing(alice: User) -> None:
    allow(alice)
    _three(alice)
    _consolidate(alice)
    assert _consolidate(alice) == []
    assert len(changes(alice, "merged")) == 1


def test_an_undo_opens_them_again_and_they_stay_apart(alice: User) -> None:
    allow(alice)
    sources = _three(alice)
    [merged] = _consolidate(alice)
    with acting_as(alice.pk):
        history.undo(permit_of(alice), merged.pk)
    again = memories(alice, superseded_at=None)
    assert again == sources
    assert {(one.state, one.invalid_at, one.superseded_by_id) for one in again} == {("active", None, None)}
    with acting_as(alice.pk):
        live = set(SearchEntry.objects.filter(kind="item", live=True).values_list("pk", flat=True))
    assert live == {one.pk for one in sources}
    assert _consolidate(alice) == []


def test_the_change_names_its_grounds_and_no_words(alice: User) -> None:
    allow(alice)
    sources = _three(alice)
    [merged] = _consolidate(alice)
    [event] = changes(alice, "merged")
    assert (event.item_id, event.actor, event.rule) == (merged.pk, "governor", "consolidation")
    assert sorted(event.inputs["merged"]) == sorted(str(one.pk) for one in sources)
    assert event.inputs["similarity"] > THRESHOLDS.similarity
    assert "Berlin" not in str([event.inputs, event.before, event.after])


def test_forgetting_one_of_them_takes_what_they_became(alice: User) -> None:
    allow(alice)
    sources = _three(alice)
    [merged] = _consolidate(alice)
    with acting_as(alice.pk):
        targets = targets_of_item(permit_of(alice), sources[2].pk, Sources.REDACT)
    assert set(targets.delete[ITEM]) == {merged.pk, *(one.pk for one in sources)}


def test_forgetting_one_that_was_taken_out_again_spares_the_others(alice: User) -> None:
    allow(alice)
    sources = _three(alice)
    [merged] = _consolidate(alice)
    with acting_as(alice.pk):
        history.undo(permit_of(alice), merged.pk)
        targets = targets_of_item(permit_of(alice), sources[2].pk, Sources.REDACT)
    assert set(targets.delete[ITEM]) == {merged.pk, sources[2].pk}


def test_another_persons_memories_are_never_joined(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    mine, theirs = _three(alice), _three(bob, ENGLISH[:2])
    with acting_as(alice.pk):
        consolidate(permit_of(alice), THRESHOLDS)
    assert len(memories(alice, superseded_at=None)) == 1
    assert memories(bob) == theirs
    assert mine[0].user_id != theirs[0].user_id


def test_those_of_a_group_and_those_of_none_stay_apart(alice: User) -> None:
    allow(alice)
    group = group_with(alice)
    _three(alice, ENGLISH[:2])
    remember(alice, ENGLISH[2][0], value=ENGLISH[2][1], group_id=group.pk)
    assert _consolidate(alice) == []


def test_in_a_group_its_person_has_left_nothing_is_written(alice: User) -> None:
    allow(alice)
    group = group_with(alice)
    _three(alice, group_id=group.pk)
    Membership.objects.filter(group=group, user=alice).update(left_at=A_MONDAY)
    assert _consolidate(alice) == []


@pytest.mark.parametrize("fields", [{"quarantined": True}, {"epistemic_type": "outdated"}])
def test_what_is_set_aside_or_out_of_date_is_not_joined(alice: User, fields: dict[str, Any]) -> None:
    allow(alice)
    _three(alice, ENGLISH[:2])
    remember(alice, ENGLISH[2][0], value=ENGLISH[2][1], **fields)
    assert _consolidate(alice) == []


def test_a_tenants_threshold_counts(alice: User) -> None:
    allow(alice)
    _three(alice, ENGLISH[:2])
    assert len(_consolidate(alice, Thresholds(consolidate_from=2))) == 1


def test_without_the_scope_nothing_is_joined(alice: User) -> None:
    permit = allow(alice)
    _three(alice)
    assert permit.consent_id is not None
    with acting_as(alice.pk):
        withdraw_consent(alice, permit.consent_id, [ConsentScope.MEMORY_LEARNING], source="api")
        with pytest.raises(ConsentOutdated):
            consolidate(permit, THRESHOLDS)
        with pytest.raises(ConsentScopeMissing):
            consolidate(permit_of(alice), THRESHOLDS)
    assert changes(alice, "merged") == []
