"""An operator withdraws on a person's behalf: after a question that says what will happen, and under their name."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from consent.admin.withdrawal_effects import SENTENCES
from consent.models import AuditEvent, ProfileConsent
from consent.permit import Permit
from consent.services import consent_versions
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.personal_data import ConsentScope, OnWithdrawal
from memory.models import UserContext
from tests.support.cast import allow
from tests.support.operators import sign_in_operator

LIST = reverse("admin:consent_profileconsent_changelist")
SAVE, LEARN = ConsentScope.SAVE_TO_PROFILE, ConsentScope.MEMORY_LEARNING


def _post(client: Client, permit: Permit, *choices: str, stamp: int | None = None, confirmed: str = "yes") -> str:
    data = {
        "action": "withdraw",
        "_selected_action": [str(permit.consent_id)],
        "choice": list(choices),
        "stamp": str(stamp or permit.version),
        "confirmed": confirmed,
    }
    return client.post(LIST, data, follow=True).content.decode()


def _consent(user: User) -> ProfileConsent:
    with in_role(OPERATOR_ROLE):
        consent = ProfileConsent.objects.latest_of(user.pk)
    assert consent is not None
    return consent


def _acts() -> list[AuditEvent]:
    with in_role(OPERATOR_ROLE):
        return list(AuditEvent.objects.filter(action="consent.withdrawn"))


def test_the_question_tells_what_each_switch_would_do_and_does_nothing(
    as_operator: Client, alice: User, alices_rows: Permit
) -> None:
    page = as_operator.post(LIST, {"action": "withdraw", "_selected_action": [str(alices_rows.consent_id)]})
    content = page.content.decode()

    assert "User contexts: 1, deleted at once." in content
    assert "Memories: 1, used no more from now on and deleted within 48 hours." in content
    assert "Training candidates: 2, revoked at once." in content
    assert "Drift signals: 1, used no more from now on and deleted within 48 hours." in content
    assert "Nothing is kept under it yet, and nothing will be." in content  # nothing was stated for a thread
    assert _consent(alice).scopes == frozenset(ConsentScope)
    assert _acts() == []


def test_one_switch_is_withdrawn_as_the_person_and_the_audit_names_the_operator(
    as_operator: Client, operator: User, alice: User, alices_rows: Permit
) -> None:
    content = _post(as_operator, alices_rows, SAVE.value)

    consent = _consent(alice)
    assert "Withdrawn. It holds from now on." in content
    assert consent.scopes == frozenset(ConsentScope) - {SAVE}
    assert (consent.source, consent.revoked_at) == ("operator", None)
    with acting_as(alice.pk):
        assert not UserContext.objects.exists()
        assert consent_versions(alice)[0].history_user == operator
    (act,) = _acts()
    assert (act.user_id, act.actor_id, act.subject_id, act.counts) == (
        alice.pk, operator.pk, consent.pk, {SAVE.value: 1},
    )  # fmt: skip
    assert LogEntry.objects.get().user == operator


def test_everything_at_once_ends_the_consent(as_operator: Client, alice: User, alices_rows: Permit) -> None:
    _post(as_operator, alices_rows, "everything", LEARN.value)

    assert _consent(alice).revoked_at is not None
    assert _acts()[0].counts == {scope.value: 1 for scope in ConsentScope}


def test_without_a_choice_it_asks_again(as_operator: Client, alice: User) -> None:
    permit = allow(alice)

    assert "Choose what is withdrawn." in _post(as_operator, permit)
    assert _consent(alice).version == permit.version


@pytest.mark.parametrize("choice", ["no such scope", "version", "", "revoked_at"])
def test_a_choice_that_is_none_changes_nothing(as_operator: Client, alice: User, choice: str) -> None:
    permit = allow(alice, LEARN)

    _post(as_operator, permit, choice, SAVE.value)  # nor does a scope that does not hold

    assert _consent(alice).version == permit.version


def test_a_consent_that_changed_since_the_question_is_asked_about_once_more(as_operator: Client, alice: User) -> None:
    asked_about = allow(alice)
    allow(alice, LEARN)

    assert "The consent has changed. Look once more." in _post(as_operator, asked_about, LEARN.value)
    assert _consent(alice).scopes == {LEARN}


def test_two_consents_at_once_are_too_many(as_operator: Client, alice: User, bob: User) -> None:
    chosen = [str(allow(person).consent_id) for person in (alice, bob)]
    data = {"action": "withdraw", "_selected_action": chosen, "confirmed": "yes", "choice": "everything", "stamp": "1"}

    assert "Choose one consent that is in force." in as_operator.post(LIST, data, follow=True).content.decode()
    assert _consent(alice).revoked_at is None


def test_who_may_only_look_cannot_withdraw(client: Client, bob: User, alice: User) -> None:
    permit = allow(alice)
    bob.is_staff = True
    bob.save()
    bob.user_permissions.add(Permission.objects.get(codename="view_profileconsent"))
    sign_in_operator(client, bob)

    _post(client, permit, "everything")

    assert _consent(alice).revoked_at is None


def test_every_effect_a_withdrawal_can_have_has_its_sentence() -> None:
    # Rows that are kept change nothing, and cancelled work is counted over all topics.
    assert set(SENTENCES) == set(OnWithdrawal) - {OnWithdrawal.KEEP, OnWithdrawal.CANCEL}
