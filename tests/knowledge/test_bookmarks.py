"""A bookmark names an entry of one's organisation, holds none of its words, and says so when the entry is gone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from consent.exceptions import ProfileConsentRequired
from consent.models import ErasureScope, Sources
from consent.permit import Permit
from consent.services import permit_for
from finclaw.erasure import forget
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import NotFound
from foundation.ids import new_id
from foundation.outbox.tasks import drain
from knowledge.bookmarks import add_bookmark, bookmarks_of, remove_bookmark, resolve_bookmarks
from knowledge.member_access import entries_in_force
from knowledge.models import Bookmark, KnowledgeEntry
from knowledge.promoted_entries import PromotedText, add_promoted, remove_promoted
from knowledge.services import retire_entry, save_entry
from tests.consent.export.support import exported, rows_of
from tests.support.cast import allow, allow_nothing
from tests.support.organisation import employ, know


@pytest.fixture
def permit(alice: User) -> Permit:
    """Alice's, under a consent with every switch off: a bookmark is a choice of hers, and nothing that is learned."""
    return allow_nothing(alice)


def _add(user: User, entry: KnowledgeEntry) -> Bookmark:
    with acting_as(user.pk):
        return add_bookmark(permit_for(user), user, entry.pk)


def _read(user: User) -> list[tuple[str, str]]:
    """The states of the user's bookmarks, each with the words that it shows."""
    with acting_as(user.pk):
        found = resolve_bookmarks(user, list(bookmarks_of(permit_for(user))))
        return [(resolved.state.value, resolved.entry.text if resolved.entry else "") for resolved in found]


def _promote(user: User, text: str) -> KnowledgeEntry:
    with acting_as(user.pk):
        return add_promoted(permit_for(user), user, PromotedText(text))


def test_only_what_is_ones_own_to_read_can_be_bookmarked(
    alice: User, charlie: User, permit: Permit, tenant: Tenant, other_tenant: Tenant
) -> None:
    allow(charlie)
    ours, theirs = know(tenant, "We open at nine."), know(other_tenant, "We never open.")
    elsewhere = know(tenant, "Only headquarters sign.", org_tiers=[Tenant.OrgTier.BRAND_HQ])
    for user, key in ((alice, theirs.pk), (alice, elsewhere.pk), (alice, new_id()), (charlie, ours.pk)):
        with pytest.raises(NotFound), acting_as(user.pk):
            add_bookmark(permit_for(user), user, key)
    assert _read(alice) == _read(charlie) == []


def test_without_an_organisation_there_is_nothing_to_bookmark(alice: User, charlie: User, permit: Permit) -> None:
    tenant = Tenant.objects.create(name="Tanganyika Ltd")
    employ(tenant, charlie)
    entry = know(tenant, "We never open.")
    with acting_as(alice.pk):
        assert list(entries_in_force(alice)) == []
        with pytest.raises(NotFound):
            add_bookmark(permit, alice, entry.pk)


def test_before_any_decision_on_consent_nothing_is_kept(alice: User, tenant: Tenant) -> None:
    entry = know(tenant, "We open at nine.")
    with pytest.raises(ProfileConsentRequired):
        _add(alice, entry)
    assert _read(alice) == []


def test_a_colleague_neither_sees_nor_removes_anothers(alice: User, bob: User, permit: Permit, tenant: Tenant) -> None:
    allow(bob)
    bookmark = _add(alice, know(tenant, "We open at nine."))
    assert _read(bob) == []
    with acting_as(bob.pk):
        assert not Bookmark.objects.exists()
        with pytest.raises(NotFound):
            remove_bookmark(permit_for(bob), bookmark.pk)
    assert _read(alice) == [("in_force", "We open at nine.")]


def test_an_entry_is_bookmarked_once_by_its_id_alone(alice: User, permit: Permit, tenant: Tenant) -> None:
    entry = know(tenant, "We open at nine.")
    first, again = _add(alice, entry), _add(alice, entry)
    assert first.pk == again.pk
    with acting_as(alice.pk):
        [row] = Bookmark.objects.values()
    assert row == {
        "id": first.pk, "user_id": alice.pk, "knowledge_id": entry.pk, "created_at": first.created_at
    }  # fmt: skip


def test_a_removed_one_leaves_its_entry_and_can_be_added_again(alice: User, permit: Permit, tenant: Tenant) -> None:
    entry = know(tenant, "We open at nine.")
    with acting_as(alice.pk):
        remove_bookmark(permit, _add(alice, entry).pk)
    assert _read(alice) == []
    _add(alice, entry)
    assert _read(alice) == [("in_force", "We open at nine.")]


def test_it_shows_the_entry_as_it_stands_now(alice: User, permit: Permit, tenant: Tenant) -> None:
    entry = know(tenant, "We open at nine.")
    _add(alice, entry)
    entry.text = "We open at ten."
    with in_role(OPERATOR_ROLE):
        save_entry(entry)
    assert _read(alice) == [("in_force", "We open at ten.")]

    with in_role(OPERATOR_ROLE):
        retire_entry(entry)
    assert _read(alice) == [("not_in_force", "We open at ten.")]


def test_what_holds_later_is_not_in_force_yet(alice: User, permit: Permit, tenant: Tenant) -> None:
    later = know(tenant, "We open at ten.", valid_from=timezone.now() + timedelta(days=1))
    with acting_as(alice.pk):
        assert list(entries_in_force(alice)) == []
    _add(alice, later)
    assert _read(alice) == [("not_in_force", "We open at ten.")]


def test_whoever_leaves_keeps_the_reference_and_reads_no_word(alice: User, permit: Permit, tenant: Tenant) -> None:
    _add(alice, know(tenant, "We open at nine."))
    User.objects.filter(pk=alice.pk).update(tenant=None)
    alice.refresh_from_db()
    assert _read(alice) == [("gone", "")]


def test_an_entry_that_a_member_takes_back_is_gone(alice: User, bob: User, permit: Permit, tenant: Tenant) -> None:
    allow(bob)
    entry = _promote(bob, "Answers are brief.")
    _add(alice, entry)
    assert _read(alice) == [("in_force", "Answers are brief.")]
    with acting_as(bob.pk):
        assert remove_promoted(bob.pk, entry.pk)
    assert _read(alice) == [("gone", "")]


@pytest.mark.django_db(transaction=True)
def test_an_erasure_ends_what_others_bookmarked_at_once_and_takes_ones_own(
    alice: User, bob: User, permit: Permit, tenant: Tenant
) -> None:
    allow(bob)
    _add(alice, _promote(bob, "Answers are brief."))
    _add(bob, know(tenant, "We open at nine."))
    with acting_as(bob.pk):
        forget(bob, ErasureScope.ACCOUNT, "", Sources.REDACT, source="api")
        assert not Bookmark.objects.exists()
    assert _read(alice) == [("gone", "")]
    drain()
    with in_role(OPERATOR_ROLE):
        assert [bookmark.user_id for bookmark in Bookmark.objects.all()] == [alice.pk]


def test_it_is_in_the_copy_of_ones_data(alice: User, permit: Permit, tenant: Tenant) -> None:
    bookmark = _add(alice, know(tenant, "We open at nine."))
    [row] = rows_of(exported(alice), alice, "knowledge/bookmarks.jsonl")
    assert (row["id"], row["knowledge_id"]) == (str(bookmark.pk), str(bookmark.knowledge_id))
    assert "nine" not in str(row)
