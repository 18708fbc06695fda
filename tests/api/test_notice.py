"""Answers say which notice their user has yet to acknowledge, also to people who decided before it existed."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from consent.models import ProfileConsent
from consent.services import grant_consent
from foundation.accounts.models import User
from foundation.accounts.notices import NOTICE_VERSION
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope

ME, LIST = "/api/users/me", "/api/memories"
HEADER = "Unacknowledged-Notice"


@pytest.fixture
def consent(alice: User) -> ProfileConsent:
    """What Alice decided when nobody was asked to acknowledge anything."""
    with acting_as(alice.pk):
        return grant_consent(alice, {ConsentScope.MEMORY_LEARNING}, source="api")


def _stored(user: User) -> list[tuple[int, bool]]:
    with acting_as(user.pk):
        return list(ProfileConsent.objects.filter(user=user).values_list("version", "memory_learning_allowed"))


def test_an_answer_to_nobody_says_nothing_of_it() -> None:
    assert HEADER not in APIClient().get(LIST)


def test_no_other_version_is_acknowledged(alice: User, as_alice: APIClient, consent: ProfileConsent) -> None:
    for version in (NOTICE_VERSION + 1, 0, -1, "one"):
        assert as_alice.patch(ME, {"acknowledged_notice": version}).status_code == 400
    alice.refresh_from_db()
    assert alice.notice_version == 0


def test_each_answer_says_so_until_it_is_acknowledged(
    alice: User, as_alice: APIClient, consent: ProfileConsent
) -> None:
    answer = as_alice.get(LIST)
    assert (answer.status_code, answer[HEADER]) == (200, str(NOTICE_VERSION))
    assert as_alice.get(ME).json()["onboarding"] == {"complete": False, "missing": ["acknowledgement"]}

    answer = as_alice.patch(ME, {"acknowledged_notice": NOTICE_VERSION})

    assert answer.json()["onboarding"] == {"complete": True, "missing": []}
    assert HEADER not in answer
    assert HEADER not in as_alice.get(LIST)
    assert _stored(alice) == [(consent.version, True)]
