"""Into a group by invitation: nobody is in one who did not agree, and inviting tells nothing of a name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
import time_machine
from django.db.utils import ProgrammingError
from django.utils import timezone
from pytest_django import Settings

from foundation.accounts import invitations
from foundation.accounts.exceptions import PermissionDenied, TooManyInvitations
from foundation.accounts.groups import create_group, remove_member
from foundation.accounts.models import ChatGroup, GroupInvitation, Membership, User
from foundation.accounts.services import close_account
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound, ValidationFailed
from foundation.ids import new_id


@pytest.fixture
def group(alice: User) -> ChatGroup:
    return create_group(alice, "Research desk")


@contextmanager
def as_(user: User) -> Iterator[None]:
    with acting_as(user.pk):
        yield


def invited(owner: User, group: ChatGroup, username: str = "bob") -> GroupInvitation:
    with as_(owner):
        return invitations.invite_by_username(owner, group.pk, username)


def waiting(user: User) -> list[str]:
    with as_(user):
        return [str(one.pk) for one in invitations.invitations_received_by(user)]


def members(group: ChatGroup) -> set[str]:
    return set(group.memberships.filter(left_at=None).values_list("user__username", flat=True))


def test_who_does_not_own_the_group_invites_nobody(bob: User, charlie: User, group: ChatGroup) -> None:
    with pytest.raises(NotFound):
        invited(charlie, group)
    invitations.add_member(group, bob)
    with pytest.raises(PermissionDenied):
        invited(bob, group, "charlie")

    with as_(bob):
        assert not GroupInvitation.objects.exists()


def test_nobody_is_in_a_group_before_they_agree(alice: User, bob: User, group: ChatGroup) -> None:
    invitation = invited(alice, group)
    assert members(group) == {"alice"}
    assert waiting(bob) == [str(invitation.pk)]

    with as_(bob):
        assert invitations.accept_invitation(bob, invitation.pk) == group
    assert members(group) == {"alice", "bob"}
    assert waiting(bob) == []
    with as_(alice):
        assert [one.state for one in invitations.invitations_sent_by(alice, group)] == ["accepted"]


def test_a_name_nobody_goes_by_is_answered_alike(alice: User, bob: User, group: ChatGroup) -> None:
    known, unknown = invited(alice, group, "bob"), invited(alice, group, "nobody")

    with as_(alice):
        sent = list(invitations.invitations_sent_by(alice, group))
    assert {(one.username, one.state, one.expires_at - one.created_at > timedelta(days=13)) for one in sent} == {
        ("bob", "pending", True),
        ("nobody", "pending", True),
    }
    assert {known, unknown} == set(sent)


def test_declined_looks_pending_until_it_expires(alice: User, bob: User, group: ChatGroup) -> None:
    invitation = invited(alice, group)
    with as_(bob):
        invitations.decline_invitation(bob, invitation.pk)
    assert (waiting(bob), members(group)) == ([], {"alice"})

    with as_(alice):
        assert [one.state for one in invitations.invitations_sent_by(alice, group)] == ["pending"]
    assert invited(alice, group) == invitation, "asked again they are not bothered again"
    assert waiting(bob) == []
    with time_machine.travel(timezone.now() + timedelta(days=15)), as_(alice):
        assert [one.state for one in invitations.invitations_sent_by(alice, group)] == ["expired"]


def test_an_answer_is_given_once_and_by_who_was_asked(alice: User, bob: User, charlie: User, group: ChatGroup) -> None:
    invitation = invited(alice, group)
    for user in (alice, charlie):
        for answer in (invitations.accept_invitation, invitations.decline_invitation):
            with pytest.raises(NotFound), as_(user):
                answer(user, invitation.pk)
    with as_(bob):
        invitations.decline_invitation(bob, invitation.pk)
    for attempt in (invitation.pk, new_id()):
        with pytest.raises(NotFound), as_(bob):
            invitations.accept_invitation(bob, attempt)

    assert members(group) == {"alice"}


@pytest.mark.parametrize("end", ["withdrawn", "expired", "owner left", "owner closed"])
def test_one_that_ended_is_not_accepted(alice: User, bob: User, group: ChatGroup, end: str) -> None:
    invitation = invited(alice, group)
    moment = timezone.now()
    if end == "withdrawn":
        with as_(alice):
            invitations.withdraw_invitation(alice, group.pk, invitation.pk)
            assert not invitations.invitations_sent_by(alice, group).exists()
    elif end == "expired":
        moment += timedelta(days=15)
    elif end == "owner left":
        remove_member(alice, group.pk, alice.pk)
    else:
        close_account(alice)

    with time_machine.travel(moment, tick=False):
        assert waiting(bob) == []
        with pytest.raises(NotFound), as_(bob):
            invitations.accept_invitation(bob, invitation.pk)
    assert "bob" not in members(group)


def test_an_owner_takes_back_only_what_is_theirs_and_open(alice: User, bob: User, group: ChatGroup) -> None:
    invitation = invited(alice, group)
    theirs = create_group(bob, "Bob's")
    for user, of in ((bob, theirs), (bob, group), (alice, theirs)):
        with pytest.raises(NotFound), as_(user):
            invitations.withdraw_invitation(user, of.pk, invitation.pk)
    with as_(bob):
        invitations.accept_invitation(bob, invitation.pk)
    with pytest.raises(NotFound), as_(alice):
        invitations.withdraw_invitation(alice, group.pk, invitation.pk)


def test_who_is_in_the_group_is_said_to_be(alice: User, bob: User, group: ChatGroup) -> None:
    invitations.add_member(group, bob)
    for name in ("bob", "alice"):
        with pytest.raises(ValidationFailed):
            invited(alice, group, name)


def test_limits_hold_whether_names_exist(alice: User, bob: User, group: ChatGroup, settings: Settings) -> None:
    settings.INVITATIONS_PENDING_IN_GROUP = 2
    invited(alice, group, "nobody")
    first = invited(alice, group)
    with pytest.raises(TooManyInvitations):
        invited(alice, group, "somebody")
    assert invited(alice, group) == first, "the same again is none more"

    settings.INVITATIONS_PENDING = 3
    other = create_group(alice, "Other")
    invited(alice, other)
    with pytest.raises(TooManyInvitations):
        invited(alice, create_group(alice, "Third"))


def test_a_day_has_its_limit_whatever_was_taken_back(alice: User, group: ChatGroup, settings: Settings) -> None:
    settings.INVITATIONS_PER_DAY = 2
    for name in ("one", "two"):
        with as_(alice):
            invitations.withdraw_invitation(alice, group.pk, invitations.invite_by_username(alice, group.pk, name).pk)
    with pytest.raises(TooManyInvitations):
        invited(alice, group, "three")

    with time_machine.travel(timezone.now() + timedelta(days=1, minutes=1)):
        invited(alice, group, "three")


def test_who_is_no_party_sees_no_row_and_nobody_writes_one_for_another(
    alice: User, bob: User, charlie: User, group: ChatGroup
) -> None:
    invited(alice, group)
    for user, seen in ((alice, 1), (bob, 1), (charlie, 0)):
        with as_(user):
            assert GroupInvitation.objects.count() == seen
    forged = {"user": alice, "group": group, "username": "bob", "invitee": bob, "expires_at": timezone.now()}
    with pytest.raises(ProgrammingError, match="row-level security"), as_(bob):
        GroupInvitation.objects.create(**forged)
    with pytest.raises(ProgrammingError, match="permission denied"), as_(bob):
        GroupInvitation.objects.update(group=create_group(alice, "Secret"))


def test_whoever_signs_up_later_under_the_name_is_not_invited(alice: User, group: ChatGroup) -> None:
    invited(alice, group, "nobody")
    late = User.objects.create_user("nobody")

    assert waiting(late) == []


def test_who_left_may_be_invited_again(alice: User, bob: User, group: ChatGroup) -> None:
    with as_(bob):
        invitations.accept_invitation(bob, invited(alice, group).pk)
    remove_member(bob, group.pk, bob.pk)

    again = invited(alice, group)
    with as_(bob):
        invitations.accept_invitation(bob, again.pk)
    assert Membership.objects.filter(group=group, user=bob).count() == 2
