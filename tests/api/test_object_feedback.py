"""What people say of what they were given, over the API: of their own objects, and never shown what is made of it."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from drift.models import DriftSignal, Feedback
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import Snapshot
from tests.api.test_route_policy import METHODS
from tests.support.api import MISSING, code_of, post, send
from tests.support.cast import allow, allow_nothing, group_with
from tests.support.research import asked, checkpoint_made, refreshed, snapshot_made, thread_kept
from tests.support.talk import open_session, say

FEEDBACK = "/api/feedback"


@pytest.fixture
def snapshot(alice: User) -> Snapshot:
    allow(alice)
    return snapshot_made(alice)


def _said(ref: object, rating: str = "thumbs_up", **more: object) -> dict[str, object]:
    return {"related_object_ref": str(ref), "rating": rating, **more}


def _count(user: User) -> int:
    with acting_as(user.pk):
        return Feedback.objects.count()


def _everything_of(user: User, client: APIClient) -> dict[str, str]:
    """A reference of each kind."""
    snapshot = snapshot_made(user)
    thread = thread_kept(user, snapshot)
    session = open_session(user)
    answered: dict[str, Any] = post(client, f"/api/sessions/{session.pk}/messages", {"content": "Hello"}).json()
    post(client, f"/api/sessions/{session.pk}/end", {"request_id": "r", "new_info": "Alice follows copper."})
    kept = post(client, "/api/memories", {"text": "I follow copper.", "infer": False}).json()
    report = post(client, "/api/tasks", {"route": "evidence_audit", "prompt": "Copper rose 20% in 2025."}).json()
    drain()
    return {
        "snapshot": f"snapshot:{snapshot.pk}",
        "thread": f"thread:{thread.pk}",
        "refresh": f"refresh:{refreshed(user, thread, 'Demand falls.').pk}",
        "report": f"report:{report['task_id']}",
        "checkpoint": f"checkpoint:{checkpoint_made(user).pk}",
        "memory": f"memory:{kept['results'][0]['memory_id']}",
        "message": f"message:{answered['message_id']}",
        "event": "event:r:1",
        "profile": f"profile:{user.pk}",
    }


def test_each_kind_of_object_is_its_persons_to_rate_and_nobody_elses(
    alice: User, bob: User, charlie: User, as_alice: APIClient, as_bob: APIClient, as_charlie: APIClient
) -> None:
    for person in (alice, bob, charlie):
        allow(person)
    refs = _everything_of(alice, as_alice)
    for outsider, person in ((as_bob, bob), (as_charlie, charlie)):
        answers = [post(outsider, FEEDBACK, _said(ref)) for ref in refs.values()]
        assert [(one.status_code, code_of(one)) for one in answers] == [(404, "not_found")] * len(refs)
        assert _count(person) == 0
    for ref in refs.values():
        answer = post(as_alice, FEEDBACK, _said(ref, "helpful", comment="Clear."))
        assert (answer.status_code, answer.json()["related_object_ref"]) == (201, ref), answer.json()
    assert _count(alice) == len(refs)


def test_a_groups_message_is_its_members_to_rate(
    alice: User, bob: User, charlie: User, as_alice: APIClient, as_bob: APIClient, as_charlie: APIClient
) -> None:
    for person in (alice, bob, charlie):
        allow(person)
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    [message] = say(alice, session, "Copper rises.")
    answers = [post(one, FEEDBACK, _said(f"message:{message.pk}")) for one in (as_alice, as_bob, as_charlie)]
    assert [answer.status_code for answer in answers] == [201, 201, 404]


def test_9_2_feedback_written_is_looked_at_by_both_of_its_detectors(
    alice: User, as_alice: APIClient, snapshot: Snapshot
) -> None:
    said = (("agree", "I agree."), ("disagree", "无法认同。"), ("disagree", "I agree after all."))
    for rating, comment in said:
        assert post(as_alice, FEEDBACK, _said(f"snapshot:{snapshot.pk}", rating, comment=comment)).status_code == 201
    with acting_as(alice.pk):
        assert {one.signal_kind for one in DriftSignal.objects.all()} == {"grade_reversal", "feedback_conflict"}


@pytest.mark.parametrize("method", [method for method in METHODS if method not in {"GET", "POST"}])
def test_other_methods_are_refused(as_alice: APIClient, method: str) -> None:
    answer = send(as_alice, method, FEEDBACK, b"")
    assert (answer.status_code, code_of(answer)) == (405, "method_not_allowed")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (_said("", "thumbs_up"), "related_object_ref"),
        (_said(f"poem:{MISSING}"), "related_object_ref"),
        (_said("x" * 121), "related_object_ref"),
        ({"rating": "thumbs_up"}, "related_object_ref"),
        (_said(f"snapshot:{MISSING}", "meh"), "rating"),
        ({"related_object_ref": f"snapshot:{MISSING}"}, "rating"),
        (_said(f"snapshot:{MISSING}", comment="x" * 1_001), "comment"),
        (_said(f"snapshot:{MISSING}", comment=None), "comment"),
        (_said(f"snapshot:{MISSING}", stars=5), "stars"),
    ],
)
def test_a_malformed_feedback_names_its_field(
    alice: User, as_alice: APIClient, body: dict[str, object], field: str
) -> None:
    allow(alice)
    answer = post(as_alice, FEEDBACK, body)
    assert (code_of(answer), list(answer.json()["details"])) == ("validation_error", [field])
    assert _count(alice) == 0


@pytest.mark.parametrize("key", ["", "sol", MISSING, "'; --", "茶"])
def test_a_reference_to_nothing_is_not_found(alice: User, as_alice: APIClient, key: str) -> None:
    allow(alice)
    for kind in ("snapshot", "thread", "refresh", "report", "checkpoint", "memory", "message", "event", "profile"):
        assert post(as_alice, FEEDBACK, _said(f"{kind}:{key}")).status_code == 404


def test_a_task_that_came_to_no_report_is_none(alice: User, as_alice: APIClient, snapshot: Snapshot) -> None:
    for task in (snapshot.task_id, asked(alice, route="evidence_audit").pk):
        assert post(as_alice, FEEDBACK, _said(f"report:{task}")).status_code == 404
    assert _count(alice) == 0


def test_the_same_key_is_said_once(alice: User, as_alice: APIClient, snapshot: Snapshot) -> None:
    body = _said(f"snapshot:{snapshot.pk}", comment="说得清楚。")
    first, again = (post(as_alice, FEEDBACK, body, key="k") for _ in range(2))
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    assert (first.status_code, first.json()["comment"], _count(alice)) == (201, "说得清楚。", 1)
    other = post(as_alice, FEEDBACK, body | {"rating": "thumbs_down"}, key="k")
    assert (other.status_code, code_of(other)) == (409, "idempotency_conflict")


def test_before_any_decision_on_consent_nothing_is_kept(alice: User, as_alice: APIClient) -> None:
    answer = post(as_alice, FEEDBACK, _said(f"profile:{alice.pk}"))
    assert (answer.status_code, code_of(answer)) == (403, "profile_consent_required")


def test_an_address_in_a_comment_is_refused(alice: User, as_alice: APIClient, snapshot: Snapshot) -> None:
    answer = post(as_alice, FEEDBACK, _said(f"snapshot:{snapshot.pk}", comment="Ask amy@example.com"))
    assert (answer.status_code, code_of(answer), answer.json()["details"]["field"]) == (
        422,
        "sensitive_input",
        "comment",
    )
    assert "amy@example.com" not in answer.content.decode()
    assert _count(alice) == 0


def test_what_is_made_of_it_is_told_nobody_and_needs_its_scope(
    alice: User, bob: User, as_alice: APIClient, as_bob: APIClient, snapshot: Snapshot
) -> None:
    allow_nothing(bob)
    ref = {as_alice: f"snapshot:{snapshot.pk}", as_bob: f"snapshot:{snapshot_made(bob).pk}"}
    for client in (as_alice, as_bob):
        answers = [post(client, FEEDBACK, _said(ref[client], rating)) for rating in ("thumbs_up", "not_helpful")]
        assert [set(answer.json()) for answer in answers] == [
            {"feedback_id", "related_object_ref", "rating", "comment", "created_at"}
        ] * 2
    counts = []
    for person in (alice, bob):
        with acting_as(person.pk):
            counts.append(DriftSignal.objects.count())
    assert counts == [1, 0]
