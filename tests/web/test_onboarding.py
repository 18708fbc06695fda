"""The first decision: what is acknowledged before it, what is recorded and kept, and where it leads."""

from typing import Any

import pytest
import time_machine
from django.urls import reverse

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.accounts.notices import NOTICE_VERSION
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from memory.research.profile_context import profile_context
from tests.support.cast import A_MONDAY
from tests.support.onboarding import counted_steps
from tests.web.support import signed_in

SWITCHED_ON = {scope.value: "on" for scope in ConsentScope}
PREFERENCES = {"language_preference": "zh", "research_depth": "deep", "user_focus_reason": "I save for a house"}


def decided(user: User, fields: dict[str, str]) -> str:
    """Where the decision leads, once the notice is acknowledged."""
    return signed_in(user).post(reverse("web:onboarding"), {"acknowledged": "on", **fields})["Location"]


def scopes_of(user: User) -> frozenset[ConsentScope]:
    with acting_as(user.pk):
        permit = permit_for(user)
        assert permit.has_decided
        return permit.scopes


def test_saving_grants_what_is_switched_on_and_opens_a_chat(alice: User) -> None:
    location = decided(alice, {"decision": "save", "memory_learning_allowed": "on"})
    assert location.startswith("/chat/")
    assert scopes_of(alice) == {ConsentScope.MEMORY_LEARNING}
    assert signed_in(alice).get(location).status_code == 200


def test_deciding_later_is_a_consent_with_everything_off(alice: User) -> None:
    location = decided(alice, {"decision": "later", **SWITCHED_ON, **PREFERENCES})
    assert scopes_of(alice) == frozenset()
    assert signed_in(alice).get(location).status_code == 200


def test_preferences_are_kept_under_their_switch(alice: User) -> None:
    decided(alice, {"decision": "save", "save_to_profile": "on", **PREFERENCES})
    with acting_as(alice.pk):
        context = profile_context(permit_for(alice))
    assert context is not None
    assert (context.language_preference, context.research_depth) == ("zh", "deep")
    assert context.user_focus_reason == "I save for a house"


def test_preferences_without_their_switch_are_not_kept_and_that_is_said(alice: User) -> None:
    browser = signed_in(alice)
    fields = {"acknowledged": "on", "decision": "save", "memory_learning_allowed": "on", **PREFERENCES}
    page = browser.post(reverse("web:onboarding"), fields, follow=True)
    assert "Your preferences were not kept" in page.content.decode()
    decided_scopes = scopes_of(alice)
    assert ConsentScope.SAVE_TO_PROFILE not in decided_scopes


def test_a_preference_that_cannot_be_decides_nothing(alice: User) -> None:
    fields = {"acknowledged": "on", "decision": "save", "research_depth": "bottomless", **SWITCHED_ON}
    page = signed_in(alice).post(reverse("web:onboarding"), fields)
    assert page.context["form"].errors
    with acting_as(alice.pk):
        assert not permit_for(alice).has_decided


def test_who_decided_before_is_sent_to_privacy_and_changes_nothing_here(alice: User) -> None:
    decided(alice, {"decision": "later"})
    assert decided(alice, {"decision": "save", **SWITCHED_ON}) == reverse("web:privacy")
    assert scopes_of(alice) == frozenset()


@pytest.mark.parametrize(
    ("fields", "steps"),
    [
        ({"decision": "later"}, {"acknowledgement", "consent"}),
        ({"decision": "save", **SWITCHED_ON}, {"acknowledgement", "consent"}),
        (
            {"decision": "save", **SWITCHED_ON, **PREFERENCES},
            {"acknowledgement", "consent", "preferences", "focus_reason"},
        ),
    ],
)
def test_each_step_reached_is_counted_once(
    alice: User, fields: dict[str, str], steps: set[str], django_capture_on_commit_callbacks: Any
) -> None:
    before = counted_steps()
    browser = signed_in(alice)
    browser.get(reverse("web:onboarding"))
    with django_capture_on_commit_callbacks(execute=True):
        browser.post(reverse("web:onboarding"), {"acknowledged": "on", **fields})
    assert {step for step, count in counted_steps().items() if count == before[step] + 1} == steps


@pytest.mark.parametrize("decision", ["save", "later"])
def test_nothing_is_decided_before_the_notice_is_acknowledged(
    alice: User, decision: str, django_capture_on_commit_callbacks: Any
) -> None:
    before = counted_steps()
    with django_capture_on_commit_callbacks(execute=True):
        page = signed_in(alice).post(reverse("web:onboarding"), {"decision": decision, **SWITCHED_ON})
    assert "Read this first, and say that you have." in page.content.decode()
    assert "nothing I say is investment advice" in page.content.decode()
    with acting_as(alice.pk):
        assert not permit_for(alice).has_decided
    alice.refresh_from_db()
    assert (alice.notice_version, alice.notice_acknowledged_at) == (0, None)
    assert counted_steps() == before


def test_what_was_acknowledged_and_when_is_stored(alice: User) -> None:
    with time_machine.travel(A_MONDAY, tick=False):
        decided(alice, {"decision": "later"})
    alice.refresh_from_db()
    assert (alice.notice_version, alice.notice_acknowledged_at) == (NOTICE_VERSION, A_MONDAY)
