"""An operator's own account is erased: what they did for others stays in the others' history, under an id alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import reverse
from simple_history.models import HistoricalRecords

from consent.models import ErasureScope, Sources, Tombstone
from consent.services import consent_versions
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.models import EntityProfile, UserContext
from memory.portraits import services as portraits
from memory.research.profile_context import save_profile_context
from tests.support.cast import PASSWORD, allow, make_person
from tests.support.needles import dump
from tests.support.operators import sign_in_operator
from tests.support.talk import permit_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice() -> User:
    alice = make_person("alice")
    allow(alice)
    return alice


@pytest.fixture
def oscar() -> User:
    return User.objects.create_superuser(username="zqoscarzq", password=PASSWORD)


@contextmanager
def _in_a_request_of(user: User) -> Iterator[None]:
    """Whatever is written is written in this user's request, as the middleware tells the history."""
    HistoricalRecords.context.request = SimpleNamespace(user=user)
    try:
        yield
    finally:
        del HistoricalRecords.context.request


def _erase_account(user: User) -> None:
    with acting_as(user.pk):
        tombstone = forget(user, ErasureScope.ACCOUNT, "", Sources.REDACT, source="api")
    drain()
    with acting_as(user.pk):
        done = Tombstone.objects.get(pk=tombstone.pk)
        assert done.state == "completed", [step.reason for step in done.steps.all()]
    assert not User.objects.filter(pk=user.pk).exists()


def test_a_consent_that_they_withdrew_keeps_its_versions(client: Client, alice: User, oscar: User) -> None:
    with acting_as(alice.pk):
        permit = permit_of(alice)
    withdrawal = {
        "action": "withdraw", "_selected_action": [str(permit.consent_id)],
        "choice": [ConsentScope.SAVE_TO_PROFILE.value], "stamp": str(permit.version), "confirmed": "yes",
    }  # fmt: skip
    sign_in_operator(client, oscar).post(reverse("admin:consent_profileconsent_changelist"), withdrawal)
    with acting_as(alice.pk):
        before = [(row.version, row.history_user_id) for row in consent_versions(alice)]
    assert oscar.pk in {writer for _, writer in before}

    _erase_account(oscar)

    with acting_as(alice.pk):
        assert [(row.version, row.history_user_id) for row in consent_versions(alice)] == before
        assert consent_versions(alice)[0].history_user is None
    assert "zqoscarzq" not in dump()


def test_what_was_written_in_their_request_keeps_its_history(alice: User, oscar: User) -> None:
    with acting_as(alice.pk), _in_a_request_of(oscar):
        save_profile_context(permit_of(alice), {"user_focus_reason": "Copper."})
        portraits.edit(permit_of(alice), "user", alice.pk, "## Interests\n\n- Follows copper.")

    _erase_account(oscar)

    with acting_as(alice.pk):
        for model in (UserContext, EntityProfile):
            assert [row.history_user for row in model.history.all()] == [None]
