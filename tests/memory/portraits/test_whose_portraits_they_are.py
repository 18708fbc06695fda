"""A portrait is its person's; a group's is for those who are in it now, and holds what they said themselves."""

from __future__ import annotations

import pytest

from consent.models import ErasureScope
from consent.services import withdraw_consent
from foundation.accounts.groups import remove_member
from foundation.accounts.models import ChatGroup, User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.outbox.tasks import drain
from memory.models import EntityProfile, SearchEntry
from memory.portraits import services as portraits
from memory.retrieval.services import embed_query
from tests.memory.portraits.support import body, bullets, edit, erase, portrait, stored_words, tell, versions
from tests.support.cast import allow, group_with
from tests.support.talk import open_session, permit_of


@pytest.fixture
def desk(alice: User, bob: User, charlie: User) -> ChatGroup:
    for person in (alice, bob, charlie):
        allow(person)
    return group_with(alice, [bob])


@pytest.fixture
def told(alice: User, bob: User, desk: ChatGroup) -> ChatGroup:
    """Each of the two said one thing in the group, and Alice one in private."""
    tell(alice, open_session(alice, group_id=desk.pk), "I like zanzibar tea.")
    tell(bob, open_session(bob, group_id=desk.pk), "I like mocha coffee.")
    tell(alice, open_session(alice), "I live in Lisbon.")
    return desk


def test_members_see_the_groups_portrait_of_both_and_nobodys_private_one(
    alice: User, bob: User, told: ChatGroup
) -> None:
    assert bullets(bob, told) == ["Alice likes zanzibar tea.", "Bob likes mocha coffee."]
    assert "Lisbon" in body(alice)
    assert "Lisbon" not in body(alice, told)
    assert portrait(bob, alice) is None
    assert "zanzibar" not in body(bob)


def test_an_outsider_sees_edits_and_finds_nothing(alice: User, charlie: User, told: ChatGroup) -> None:
    assert portrait(charlie, told) is None
    assert portrait(charlie, alice) is None
    with pytest.raises(NotFound):
        edit(charlie, "- Mine now", told)
    with acting_as(charlie.pk), pytest.raises(NotFound):
        portraits.edit(permit_of(charlie), "user", alice.pk, "- Mine now")
    question = embed_query("zanzibar tea Lisbon")
    with acting_as(charlie.pk):
        assert portraits.search_portraits(permit_of(charlie), question).hits == ()
        with pytest.raises(NotFound):
            portraits.search_portraits(permit_of(charlie), question, "user", alice.pk)
        with pytest.raises(NotFound):
            portraits.search_portraits(permit_of(charlie), question, "group", told.pk)
        assert not EntityProfile.objects.exists()
        assert not EntityProfile.history.exists()


def test_who_leaves_loses_sight_and_takes_their_words_along(alice: User, bob: User, told: ChatGroup) -> None:
    remove_member(bob, told.pk, bob.pk)

    assert portrait(bob, told) is None
    assert bullets(alice, told) == ["Alice likes zanzibar tea."]
    with acting_as(alice.pk):
        found = portraits.search_portraits(permit_of(alice), embed_query("mocha coffee"), "group", told.pk)
    assert all("mocha" not in hit.portrait.body for hit in found.hits)
    with acting_as(bob.pk):
        assert portraits.own_row_id(permit_of(bob), "group", told.pk)  # to be forgotten all the same


def test_an_erased_account_leaves_nothing_of_theirs_in_the_groups_portrait(
    alice: User, bob: User, told: ChatGroup
) -> None:
    erase(bob, ErasureScope.ACCOUNT)

    assert bullets(alice, told) == ["Alice likes zanzibar tea."]
    with acting_as(alice.pk):
        assert not SearchEntry.objects.filter(kind="profile", group=told).exclude(user=alice).exists()


def test_each_edits_their_own_part_alone(alice: User, bob: User, told: ChatGroup) -> None:
    view = edit(bob, "- I drink water", told)

    assert view.own is not None
    assert view.own.body.endswith("- I drink water")
    assert set(bullets(alice, told)) == {"Alice likes zanzibar tea.", "Bob: I drink water"}
    assert body(alice, told) == body(bob, told)


def test_nobody_reads_anothers_versions(alice: User, bob: User, told: ChatGroup) -> None:
    edit(bob, "- Bob drinks water", told)

    assert all("mocha" not in one and "water" not in one for one in versions(alice))
    with acting_as(alice.pk):
        assert portraits.revisions(permit_of(alice), "group", told.pk) == []


def test_a_withdrawal_purges_portraits_with_their_versions(alice: User, told: ChatGroup) -> None:
    edit(alice, "- I live in Lisbon\n- I swim")
    with acting_as(alice.pk):
        consent = permit_of(alice).consent_id
        assert consent is not None
        withdraw_consent(alice, consent, source="api")
    assert portrait(alice) is None
    drain()

    with acting_as(alice.pk):
        assert not EntityProfile.objects.filter(user=alice).exists()
        assert not EntityProfile.history.exists()
    assert "zanzibar" not in stored_words(alice)


def test_a_grant_after_a_withdrawal_brings_nothing_back_even_before_the_purge(alice: User, told: ChatGroup) -> None:
    with acting_as(alice.pk):
        consent = permit_of(alice).consent_id
        assert consent is not None
        withdraw_consent(alice, consent, source="api")
    allow(alice)
    assert portrait(alice) is None
    assert bullets(alice, told) == ["Bob likes mocha coffee."]
    with acting_as(alice.pk), pytest.raises(NotFound):
        portraits.revisions(permit_of(alice), "user", alice.pk)

    edit(alice, "- I swim")

    assert bullets(alice) == ["I swim"]
    with acting_as(alice.pk), pytest.raises(NotFound):
        portraits.rollback(permit_of(alice), "user", alice.pk)
    drain()
    assert bullets(alice) == ["I swim"]
