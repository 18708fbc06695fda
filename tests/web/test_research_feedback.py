"""Saying what one thinks of what research made: in place, and without scripts."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from drift.models import Feedback
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import Snapshot
from tests.support.cast import allow
from tests.support.research import asked, checkpoint_made, refreshed, snapshot_made, thread_kept
from tests.web.support import memory_of, signed_in

HTMX = {"HX-Request": "true"}


@pytest.fixture
def browser(alice: User) -> Client:
    """Alice's, who allowed everything."""
    allow(alice)
    return signed_in(alice)


def address_of(snapshot: Snapshot) -> str:
    return reverse("web:object_feedback", args=["snapshot", snapshot.pk])


def given(user: User) -> list[tuple[str, str, str]]:
    with acting_as(user.pk):
        return list(Feedback.objects.order_by("created_at").values_list("object_ref", "rating", "comment"))


def test_an_outsider_can_say_nothing_of_it(alice: User, charlie: User) -> None:
    for person in (alice, charlie):
        allow(person)
    snapshot = snapshot_made(alice)
    assert signed_in(charlie).post(address_of(snapshot), {"rating": "helpful"}).status_code == 404
    assert given(charlie) == []


@pytest.mark.django_db(transaction=True)
def test_every_page_of_an_object_takes_it(alice: User, browser: Client) -> None:
    thread, report = thread_kept(alice), asked(alice, "Fees rose 20% in 2025.", "evidence_audit")
    refresh, snapshot, checkpoint = refreshed(alice, thread, "It falls."), snapshot_made(alice), checkpoint_made(alice)
    for kind, row, name, read in (
        ("snapshot", snapshot, "snapshot", snapshot.pk),
        ("checkpoint", checkpoint, "checkpoint", checkpoint.pk),
        ("thread", thread, "thread", thread.pk),
        ("refresh", refresh, "snapshot", refresh.snapshot_id),
        ("report", report, "task", report.pk),
    ):
        address = reverse("web:object_feedback", args=[kind, row.pk])
        page = reverse(f"web:{name}", args=[read])
        assert address in browser.get(page).content.decode()
        answer = browser.post(address, {"rating": "agree", "comment": "有道理"})
        assert answer["Location"] == page
        assert given(alice)[-1] == (f"{kind}:{row.pk}", "agree", "有道理")


def test_in_place_it_is_thanked_for(alice: User, browser: Client) -> None:
    answer = browser.post(address_of(snapshot_made(alice)), {"rating": "thumbs_up"}, headers=HTMX).content.decode()
    assert "Thank you, noted." in answer
    assert "<html" not in answer


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_what_must_not_be_kept_is_given_back_with_the_reason(
    alice: User, browser: Client, headers: dict[str, str]
) -> None:
    sent = {"rating": "disagree", "comment": "charge 4111 1111 1111 1111 again"}
    answer = browser.post(address_of(snapshot_made(alice)), sent, headers=headers)
    assert answer.status_code == (200 if headers else 400)
    assert "charge 4111" in answer.content.decode()
    assert "field__errors" in answer.content.decode()
    assert given(alice) == []


def test_an_unknown_rating_is_refused(alice: User, browser: Client) -> None:
    assert browser.post(address_of(snapshot_made(alice)), {"rating": "meh"}).status_code == 400
    assert given(alice) == []


def test_only_what_has_a_page_here_is_judged_here(alice: User, browser: Client) -> None:
    memory = memory_of(alice, "Alice follows SOL")
    answer = browser.post(reverse("web:object_feedback", args=["memory", memory.pk]), {"rating": "agree"})
    assert answer.status_code == 404
