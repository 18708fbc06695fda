"""Operators read what people think of what they were given: a queue, each opening recorded, seen with a note."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from consent.models import AuditEvent
from consent.services import permit_for
from drift.feedback_objects import _FINDERS
from drift.models import Feedback
from drift.services import give_feedback
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from tests.console.conftest import SECRET
from tests.console.test_roles import make_operator
from tests.support.cast import allow
from tests.support.operators import sign_in_operator
from tests.support.research import snapshot_made, thread_kept

QUEUE = reverse("admin:drift_feedback_changelist")
INDEX = reverse("admin:index")
WAITING = "of feedback wait"


def _rate(user: User, ref: str, rating: str = "not_helpful", comment: str = SECRET) -> Feedback:
    with acting_as(user.pk):
        return give_feedback(permit_for(user), user, ref, rating, comment)


@pytest.fixture
def feedback(alice: User) -> Feedback:
    allow(alice)
    return _rate(alice, f"snapshot:{snapshot_made(alice).pk}")


def _reread(feedback: Feedback) -> Feedback:
    with in_role(OPERATOR_ROLE):
        return Feedback.objects.get(pk=feedback.pk)


def _see(client: Client, *feedback: Feedback, **more: str) -> str:
    body = {"action": "see", "_selected_action": [str(row.pk) for row in feedback], **more}
    return client.post(QUEUE, body, follow=True).content.decode()


def _listed(client: Client, **query: str) -> list[Feedback]:
    return list(client.get(QUEUE, query).context["cl"].result_list)


def _audited(action: str) -> list[AuditEvent]:
    with in_role(OPERATOR_ROLE):
        return list(AuditEvent.objects.filter(action=action))


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_a_role_that_reads_nobodys_words_sees_that_some_waits_and_opens_none(
    client: Client, feedback: Feedback, role: str
) -> None:
    sign_in_operator(client, make_operator(role))
    assert "1 piece of feedback waits to be read" in client.get(INDEX).content.decode()
    assert client.get(QUEUE).status_code == 403
    assert client.get(reverse("admin:drift_feedback_change", args=[feedback.pk])).status_code == 403
    _see(client, feedback, confirmed="yes")
    assert _reread(feedback).seen_at is None


def test_a_privacy_officer_finds_it_from_today_and_reads_it_and_that_is_recorded(
    client: Client, alice: User, feedback: Feedback
) -> None:
    officer = make_operator("privacy officer")
    sign_in_operator(client, officer)
    today = client.get(INDEX).content.decode()
    assert f'href="{QUEUE}?seen_at__isempty=1"' in today
    assert "Nothing needs you right now." not in today
    assert [row.pk for row in _listed(client, seen_at__isempty="1")] == [feedback.pk]
    assert SECRET not in client.get(QUEUE).content.decode()

    page = client.get(reverse("admin:drift_feedback_change", args=[feedback.pk])).content.decode()

    assert SECRET in page
    (event,) = _audited("admin.opened")
    assert (event.actor_id, event.user_id, event.subject_id) == (officer.pk, alice.pk, feedback.pk)


def test_it_is_asked_first_then_marked_with_a_note_once_and_leaves_today(
    as_operator: Client, operator: User, alice: User, feedback: Feedback
) -> None:
    page = _see(as_operator, feedback)
    assert "A note, which the user can read" in page
    assert _reread(feedback).seen_at is None

    assert "1 piece of feedback is marked as seen." in _see(
        as_operator, feedback, confirmed="yes", note=" The data was old. "
    )
    assert "None of the selected feedback waits" in _see(as_operator, feedback, confirmed="yes", note="Again.")

    seen = _reread(feedback)
    assert seen.seen_at is not None
    assert (seen.seen_by, seen.note, seen.comment) == (operator.pk, "The data was old.", SECRET)
    (audit,) = _audited("feedback.seen")
    assert (audit.actor_id, audit.user_id, audit.subject_id) == (operator.pk, alice.pk, feedback.pk)
    assert (audit.details, audit.counts) == ({}, {})  # no words in the audit log
    assert LogEntry.objects.filter(object_id=str(feedback.pk)).count() == 1
    assert WAITING not in as_operator.get(INDEX).content.decode()
    assert _listed(as_operator, seen_at__isempty="1") == []
    assert len(_listed(as_operator, seen_at__isempty="0")) == 1


def test_an_address_in_a_note_is_refused_and_nothing_is_marked(as_operator: Client, feedback: Feedback) -> None:
    page = _see(as_operator, feedback, confirmed="yes", note="Write to amy@example.com")
    assert "amy@example.com" not in page
    assert _reread(feedback).seen_at is None


def test_it_narrows_by_kind_rating_and_age_and_the_longest_waiting_comes_first(
    as_operator: Client, alice: User
) -> None:
    allow(alice)
    snapshot = snapshot_made(alice)
    thread = thread_kept(alice, snapshot)
    with time_machine.travel(timezone.now() - timedelta(days=8)):
        old = _rate(alice, f"thread:{thread.pk}", "thumbs_up", "")
    new = _rate(alice, f"snapshot:{snapshot.pk}")

    assert [row.pk for row in _listed(as_operator)] == [old.pk, new.pk]
    assert [row.pk for row in _listed(as_operator, kind="snapshot")] == [new.pk]
    assert [row.pk for row in _listed(as_operator, rating__exact="thumbs_up")] == [old.pk]
    assert [row.pk for row in _listed(as_operator, older="7")] == [old.pk]
    assert _listed(as_operator, older="30") == []
    assert len(_listed(as_operator, older="x")) == 2


def test_every_kind_has_a_name() -> None:
    assert set(Feedback.Kind.values) == set(_FINDERS)
