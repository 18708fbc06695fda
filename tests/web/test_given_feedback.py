"""One's own feedback is on a page, with what became of it, and can be forgotten there."""

from __future__ import annotations

import pytest
from django.urls import reverse

from consent.services import permit_for
from drift.feedback_review import mark_seen
from drift.models import DriftSignal, Feedback
from drift.services import give_feedback
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, on_behalf_of
from foundation.ids import new_id
from tests.support.cast import allow
from tests.support.research import snapshot_made
from tests.web.support import signed_in

PAGE = reverse("web:given_feedback")


def _rate(user: User, ref: str, rating: str = "helpful", comment: str = "Clear.") -> Feedback:
    with acting_as(user.pk):
        return give_feedback(permit_for(user), user, ref, rating, comment)


def _forget_page(feedback: Feedback) -> str:
    return reverse("web:feedback_forget", args=[feedback.pk])


def _counts(user: User) -> tuple[int, int]:
    with acting_as(user.pk):
        return Feedback.objects.count(), DriftSignal.objects.count()


@pytest.fixture
def ref(alice: User) -> str:
    allow(alice)
    return f"snapshot:{snapshot_made(alice).pk}"


def test_nobody_sees_or_forgets_anothers(alice: User, charlie: User, ref: str) -> None:
    allow(charlie)
    feedback = _rate(alice, ref)
    outsider = signed_in(charlie)
    assert outsider.get(PAGE).context["given"] == []
    assert outsider.get(_forget_page(feedback)).status_code == 404
    assert outsider.post(_forget_page(feedback)).status_code == 404
    assert outsider.get(reverse("web:feedback_forget", args=[new_id()])).status_code == 404
    assert _counts(alice) == (1, 0)


def test_who_gives_feedback_reads_beforehand_who_reads_it(alice: User, ref: str) -> None:
    page = signed_in(alice).get(reverse("web:snapshot", args=[ref.removeprefix("snapshot:")]))
    assert "Operators read it, with your user name beside it." in page.content.decode()


def test_it_is_listed_with_what_it_is_on_and_what_an_operator_noted(alice: User, ref: str) -> None:
    feedback = _rate(alice, ref)
    browser = signed_in(alice)
    (row,) = browser.get(PAGE).context["given"]
    shown = (row["title"], row["rating"], row["comment"], row["seen_at"])
    assert shown == ("Snapshot: Solana", "Helpful", "Clear.", None)
    assert browser.get(row["address"]).status_code == 200

    with on_behalf_of(alice.pk):
        assert mark_seen(alice.pk, feedback.pk, "Thank you.", new_id())
    page = browser.get(PAGE).content.decode()
    assert "Read by an operator on" in page
    assert "Their note: Thank you." in page


def test_forgetting_one_is_asked_first_and_takes_what_was_noted_from_it(alice: User, ref: str) -> None:
    first = _rate(alice, ref, "thumbs_up")
    second = _rate(alice, ref, "thumbs_down")
    third = _rate(alice, ref, "thumbs_up")
    assert _counts(alice) == (3, 2)
    browser = signed_in(alice)

    assert "Forget this feedback?" in browser.get(_forget_page(first)).content.decode()
    assert _counts(alice) == (3, 2)

    page = browser.post(_forget_page(first), follow=True)
    assert [row["feedback_id"] for row in page.context["given"]] == [third.pk, second.pk]
    assert _counts(alice) == (2, 1)
    assert browser.post(_forget_page(first)).status_code == 404
    browser.post(_forget_page(third))
    assert _counts(alice) == (1, 0)


def test_without_any_the_page_says_where_it_is_given(alice: User) -> None:
    allow(alice)
    assert "What you say is listed here." in signed_in(alice).get(PAGE).content.decode()
