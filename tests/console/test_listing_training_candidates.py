"""An operator's list of training candidates shows the objects that may be reviewed, and records whose were shown."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from consent.models import AuditEvent
from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from memory.models import Snapshot, TrainingAssetCandidate
from memory.research.training_candidates import revoke_candidate
from tests.console.conftest import SECRET
from tests.support.cast import allow
from tests.support.research import checkpoint_made, refreshed, snapshot_made, thread_kept

LIST = reverse("admin:memory_trainingassetcandidate_changelist")


def _candidates() -> list[TrainingAssetCandidate]:
    with in_role(OPERATOR_ROLE):
        return list(TrainingAssetCandidate.objects.order_by("created_at", "id"))


def _revoke(user: User, candidate: TrainingAssetCandidate) -> None:
    with acting_as(user.pk):
        revoke_candidate(permit_for(user), candidate.pk)


def _opened() -> set[tuple[object, object]]:
    with in_role(OPERATOR_ROLE):
        return set(AuditEvent.objects.filter(action="admin.opened").values_list("user_id", "subject_id"))


def test_nobody_but_an_operator_lists_them(client: Client, alice: User) -> None:
    client.force_login(alice)
    assert client.get(LIST).status_code in {302, 403}


def test_each_is_listed_by_what_it_is_about_and_says(as_operator: Client, alice: User) -> None:
    allow(alice)
    thread = thread_kept(alice, snapshot_made(alice, f"{SECRET} <b>gains</b>."))
    refreshed(alice, thread, "Mines close.")
    checkpoint_made(alice)

    page = as_operator.get(LIST).content.decode()

    assert f"SOL · {SECRET} &lt;b&gt;gains&lt;/b&gt;." in page
    assert "Whether to buy more." in page
    assert ">Refresh</span>" in page


def test_the_list_is_recorded_as_opening_each_object_that_it_shows(as_operator: Client, alice: User, bob: User) -> None:
    for user in (alice, bob):
        allow(user)
        snapshot_made(user, SECRET)
    first, second = _candidates()

    as_operator.get(LIST)

    assert _opened() == {(alice.pk, first.pk), (bob.pk, second.pk)}


def test_what_was_taken_back_stands_in_no_list_to_review(as_operator: Client, alice: User) -> None:
    allow(alice)
    snapshot_made(alice, SECRET)
    (candidate,) = _candidates()
    _revoke(alice, candidate)

    waiting = as_operator.get(LIST)
    taken_back = as_operator.get(LIST, {"withdrawal_status__exact": "revoked"})

    assert waiting.context["cl"].result_count == 0
    assert taken_back.context["cl"].result_count == 1
    assert "Taken back" in taken_back.content.decode()
    assert SECRET not in taken_back.content.decode()
    assert _opened() == set()


def test_a_forgotten_object_is_named_as_forgotten(as_operator: Client, alice: User) -> None:
    allow(alice)
    snapshot_made(alice, SECRET)
    with acting_as(alice.pk):
        Snapshot.objects.all().delete()

    page = as_operator.get(LIST).content.decode()

    assert "It is forgotten." in page
    assert SECRET not in page


@pytest.mark.parametrize("value", ["", "all", "revoked' or 1=1", "\u0000"])
def test_no_made_up_value_lists_what_was_taken_back(as_operator: Client, alice: User, value: str) -> None:
    allow(alice)
    snapshot_made(alice, SECRET)
    (candidate,) = _candidates()
    _revoke(alice, candidate)

    page = as_operator.get(LIST, {"withdrawal_status__exact": value}, follow=True)

    assert page.context["cl"].result_count == 0
