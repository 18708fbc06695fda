"""What the switch for training says is so; each example is on a page of its person's, and can be taken back there."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from consent.services import permit_for, withdraw_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from foundation.personal_data import ConsentScope
from memory.models import TrainingAssetCandidate
from memory.research.profile_context import save_profile_context
from tests.support.cast import allow
from tests.support.research import checkpoint_made, refreshed, snapshot_made, thread_kept
from tests.web.support import chat_of, signed_in

PAGE = reverse("web:training_candidates")


def _candidates(user: User) -> list[TrainingAssetCandidate]:
    with acting_as(user.pk):
        return list(TrainingAssetCandidate.objects.order_by("created_at", "id"))


def _revoke_page(candidate: TrainingAssetCandidate) -> str:
    return reverse("web:training_candidate_revoke", args=[candidate.pk])


def _listed(browser: Client) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = browser.get(PAGE).context["candidates"]
    return listed


def test_nobody_takes_back_or_sees_what_is_another_persons(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    snapshot_made(alice)
    (candidate,) = _candidates(alice)
    outsider = signed_in(charlie)
    assert outsider.get(_revoke_page(candidate)).status_code == 404
    assert outsider.post(_revoke_page(candidate)).status_code == 404
    assert _listed(outsider) == []
    assert signed_in(charlie).get(reverse("web:training_candidate_revoke", args=[new_id()])).status_code == 404
    assert _candidates(alice)[0].withdrawal_status == "none"


@pytest.mark.parametrize("address", [reverse("web:onboarding"), reverse("web:privacy")])
def test_the_switch_speaks_of_research_and_not_of_conversations(alice: User, address: str) -> None:
    if address == reverse("web:privacy"):
        allow(alice)
    page = signed_in(alice).get(address).content.decode()
    assert "Use our conversations" not in page
    assert "well answered" not in page
    assert "Set my research aside as possible training examples" in page
    assert "Each snapshot, each later look at a thread and each check before a decision" in page
    assert "your user name beside it" in page


def test_a_chat_is_no_example_and_each_kind_of_research_is_listed_with_its_page(alice: User) -> None:
    allow(alice)
    chat_of(alice, "What speaks for SOL?")
    browser = signed_in(alice)
    assert _listed(browser) == []
    assert "Nothing is set aside" in browser.get(PAGE).content.decode()

    first = snapshot_made(alice)
    refreshed(alice, thread_kept(alice, first), "Fees fall.")
    checkpoint_made(alice)

    listed = _listed(browser)
    assert [(row["title"], row["state"]) for row in listed] == [
        ("Before a decision: Whether to buy more.", "Waits for a review"),
        ("A later look at: Is SOL worth it?", "Waits for a review"),
        ("Snapshot: SOL", "Waits for a review"),
        ("Snapshot: SOL", "Waits for a review"),
    ]
    assert {browser.get(row["address"]).status_code for row in listed} == {200}


def test_taking_one_back_is_asked_first_and_then_holds_at_once(alice: User) -> None:
    allow(alice)
    snapshot_made(alice)
    checkpoint_made(alice)
    kept, taken = _candidates(alice)
    browser = signed_in(alice)

    assert "Take this back?" in browser.get(_revoke_page(taken)).content.decode()
    assert _candidates(alice)[1].withdrawal_status == "none"

    page = browser.post(_revoke_page(taken), follow=True)
    assert page.redirect_chain[-1][0] == PAGE
    assert [row["state"] for row in page.context["candidates"]] == ["Taken back", "Waits for a review"]
    assert page.content.decode().count("Take back…") == 1
    assert [row.withdrawal_status for row in _candidates(alice)] == ["none", "revoked"]
    assert kept.withdrawal_status == "none"


def test_who_turned_it_off_reads_that_nothing_new_is_set_aside_and_what_stays_out(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        save_profile_context(permit, {"user_focus_reason": "I save for a house"})
        assert permit.consent_id is not None
        withdraw_consent(alice, permit.consent_id, [ConsentScope.TRAINING_USE], source="web")
    browser = signed_in(alice)
    assert "Nothing new is set aside" in browser.get(PAGE).content.decode()
    with acting_as(alice.pk):
        assert not permit_for(alice).allows(ConsentScope.TRAINING_USE)
    allow(alice)
    page = browser.get(PAGE).content.decode()
    assert "Nothing new is set aside" not in page
    assert "What you state about yourself under Settings stays out" in page


@pytest.mark.parametrize("query", ["?before=nonsense", "?after=2026-01-01~x", "?before=%00"])
def test_a_mangled_place_in_the_list_is_its_beginning(alice: User, query: str) -> None:
    allow(alice)
    snapshot_made(alice)
    answer = signed_in(alice).get(PAGE + query)
    assert answer.status_code == 200
    assert len(answer.context["candidates"]) == 1


def test_the_history_names_it_as_it_is(alice: User) -> None:
    allow(alice, ConsentScope.TRAINING_USE)
    page = signed_in(alice).get(reverse("web:privacy"))
    assert page.context["changes"][0]["text"] == "Turned on: your research as possible training examples."
