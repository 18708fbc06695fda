"""Under an answer stands what the model looked up for it, and how that came out."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from finclaw.web.lookups import show_lookups
from foundation.accounts.models import User
from memory.models import Session, ToolReceipt
from tests.brain.test_looking_up import PORTRAIT, SEARCH, LargeModel, served, tell
from tests.support.cast import allow
from tests.support.model_server import AsksFor, Behaviour
from tests.web.support import chat_of, signed_in

pytestmark = pytest.mark.django_db(transaction=True)


def _answered(browser: Client, session: Session, *script: Behaviour) -> str:
    with served(LargeModel(*script)):
        browser.post(reverse("web:chat_send", args=[session.pk]), {"content": "Hello there, please tell me more"})
    return browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()


def test_what_was_found_is_counted_and_what_could_not_be_run_is_said(alice: User) -> None:
    allow(alice)
    tell(alice, "r", "Alice bought ASML shares.")
    calls = ((SEARCH, '{"query": "ASML"}'), (PORTRAIT, "{"), ("end", "{}"))
    page = _answered(signed_in(alice), chat_of(alice), AsksFor(calls))
    assert "<span>Searched what happened: 1 found, 1 read</span><span>Read a portrait: not possible</span></p>" in page


def test_an_answer_without_look_ups_says_nothing_of_them(alice: User) -> None:
    allow(alice)
    assert "Searched" not in _answered(signed_in(alice), chat_of(alice))


@pytest.mark.parametrize(
    ("outcome", "counts", "said"),
    [("done", {"found": 0, "taken": 0}, "nothing found"), ("failed", {}, "it failed"), ("refused", {}, "not possible")],
)
def test_each_outcome_has_words(outcome: str, counts: dict[str, int], said: str) -> None:
    row = ToolReceipt(tool="cognitive_search_profiles", outcome=outcome, counts=counts)
    assert show_lookups([row]) == [f"Searched in portraits: {said}"]
    assert show_lookups([ToolReceipt(tool="end", outcome=outcome)]) == []
