"""What was believed on one day about another, over the API; no two versions are true at once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
import time_machine
from django.db import IntegrityError, transaction
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.governance.consolidation import merge
from memory.models import MemoryItem
from memory.services import item_decisions, items
from memory.services.history import apply_change, undo
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


def _versions(client: APIClient) -> dict[str, Any]:
    """The versions as they stand today, by the town they name."""
    rows = client.get("/api/memories?include_invalid=true").json()["results"]
    return {row["memory"].rpartition(" ")[2]: row for row in rows}


def _one(client: APIClient, memory_id: str, known: datetime) -> Any:
    return client.get(f"/api/memories/{memory_id}?{urlencode({'known_at': known.isoformat()})}")


def test_a_version_is_answered_as_it_was_recorded_before_it_was_replaced(client: APIClient) -> None:
    today = _versions(client)
    hamburg, june = today["Hamburg"], JUNE + DAY
    assert (hamburg["state"], hamburg["superseded_by"]) == ("superseded", today["Bremen"]["memory_id"])

    axes = {"known_at": june.isoformat()}
    answers = [
        _one(client, hamburg["memory_id"], june).json(),
        *client.get(f"/api/memories?{urlencode(axes)}").json()["results"],
        *post(client, "/api/memories/search", {"query": "Where do I live?"} | axes).json()["results"],
        *client.get(f"/api/memories?{urlencode(axes | {'state': 'active'})}").json()["results"],
    ]

    assert len(answers) == 4
    for row in answers:
        assert (row["memory"], row["state"]) == ("Lives in Hamburg", "active")
        assert (row["invalid_at"], row["superseded_at"], row["superseded_by"]) == (None, None, None)
        assert row["updated_at"] == row["created_at"] == hamburg["created_at"]


def test_what_was_known_to_have_ended_by_then_is_answered_as_ended(client: APIClient) -> None:
    today = _versions(client)
    berlin = _one(client, today["Berlin"]["memory_id"], JUNE + DAY).json()
    assert berlin == today["Berlin"]
    assert (berlin["state"], berlin["superseded_by"]) == ("superseded", today["Hamburg"]["memory_id"])
    assert _one(client, today["Berlin"]["memory_id"], JUNE - DAY).json()["state"] == "active"


def test_what_was_not_learned_by_then_is_not_there_and_no_ones_else_ever(client: APIClient, charlie: User) -> None:
    bremen = _versions(client)["Bremen"]["memory_id"]
    allow(charlie)
    assert _one(client, bremen, JULY - DAY).status_code == 404
    assert _one(client, bremen, JULY).status_code == 200
    assert _one(signed_in(charlie), bremen, JULY).status_code == 404
    assert client.get(f"/api/memories/{bremen}?known_at=yesterday").status_code == 400


def test_what_upkeep_or_the_user_changed_since_is_put_back(alice: User) -> None:
    client = signed_in(alice)
    with time_machine.travel(MARCH, tick=False):
        permit = allow(alice)
        with acting_as(alice.pk):
            item = add_item(permit, draft("Lives in Berlin", valid_at=MARCH))
    with time_machine.travel(MAY, tick=False), acting_as(alice.pk):
        apply_change(permit, item, "outdated", "governor", "decay", inputs={}, epistemic_type="outdated")
    with time_machine.travel(JUNE, tick=False), acting_as(alice.pk):
        apply_change(permit, item, "fused", "governor", "fuse", inputs={}, state="quarantined", confidence=0.2)
    with time_machine.travel(JULY, tick=False), acting_as(alice.pk):
        undo(permit, item.pk)

    told = {
        known: [(row["state"], row["epistemic_type"], row["confidence"]) for row in _listed(client, known)]
        for known in (MARCH, MAY, JUNE, JULY)
    }
    assert told == {
        MARCH: [("active", "fact", 0.5)],
        MAY: [("active", "outdated", 0.5)],
        JUNE: [],  # set aside, and so not believed
        JULY: [("active", "outdated", 0.5)],
    }
    while_aside = _one(client, str(item.pk), JUNE).json()
    assert (while_aside["state"], while_aside["confidence"]) == ("quarantined", 0.2)
    assert [len(_listed(client, MARCH, epistemic_type=kind)) for kind in ("fact", "outdated")] == [1, 0]


def test_a_change_that_was_undone_held_meanwhile(alice: User) -> None:
    client = signed_in(alice)
    with time_machine.travel(MARCH, tick=False):
        permit = allow(alice)
        with acting_as(alice.pk):
            berlin = add_item(permit, draft("Lives in Berlin", valid_at=MARCH))
    with time_machine.travel(MAY, tick=False), acting_as(alice.pk):
        hamburg = item_decisions.correct(permit, berlin.pk, "Lives in Hamburg")
    with time_machine.travel(JUNE, tick=False), acting_as(alice.pk):
        undo(permit, hamburg.pk)

    former, newer = (_one(client, str(item.pk), MAY + DAY).json() for item in (berlin, hamburg))
    assert (former["state"], former["superseded_by"]) == ("superseded", str(hamburg.pk))
    assert (former["invalid_at"], former["superseded_at"]) == (newer["valid_at"], newer["created_at"])
    assert (newer["state"], newer["invalid_at"]) == ("active", None)
    assert [row["memory"] for row in _listed(client, MAY + DAY)] == ["Lives in Hamburg"]
    assert [row["memory"] for row in _listed(client, JUNE)] == ["Lives in Berlin"]


def test_what_was_taken_back_or_merged_and_stands_again_was_not_believed_meanwhile(alice: User) -> None:
    client = signed_in(alice)
    with time_machine.travel(MARCH, tick=False):
        permit = allow(alice)
        with acting_as(alice.pk):
            tea, juice, milk = (
                add_item(permit, draft(f"Likes {it}", valid_at=MARCH)) for it in ("tea", "juice", "milk")
            )
    with time_machine.travel(MAY, tick=False), acting_as(alice.pk):
        item_decisions.withdraw_memory(permit, tea.pk)
        merge(permit, [juice, milk], rule="test")
    with time_machine.travel(JUNE, tick=False), acting_as(alice.pk):
        undo(permit, tea.pk)
        undo(permit, MemoryItem.objects.get(version=1, created_at=MAY).pk)

    told = {known: sorted(row["memory"] for row in _listed(client, known)) for known in (MARCH, MAY + DAY, JUNE)}
    assert told == {
        MARCH: ["Likes juice", "Likes milk", "Likes tea"],
        MAY + DAY: ["Likes juice"],  # the merged one, in the words of the first
        JUNE: ["Likes juice", "Likes milk", "Likes tea"],
    }
    assert _one(client, str(tea.pk), MAY + DAY).json()["state"] == "invalid"


def _listed(client: APIClient, known: datetime, **filters: str) -> list[dict[str, Any]]:
    axes = {"known_at": known.isoformat(), "valid_at": JULY.isoformat()} | filters
    return list(client.get(f"/api/memories?{urlencode(axes)}").json()["results"])


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
