"""What one's organisation says is on a page, bookmarked there with one click, dropped with another, and undone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from consent.services import permit_for
from finclaw.web.dates import day
from finclaw.web.pagination import PAGE_SIZE
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.ids import new_id
from knowledge.bookmarks import add_bookmark
from knowledge.models import Bookmark, KnowledgeEntry
from knowledge.services import retire_entry
from tests.support.cast import allow
from tests.support.organisation import employ, know
from tests.web.support import signed_in

KNOWLEDGE, BOOKMARKS = reverse("web:knowledge"), reverse("web:bookmarks")
IN_PLACE = {"HX-Request": "true"}


@pytest.fixture
def tenant(alice: User, bob: User) -> Tenant:
    """Where Alice and Bob work; both decided on consent."""
    tenant = Tenant.objects.create(name="Krugerrand Ltd")
    employ(tenant, alice, bob)
    allow(alice)
    allow(bob)
    return tenant


@pytest.fixture
def entry(tenant: Tenant) -> KnowledgeEntry:
    return know(tenant, "We open at <nine>.", subject="the shop", kind="rule", source="handbook")


@pytest.fixture
def browser(alice: User) -> Client:
    return signed_in(alice)


def _bookmark(user: User, entry: KnowledgeEntry) -> Bookmark:
    with acting_as(user.pk):
        return add_bookmark(permit_for(user), user, entry.pk)


def _count(user: User) -> int:
    with acting_as(user.pk):
        return Bookmark.objects.count()


def _add_address(entry: KnowledgeEntry) -> str:
    return reverse("web:bookmark_add", args=[entry.pk])


def _drop_address(bookmark: Bookmark) -> str:
    return reverse("web:bookmark_drop", args=[bookmark.pk])


def test_nobody_sees_or_drops_anothers(alice: User, bob: User, charlie: User, entry: KnowledgeEntry) -> None:
    allow(charlie)
    bookmark = _bookmark(alice, entry)
    outsider, colleague = signed_in(charlie), signed_in(bob)
    assert outsider.get(KNOWLEDGE).context["entries"] == []
    assert outsider.post(_add_address(entry)).status_code == 404
    [shown] = colleague.get(KNOWLEDGE).context["entries"]
    assert (shown["text"], shown["bookmark_id"]) == ("We open at <nine>.", None)
    for browser in (outsider, colleague):
        assert browser.get(BOOKMARKS).context["bookmarks"] == []
        assert browser.post(_drop_address(bookmark)).status_code == 404
    assert _count(alice) == 1


def test_only_a_post_changes_anything(alice: User, browser: Client, entry: KnowledgeEntry) -> None:
    bookmark = _bookmark(alice, entry)
    assert browser.get(_add_address(entry)).status_code == browser.get(_drop_address(bookmark)).status_code == 405
    assert browser.post(reverse("web:bookmark_add", args=[new_id()])).status_code == 404
    assert browser.post(reverse("web:bookmark_drop", args=[new_id()])).status_code == 404
    assert _count(alice) == 1


def test_an_entry_is_shown_with_what_it_is_and_where_it_is_from(browser: Client, entry: KnowledgeEntry) -> None:
    page = browser.get(KNOWLEDGE).content.decode()
    for words in ("We open at &lt;nine&gt;.", "the shop", "handbook", "Rule", _add_address(entry)):
        assert words in page


def test_in_place_the_button_becomes_the_one_that_undoes_it(
    alice: User, browser: Client, entry: KnowledgeEntry
) -> None:
    added = browser.post(_add_address(entry), headers=IN_PLACE).content.decode()
    with acting_as(alice.pk):
        bookmark = Bookmark.objects.get()
    assert "Bookmarked." in added
    assert f'action="{_drop_address(bookmark)}"' in added
    assert "csrfmiddlewaretoken" in added

    dropped = browser.post(_drop_address(bookmark), headers=IN_PLACE).content.decode()
    assert "No longer bookmarked." in dropped
    assert f'action="{_add_address(entry)}"' in dropped
    assert _count(alice) == 0


def test_without_a_script_it_is_undone_on_the_page_of_bookmarks(
    alice: User, browser: Client, entry: KnowledgeEntry
) -> None:
    page = browser.post(_add_address(entry), follow=True)
    [shown] = page.context["bookmarks"]
    assert (shown["text"], shown["state"], shown["is_gone"]) == ("We open at <nine>.", "in_force", False)

    with acting_as(alice.pk):
        address = _drop_address(Bookmark.objects.get())
    page = browser.post(address, follow=True)
    assert (page.context["bookmarks"], page.context["dropped"]["text"]) == ([], "We open at <nine>.")
    assert f'action="{_add_address(entry)}"' in page.content.decode()
    assert "Undo" in page.content.decode()
    assert "No longer bookmarked." not in browser.get(BOOKMARKS).content.decode()


def test_an_undo_is_no_more_offered_once_it_is_bookmarked_again(
    alice: User, browser: Client, entry: KnowledgeEntry
) -> None:
    browser.post(_drop_address(_bookmark(alice, entry)))
    page = browser.post(_add_address(entry), follow=True)
    assert "No longer bookmarked." not in page.content.decode()
    assert _count(alice) == 1


def test_no_address_says_that_a_bookmark_was_dropped(alice: User, browser: Client, tenant: Tenant) -> None:
    bookmarks = [_bookmark(alice, know(tenant, f"Rule {number}.")) for number in range(PAGE_SIZE + 2)]
    other = know(tenant, "We open at nine.")
    assert browser.get(BOOKMARKS, {"dropped": str(other.pk)}).context["dropped"] is None
    page = browser.post(_drop_address(bookmarks[-1]), follow=True)
    assert page.context["dropped"]["text"] == f"Rule {PAGE_SIZE + 1}."
    assert "dropped" not in page.request["QUERY_STRING"] + page.context["older_url"]


def test_what_holds_no_longer_says_so_and_leaves_the_list_of_what_is_said(
    alice: User, browser: Client, entry: KnowledgeEntry
) -> None:
    _bookmark(alice, entry)
    with in_role(OPERATOR_ROLE):
        ended_at = retire_entry(entry).valid_to
    assert browser.get(KNOWLEDGE).context["entries"] == []
    page = browser.get(BOOKMARKS).content.decode()
    assert "We open at &lt;nine&gt;." in page
    assert "not in force" in page
    assert ended_at is not None
    assert f"until {day(ended_at)}" in page
    assert "memory--faded" not in page  # struck out it would read as wrong, and one that holds from tomorrow on is not


def test_what_does_not_hold_yet_says_from_when(alice: User, browser: Client, tenant: Tenant) -> None:
    entry = know(tenant, "We open at eight.", valid_from=timezone.now() + timedelta(days=3))
    _bookmark(alice, entry)
    assert browser.get(KNOWLEDGE).context["entries"] == []
    page = browser.get(BOOKMARKS).content.decode()
    assert "not in force" in page
    assert f"from {day(entry.valid_from)}" in page


def test_a_button_names_its_entry_for_who_hears_it(browser: Client, entry: KnowledgeEntry) -> None:
    named = '<span class="visually-hidden">: We open at &lt;nine&gt;.</span></button>'
    assert named in browser.get(KNOWLEDGE).content.decode()
    assert named in browser.post(_add_address(entry), headers=IN_PLACE).content.decode()


def test_who_has_no_organisation_sees_no_tab_of_one(charlie: User, browser: Client, tenant: Tenant) -> None:
    allow(charlie)
    tab = f'href="{KNOWLEDGE}"'
    assert tab in browser.get(KNOWLEDGE).content.decode()
    assert tab not in signed_in(charlie).get(KNOWLEDGE).content.decode()


def test_one_whose_entry_is_gone_says_so_and_is_dropped_for_good(
    alice: User, browser: Client, entry: KnowledgeEntry
) -> None:
    bookmark = _bookmark(alice, entry)
    with in_role(OPERATOR_ROLE):
        KnowledgeEntry.objects.all().delete()
    page = browser.get(BOOKMARKS).content.decode()
    assert "This entry is gone, or no longer yours to read." in page
    dropped = browser.post(_drop_address(bookmark), headers=IN_PLACE).content.decode()
    assert "No longer bookmarked." in dropped
    assert "<form" not in dropped
    assert _count(alice) == 0


def test_without_a_script_too_one_whose_entry_is_gone_is_dropped_for_good(
    alice: User, browser: Client, entry: KnowledgeEntry
) -> None:
    bookmark = _bookmark(alice, entry)
    with in_role(OPERATOR_ROLE):
        KnowledgeEntry.objects.all().delete()
    page = browser.post(_drop_address(bookmark), follow=True)
    assert page.context["dropped"] is None
    assert "No longer bookmarked." in page.content.decode()


def test_both_lists_say_what_to_do_while_they_are_empty(browser: Client, tenant: Tenant) -> None:
    for address, words in (
        (KNOWLEDGE, "writes down for its members is listed here."),
        (BOOKMARKS, "bookmark is listed"),
    ):
        assert words in browser.get(address).content.decode()


def test_both_lists_are_read_page_by_page(alice: User, browser: Client, tenant: Tenant) -> None:
    for number in range(PAGE_SIZE + 1):
        _bookmark(alice, know(tenant, f"Rule {number}."))
    for address, name in ((KNOWLEDGE, "entries"), (BOOKMARKS, "bookmarks")):
        first = browser.get(address)
        second = browser.get(address + first.context["older_url"])
        assert [len(page.context[name]) for page in (first, second)] == [PAGE_SIZE, 1]
        assert second.context[name][0]["text"] == "Rule 0."


def test_the_tab_is_there_for_members_of_an_organisation(alice: User, charlie: User, tenant: Tenant) -> None:
    allow(charlie)
    assert KNOWLEDGE in signed_in(alice).get(reverse("web:memories")).content.decode()
    assert KNOWLEDGE not in signed_in(charlie).get(reverse("web:memories")).content.decode()


def test_who_left_the_organisation_finds_their_bookmarks_from_the_privacy_page(
    alice: User, charlie: User, browser: Client, entry: KnowledgeEntry
) -> None:
    allow(charlie)
    _bookmark(alice, entry)
    privacy = reverse("web:privacy")
    assert BOOKMARKS not in browser.get(privacy).content.decode()  # a member's tab leads there
    User.objects.filter(pk=alice.pk).update(tenant=None)
    assert f'href="{BOOKMARKS}"' in browser.get(privacy).content.decode()
    assert "This entry is gone" in browser.get(BOOKMARKS).content.decode()
    assert BOOKMARKS not in signed_in(charlie).get(privacy).content.decode()
