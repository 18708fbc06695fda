"""What somebody's money is about: kept with an explicit yes alone, and gone when it is taken back (C-8)."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from memory.models import UserContext
from memory.research.profile_context import FINANCIAL, profile_context
from tests.support.cast import allow
from tests.web.support import signed_in

STATED = {"user_stated_position_context": "half in BTC", "time_horizon": "ten years", "constraints": "no options"}
SENT = {"section": "financial", **STATED}


def kept(user: User) -> dict[str, str]:
    with acting_as(user.pk):
        context = profile_context(permit_for(user))
        return {name: getattr(context, name) for name in FINANCIAL} if context else {}


@pytest.fixture
def browser(alice: User) -> Client:
    allow(alice)
    return signed_in(alice)


def test_nothing_is_kept_without_the_yes_and_the_words_are_still_in_the_form(alice: User, browser: Client) -> None:
    page = browser.post(reverse("web:settings"), SENT)
    assert list(page.context["financial_form"].errors) == ["confirm_financial"]
    assert "half in BTC" in page.content.decode()
    assert kept(alice) == {}


def test_with_the_yes_it_is_kept_and_the_next_save_asks_again(alice: User, browser: Client) -> None:
    browser.post(reverse("web:settings"), SENT | {"confirm_financial": "on"})
    assert kept(alice) == STATED
    shown = browser.get(reverse("web:settings")).content.decode()
    assert "no options" in shown
    browser.post(reverse("web:settings"), SENT | {"constraints": "no futures"})
    assert kept(alice) == STATED


def test_what_is_emptied_is_gone_from_every_version(alice: User, browser: Client) -> None:
    browser.post(reverse("web:settings"), SENT | {"confirm_financial": "on"})
    browser.post(reverse("web:settings"), {"section": "financial"})
    assert set(kept(alice).values()) == {""}
    with acting_as(alice.pk):
        assert not set(STATED.values()) & {row[name] for row in UserContext.history.values() for name in FINANCIAL}


def test_preferences_saved_beside_leave_it_alone(alice: User, browser: Client) -> None:
    browser.post(reverse("web:settings"), SENT | {"confirm_financial": "on"})
    browser.post(reverse("web:settings"), {"section": "preferences", "research_depth": "deep"})
    assert kept(alice) == STATED


def test_without_the_scope_the_section_is_not_there_and_its_post_is_refused(alice: User) -> None:
    allow(alice, ConsentScope.MEMORY_LEARNING)
    browser = signed_in(alice)
    assert "About your money" not in browser.get(reverse("web:settings")).content.decode()
    assert browser.post(reverse("web:settings"), SENT | {"confirm_financial": "on"}).status_code == 403
    assert kept(alice) == {}


@pytest.mark.parametrize("field", FINANCIAL)
def test_too_many_words_are_refused(alice: User, browser: Client, field: str) -> None:
    page = browser.post(reverse("web:settings"), SENT | {field: "x" * 501, "confirm_financial": "on"})
    assert list(page.context["financial_form"].errors) == [field]
    assert kept(alice) == {}


def test_one_persons_words_are_not_on_anothers_page(browser: Client, charlie: User) -> None:
    browser.post(reverse("web:settings"), SENT | {"confirm_financial": "on"})
    allow(charlie)
    assert "half in BTC" not in signed_in(charlie).get(reverse("web:settings")).content.decode()
