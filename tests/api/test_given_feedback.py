"""One's own feedback over the API: listed, and deleted one by one."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from drift.models import Feedback
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from tests.api.test_route_policy import METHODS
from tests.support.api import MISSING, code_of, post, send
from tests.support.cast import allow
from tests.support.research import snapshot_made

FEEDBACK = "/api/feedback"


@pytest.fixture
def given(alice: User, as_alice: APIClient) -> str:
    """The id of a feedback of Alice's."""
    allow(alice)
    body = {"related_object_ref": f"snapshot:{snapshot_made(alice).pk}", "rating": "helpful", "comment": "Clear."}
    feedback_id: str = post(as_alice, FEEDBACK, body).json()["feedback_id"]
    return feedback_id


def test_it_is_its_persons_alone(charlie: User, as_alice: APIClient, as_charlie: APIClient, given: str) -> None:
    allow(charlie)
    assert as_charlie.get(FEEDBACK).json()["results"] == []
    answer = as_charlie.delete(f"{FEEDBACK}/{given}")
    assert (answer.status_code, code_of(answer)) == (404, "not_found")
    assert len(as_alice.get(FEEDBACK).json()["results"]) == 1


@pytest.mark.parametrize("method", [method for method in METHODS if method != "DELETE"])
def test_other_methods_are_refused(as_alice: APIClient, method: str) -> None:
    assert send(as_alice, method, f"{FEEDBACK}/{MISSING}", b"{}").status_code == 405


def test_it_is_listed_with_what_became_of_it_and_deleted_once(alice: User, as_alice: APIClient, given: str) -> None:
    (row,) = as_alice.get(FEEDBACK).json()["results"]
    assert (row["feedback_id"], row["rating"], row["comment"]) == (given, "helpful", "Clear.")
    assert (row["seen_at"], row["note"]) == (None, "")

    answers = [as_alice.delete(f"{FEEDBACK}/{given}").status_code for _ in range(2)]

    assert answers == [204, 404]
    assert as_alice.get(FEEDBACK).json()["results"] == []
    with acting_as(alice.pk):
        assert not Feedback.objects.exists()
