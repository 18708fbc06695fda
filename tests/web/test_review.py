"""What I am not sure about waits for one click, and every change of a memory can be taken back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import MemoryItem
from memory.services.history import undoable_change
from memory.services.items import retire
from tests.support.cast import allow
from tests.web.support import memory_of, signed_in, waiting_memory_of

HTMX = {"HX-Request": "true", "HX-Current-URL": "http://testserver/memories/unsure/"}


def state_of(user: User, item: MemoryItem) -> str:
    with acting_as(user.pk):
        return MemoryItem.objects.get(pk=item.pk).state


def last_change(user: User, item: MemoryItem) -> str:
    """What the undo button of its page would send."""
    with acting_as(user.pk):
        change = undoable_change(permit_for(user), item)
    return str(change.pk) if change else ""


def undo(browser: Client, item: MemoryItem, change: str, **headers: str) -> Any:
    address = reverse("web:memory_undo", args=[item.pk])
    return browser.post(address, {"change": change}, headers=headers, follow=not headers)


@pytest.mark.parametrize("action", ["memory_accept", "memory_reject", "memory_undo"])
def test_an_outsider_decides_nothing(alice: User, charlie: User, action: str) -> None:
    allow(alice)
    allow(charlie)
    item = waiting_memory_of(alice, "Alice may go to Kunming")
    address = reverse(f"web:{action}", args=[item.pk])
    assert signed_in(charlie).post(address, {"change": last_change(alice, item)}).status_code == 404
    assert signed_in(alice).get(address).status_code == 405
    assert state_of(alice, item) == "quarantined"


def test_the_queue_shows_the_words_each_came_from_and_no_one_elses(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    waiting_memory_of(alice, "Alice may go to Kunming")
    waiting_memory_of(charlie, "Charlie may go to Dali")
    context = signed_in(alice).get(reverse("web:unsure")).context
    (shown,) = context["unsure"]
    assert shown["text"] == "Alice may go to Kunming"
    assert [source["quote"] for source in shown["sources"]] == ["I may go to Kunming"]
    assert context["unsure_count"] == 1


@pytest.mark.parametrize(("action", "state"), [("memory_accept", "active"), ("memory_reject", "invalid")])
def test_a_decision_holds_at_once_and_can_be_undone_where_it_was_made(alice: User, action: str, state: str) -> None:
    allow(alice)
    item = waiting_memory_of(alice, "Alice may go to Kunming")
    browser = signed_in(alice)
    answer = browser.post(reverse(f"web:{action}", args=[item.pk]), headers=HTMX)
    assert answer.templates[0].name == "web/partials/decided.html"
    assert answer.context["unsure_count"] == 0
    assert state_of(alice, item) == state
    answer = undo(browser, item, str(answer.context["undo"]["change_id"]), **HTMX)
    assert answer.templates[0].name == "web/partials/unsure_card.html"
    assert state_of(alice, item) == "quarantined"


def test_without_scripts_a_decision_leads_back_to_the_queue(alice: User) -> None:
    allow(alice)
    item = waiting_memory_of(alice, "Alice may go to Kunming")
    browser = signed_in(alice)
    page = browser.post(reverse("web:memory_accept", args=[item.pk]), follow=True)
    assert page.redirect_chain[0][0] == reverse("web:unsure")
    assert "Good, I use it from now on." in page.content.decode()
    assert page.context["unsure"] == []
    again = browser.post(reverse("web:memory_reject", args=[item.pk]), headers=HTMX)
    assert again["HX-Redirect"] == reverse("web:unsure")  # settled meanwhile, in another window
    assert state_of(alice, item) == "active"


@pytest.mark.parametrize("change", ["", "nonsense", str(UUID(int=0))])
def test_only_the_change_that_was_shown_is_undone(alice: User, change: str) -> None:
    allow(alice)
    item = memory_of(alice, "Alice follows BTC")
    with acting_as(alice.pk):
        retire(permit_for(alice), item, at=item.valid_at)
    page = undo(signed_in(alice), item, change)
    assert "It has changed meanwhile" in page.content.decode()
    assert state_of(alice, item) == "invalid"


def test_the_page_of_a_memory_tells_each_change_and_takes_the_last_one_back(alice: User) -> None:
    allow(alice)
    old = memory_of(alice, "Alice follows BTC")
    browser = signed_in(alice)
    page = browser.post(reverse("web:memory_correct", args=[old.pk]), {"content": "Alice follows ETH"}, follow=True)
    new, before = page.context["history"]
    assert [change["what"] for change in new["changes"]] == ["You corrected it"]
    assert [change["what"] for change in before["changes"]] == ["I learned it from what you said"]
    offered = page.context["undo"]
    assert offered["does"] == "I use “Alice follows BTC” again, and no longer “Alice follows ETH”."
    with acting_as(alice.pk):
        corrected = MemoryItem.objects.get(pk=new["memory_id"])
    page = undo(browser, corrected, str(offered["change_id"]))
    assert page.redirect_chain[0][0] == reverse("web:memory", args=[old.pk])
    assert "Undone. I go by “Alice follows BTC” again." in page.content.decode()
    assert (state_of(alice, old), state_of(alice, corrected)) == ("active", "invalid")
    changes = page.context["history"][0]["changes"]
    assert [change["is_undone"] for change in changes] == [True]


def conflict_of(user: User) -> tuple[MemoryItem, MemoryItem]:
    """Two memories of the user's of which perhaps only one holds: the older and the newer."""
    older, newer = memory_of(user, "Alice lives in Bristol"), memory_of(user, "Alice moved to Leeds")
    with acting_as(user.pk):
        detail = newer.provenance_detail | {"may_change": [str(older.chain_id)]}
        MemoryItem.objects.filter(pk=newer.pk).update(provenance_detail=detail)
    return older, newer


def test_a_conflict_is_shown_with_both_sides_the_newer_first(alice: User) -> None:
    allow(alice)
    conflict_of(alice)
    page = signed_in(alice).get(reverse("web:unsure"))
    (conflict,) = page.context["conflicts"]
    assert [side["text"] for side in conflict["both"]] == ["Alice moved to Leeds", "Alice lives in Bristol"]
    assert page.context["unsure_count"] == 1
    assert page.content.decode().index("Alice moved to Leeds") < page.content.decode().index("Alice lives in Bristol")


@pytest.mark.parametrize(("holds", "states"), [
    ("newer", ["superseded", "active"]), ("older", ["active", "invalid"]), ("both", ["active", "active"]),
])  # fmt: skip
def test_one_click_settles_a_conflict(alice: User, holds: str, states: list[str]) -> None:
    allow(alice)
    older, newer = conflict_of(alice)
    answer = signed_in(alice).post(reverse("web:memory_settle", args=[newer.pk]), {"holds": holds}, headers=HTMX)
    assert answer.templates[0].name == "web/partials/decided.html"
    assert answer.context["unsure_count"] == 0
    assert answer.context["undo"] is not None
    assert [state_of(alice, older), state_of(alice, newer)] == states


def test_an_outsider_settles_no_conflict(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    older, newer = conflict_of(alice)
    address = reverse("web:memory_settle", args=[newer.pk])
    assert signed_in(charlie).post(address, {"holds": "newer"}).status_code == 404
    assert signed_in(alice).post(address, {"holds": "neither"}, headers=HTMX)["HX-Redirect"] == reverse("web:unsure")
    assert [state_of(alice, older), state_of(alice, newer)] == ["active", "active"]
