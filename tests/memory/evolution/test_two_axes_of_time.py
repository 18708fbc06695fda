"""What was believed on one day about another, over the API; no two versions are true at once (M-12)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest
import time_machine
from django.db import IntegrityError, transaction
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import MemoryItem
from memory.services import item_decisions, items
from tests.memory.evolution.support import draft
from tests.support.api import post, signed_in
from tests.support.cast import allow
from tests.support.items import add_item
from tests.support.talk import permit_of

MARCH, MAY, JUNE, JULY = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 5, 6, 7))
DAY = timedelta(days=1)


@pytest.fixture
def client(alice: User) -> APIClient:
    """Told in March that she lives in Berlin, in June that since May it is Hamburg, in July that it is Bremen."""
    with time_machine.travel(MARCH, tick=False):
        allow(alice)
        with acting_as(alice.pk):
            berlin = add_item(permit_of(alice), draft("Lives in Berlin", valid_at=MARCH))
    with time_machine.travel(JUNE, tick=False), acting_as(alice.pk):
        hamburg = items.supersede(permit_of(alice), berlin, draft("Lives in Hamburg", valid_at=MAY))
    with time_machine.travel(JULY, tick=False), acting_as(alice.pk):
        items.supersede(permit_of(alice), hamburg, draft("Lives in Bremen", valid_at=MAY), was_ever_true=False)
    return signed_in(alice)


@pytest.mark.parametrize(
    ("about", "known", "expected"),
    [
        (MARCH - DAY, JULY + DAY, []),
        (MARCH + DAY, MARCH - DAY, []),
        (MARCH + DAY, JULY + DAY, ["Lives in Berlin"]),
        (MAY + DAY, JUNE - DAY, ["Lives in Berlin"]),
        (MAY + DAY, JUNE + DAY, ["Lives in Hamburg"]),
        (MARCH + DAY, JUNE + DAY, ["Lives in Berlin"]),
        (MAY + DAY, JULY + DAY, ["Lives in Bremen"]),
        (JULY, JULY, ["Lives in Bremen"]),
    ],
)
def test_listed_and_found_as_they_were_believed(
    client: APIClient, about: datetime, known: datetime, expected: list[str]
) -> None:
    axes = {"valid_at": about.isoformat(), "known_at": known.isoformat()}
    listed = client.get(f"/api/memories?{urlencode(axes)}").json()["results"]
    found = post(client, "/api/memories/search", {"query": "Where do I live?"} | axes).json()["results"]
    assert [row["memory"] for row in listed] == expected
    assert [row["memory"] for row in found] == expected


def test_at_each_instant_of_either_axis_at_most_one_version_is_believed(client: APIClient, alice: User) -> None:
    days = [MARCH + timedelta(days=7 * week) for week in range(22)]
    with acting_as(alice.pk):
        for known in days:
            for about in days:
                assert MemoryItem.objects.believed(about, known).count() <= 1


def test_the_database_itself_refuses_two_versions_that_are_true_at_once(client: APIClient, alice: User) -> None:
    with acting_as(alice.pk):
        berlin, hamburg, bremen = MemoryItem.objects.order_by("version")
        assert (berlin.invalid_at, hamburg.invalid_at, bremen.invalid_at) == (MAY, MAY, None)
        for row, until in ((berlin, MAY + DAY), (berlin, None), (hamburg, JUNE)):
            with pytest.raises(IntegrityError, match="one_version_true_at_a_time"), transaction.atomic():
                MemoryItem.objects.filter(pk=row.pk).update(invalid_at=until)
        MemoryItem.objects.filter(pk=berlin.pk).update(invalid_at=MAY - DAY)  # a gap is no contradiction


def test_a_statement_about_the_future_that_is_corrected_leaves_no_two_true_at_once(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        moving = add_item(permit, draft("Lives in Hamburg", valid_at=datetime(2100, 1, 1, tzinfo=UTC)))
        corrected = item_decisions.correct(permit, moving.pk, "Lives in Bremen")
        again = item_decisions.correct(permit, corrected.pk, "Lives in Kiel")
        assert again.version == 3
