"""Feedback on any object of one's own, and of nobody else's; refused words are not kept (D-1)."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID, uuid4

import pytest

from consent.exceptions import ProfileConsentRequired
from consent.sensitive.exceptions import SensitiveInput
from consent.services import permit_for
from drift.models import Feedback
from drift.services import feedback_of
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound, ValidationFailed
from foundation.outbox.tasks import drain
from memory.historian.services import end
from memory.services.item_decisions import add_stated
from memory.types import EndInput
from tests.drift.support import kinds, log_of, rate
from tests.support.cast import allow, allow_nothing, group_with
from tests.support.research import checkpoint_made, snapshot_made, thread_kept
from tests.support.talk import open_session, permit_of, say


def _snapshot(user: User) -> str:
    return f"snapshot:{snapshot_made(user).pk}"


def _thread(user: User) -> str:
    return f"thread:{thread_kept(user).pk}"


def _checkpoint(user: User) -> str:
    return f"checkpoint:{checkpoint_made(user).pk}"


def _memory(user: User) -> str:
    with acting_as(user.pk):
        return f"memory:{add_stated(permit_for(user), 'Prefers index funds.').pk}"


def _message(user: User) -> str:
    (message,) = say(user, open_session(user), "I follow BTC.")
    return f"message:{message.pk}"


def _event(user: User) -> str:
    session = open_session(user)
    with acting_as(user.pk):
        told = end(permit_of(user), user, session, EndInput("r1", new_info="I follow BTC.", force=True))
    drain()
    return f"event:{told.event_id}"


def _profile(user: User) -> str:
    _event(user)
    return f"profile:{user.pk}"


OBJECTS = [_snapshot, _thread, _checkpoint, _memory, _message, _event, _profile]


def _kept(user: User) -> list[Feedback]:
    with acting_as(user.pk):
        return list(Feedback.objects.all())


@pytest.mark.parametrize("made", OBJECTS)
def test_every_kind_of_object_takes_feedback_of_its_person(made: Callable[[User], str], alice: User) -> None:
    allow(alice)
    ref = made(alice)

    rate(alice, ref, "helpful", "Convincing.")

    (feedback,) = _kept(alice)
    assert (feedback.object_ref, feedback.rating, feedback.comment) == (ref, "helpful", "Convincing.")
    assert feedback.keywords == [{"word": "convincing", "stance": "positive"}]
    assert feedback.consent_version == permit_of(alice).version


@pytest.mark.parametrize("made", OBJECTS)
def test_an_object_of_somebody_else_is_not_there(made: Callable[[User], str], alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    ref = made(alice)

    with pytest.raises(NotFound):
        rate(charlie, ref, "helpful")

    assert _kept(charlie) == []


def test_a_member_may_speak_of_what_was_said_in_their_group_and_nobody_else(
    alice: User, bob: User, charlie: User
) -> None:
    for person in (alice, bob, charlie):
        allow(person)
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    (message,) = say(alice, session, "I follow BTC.")

    rate(bob, f"message:{message.pk}", "agree")

    assert len(_kept(bob)) == 1
    assert _kept(alice) == []
    with pytest.raises(NotFound):
        rate(charlie, f"message:{message.pk}", "agree")


def test_what_it_is_about_is_kept_with_it(alice: User) -> None:
    allow(alice)

    feedback = rate(alice, _snapshot(alice), "agree")

    assert (feedback.object_kind, feedback.object_name) == ("asset", "SOL")


@pytest.mark.parametrize(
    "comment",
    ["Ask me at alice@example.com", "我的邮箱是 alice@example.com", "card 4242 4242 4242 4242", "请打 13800138000"],
)
def test_a_comment_with_what_must_not_be_kept_is_refused_before_anything_is(comment: str, alice: User) -> None:
    allow(alice)
    ref = _snapshot(alice)

    with pytest.raises(SensitiveInput) as refused:
        rate(alice, ref, "agree", comment)

    assert refused.value.details["field"] == "comment"
    assert _kept(alice) == []


@pytest.mark.parametrize(
    ("ref", "rating", "comment", "field"),
    [
        ("snapshot:{id}", "five stars", "", "rating"),
        ("snapshot:{id}", "helpful", "x" * 1_001, "comment"),
        ("portfolio:{id}", "helpful", "", "related_object_ref"),
        ("", "helpful", "", "related_object_ref"),
    ],
)
def test_malformed_feedback_is_refused_by_field(ref: str, rating: str, comment: str, field: str, alice: User) -> None:
    allow(alice)
    named = ref.format(id=snapshot_made(alice).pk)

    with pytest.raises(ValidationFailed) as refused:
        rate(alice, named, rating, comment)

    assert list(refused.value.details) == [field]
    assert _kept(alice) == []


@pytest.mark.parametrize("ref", ["snapshot:7", "snapshot:", f"snapshot:{UUID(int=7)}", "event:" + "x" * 200])
def test_what_names_nothing_is_not_there(ref: str, alice: User) -> None:
    allow(alice)

    with pytest.raises(NotFound):
        rate(alice, ref, "helpful")


def test_who_never_decided_is_asked_first(alice: User) -> None:
    with pytest.raises(ProfileConsentRequired):
        rate(alice, f"snapshot:{uuid4()}", "helpful")


def test_without_the_profile_scope_feedback_is_kept_and_nothing_is_observed(alice: User) -> None:
    allow_nothing(alice)
    ref = _snapshot(alice)

    rate(alice, ref, "helpful")
    rate(alice, ref, "not_helpful")

    assert len(_kept(alice)) == 2
    assert log_of(alice) == []


def test_one_feedback_is_its_persons_alone(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    feedback = rate(alice, _snapshot(alice), "helpful")

    with acting_as(alice.pk):
        assert feedback_of(permit_for(alice), feedback.pk) == feedback
    with acting_as(bob.pk), pytest.raises(NotFound):
        feedback_of(permit_for(bob), feedback.pk)


def test_the_same_ratings_of_two_people_turn_nothing_round(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    (message,) = say(alice, open_session(alice, group_id=group.pk), "I follow BTC.")

    rate(alice, f"message:{message.pk}", "agree")
    rate(bob, f"message:{message.pk}", "disagree")

    assert kinds(alice) == kinds(bob) == []
