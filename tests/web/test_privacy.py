"""Switches, the history of decisions, and taking everything back."""

from django.test import Client
from django.urls import reverse

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting import acting_as
from foundation.outbox.tasks import drain
from foundation.personal_data import Scope
from memory.models import MemoryItem
from memory.services.contexts import save_profile_context
from tests.support.cast import allow
from tests.web.support import chat_of, memory_of, signed_in


def told(browser: Client) -> list[str]:
    """The sentences of the history, the newest first."""
    return [change["text"] for change in browser.get(reverse("web:privacy")).context["changes"]]


def test_the_history_says_what_each_decision_changed(alice: User) -> None:
    allow(alice, Scope.MEMORY_LEARNING)
    browser = signed_in(alice)
    browser.post(reverse("web:privacy_scopes"), {"save_to_profile": "on"})
    browser.post(reverse("web:privacy_withdraw"))
    assert told(browser) == [
        "You withdrew everything.",
        "Turned on: how you work. Turned off: learning from our conversations.",
        "Turned on: learning from our conversations.",
    ]


def test_saving_the_same_switches_is_no_decision(alice: User) -> None:
    allow(alice, Scope.MEMORY_LEARNING)
    browser = signed_in(alice)
    browser.post(reverse("web:privacy_scopes"), {"memory_learning_allowed": "on"})
    assert len(told(browser)) == 1


def test_switching_the_last_scope_off_leaves_a_grant(alice: User) -> None:
    allow(alice, Scope.MEMORY_LEARNING)
    signed_in(alice).post(reverse("web:privacy_scopes"), {})
    with acting_as(alice.pk):
        permit = permit_for(alice)
    assert (permit.granted, permit.revoked, permit.scopes) == (True, False, frozenset())


def test_withdrawing_everything_counts_what_it_did_and_says_until_when(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        save_profile_context(permit, {"language_preference": "zh"})
    item = memory_of(alice, "Alice follows BTC")
    browser = signed_in(alice)
    offered = browser.get(reverse("web:privacy")).context
    assert offered["effects"] == {"settings": 1, "memories": 1}
    assert offered["purge_due_at"] is None

    page = browser.post(reverse("web:privacy_withdraw"), follow=True)
    assert "Settings deleted: 1." in page.content.decode()
    assert page.context["purge_due_at"] is not None
    assert browser.get(reverse("web:memory", args=[item.pk])).status_code == 404

    drain()
    assert browser.get(reverse("web:privacy")).context["purge_due_at"] is None
    with acting_as(alice.pk):
        assert not MemoryItem.objects.exists()


def test_withdrawing_twice_changes_nothing_and_says_so(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    browser.post(reverse("web:privacy_withdraw"))
    assert browser.post(reverse("web:privacy_withdraw")).status_code == 409
    assert told(browser)[0] == "You withdrew everything."


def test_who_revoked_may_still_chat_with_a_hint(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    browser.post(reverse("web:privacy_withdraw"))
    page = browser.post(reverse("web:chat_new"), follow=True)
    assert page.status_code == 200
    assert "Personalization is off" in page.content.decode()


def test_the_hint_is_not_shown_to_who_allows_learning(alice: User) -> None:
    allow(alice)
    page = signed_in(alice).get(reverse("web:chat_session", args=[chat_of(alice).pk]))
    assert "Personalization is off" not in page.content.decode()
    assert "What I learn appears under" in page.content.decode()
