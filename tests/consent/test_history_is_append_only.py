"""What somebody consented to cannot be written anew by the application; it is erased with the account alone."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, transaction

from consent.models import ErasureScope, ProfileConsent, Sources
from consent.services import consent_versions
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from tests.support.cast import allow


def _versions(user: User) -> list[tuple[int, bool]]:
    with acting_as(user.pk):
        return list(consent_versions(user).values_list("version", "training_use_allowed"))


def _change(version: Any, change: str) -> int:
    """How many rows it changed."""
    rows = ProfileConsent.history.filter(pk=version.pk)
    if change == "update":
        return int(rows.update(training_use_allowed=True))
    if change == "delete":
        return int(rows.delete()[0])
    version.training_use_allowed = True
    version.save()
    return 1


@pytest.mark.parametrize("change", ["update", "delete", "save"])
def test_the_application_neither_changes_nor_deletes_a_version(alice: User, change: str) -> None:
    allow(alice, ConsentScope.MEMORY_LEARNING)
    allow(alice)
    with acting_as(alice.pk):
        first = consent_versions(alice).last()

    with acting_as(alice.pk), pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        _change(first, change)

    assert _versions(alice) == [(2, True), (1, False)]


@pytest.mark.parametrize("change", ["update", "delete"])
def test_nor_does_an_operator(alice: User, change: str) -> None:
    allow(alice, ConsentScope.MEMORY_LEARNING)
    with in_role(OPERATOR_ROLE):
        assert _change(ProfileConsent.history.get(user_id=alice.pk), change) == 0
    assert _versions(alice) == [(1, False)]


def test_the_erasure_of_the_account_takes_its_versions_and_nobody_elses(alice: User, bob: User) -> None:
    for user in (alice, bob):
        allow(user, ConsentScope.MEMORY_LEARNING)
        allow(user)
    with acting_as(alice.pk):
        forget(alice, ErasureScope.ACCOUNT, "", Sources.REDACT, source="api")
    drain()
    with in_role(OPERATOR_ROLE):
        assert set(ProfileConsent.history.values_list("user_id", flat=True)) == {bob.pk}
    assert not User.objects.filter(pk=alice.pk).exists()
    assert [version for version, _training in _versions(bob)] == [2, 1]
