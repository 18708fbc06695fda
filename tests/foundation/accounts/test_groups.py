"""Groups: who may add, who may leave, and what stays when somebody does (T-1)."""

from __future__ import annotations

import pytest

from foundation.accounts.exceptions import PermissionDenied
from foundation.accounts.groups import create_group, group_of, remove_member
from foundation.accounts.invitations import add_member
from foundation.accounts.models import ChatGroup, Membership, User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.ids import new_id
from memory.models import ConversationEvent
from memory.services.sessions import record_messages, start_session
from memory.types import NewMessage
from tests.support.cast import allow


@pytest.fixture
def group(alice: User, bob: User) -> ChatGroup:
    """Alice's group with Bob in it."""
    made = create_group(alice, "Research desk")
    add_member(made, bob)
    return made


def _members(group: ChatGroup) -> set[str]:
    return set(group.memberships.filter(left_at=None).values_list("user__username", flat=True))


def test_its_maker_owns_a_group(alice: User) -> None:
    made = create_group(alice, "Research desk")

    assert made.memberships.get().is_owner
    assert group_of(alice, made.pk) == made


def test_who_is_in_it_joins_once(bob: User, group: ChatGroup) -> None:
    assert add_member(group, bob) == group.memberships.get(user=bob)
    assert _members(group) == {"alice", "bob"}


def test_a_member_who_is_not_the_owner_removes_nobody(alice: User, bob: User, group: ChatGroup) -> None:
    with pytest.raises(PermissionDenied):
        remove_member(bob, group.pk, alice.pk)

    assert _members(group) == {"alice", "bob"}


def test_for_an_outsider_the_group_does_not_exist(bob: User, charlie: User, group: ChatGroup) -> None:
    for attempt in (
        lambda: group_of(charlie, group.pk),
        lambda: remove_member(charlie, group.pk, bob.pk),
        lambda: remove_member(charlie, group.pk, charlie.pk),
        lambda: group_of(charlie, new_id()),
    ):
        with pytest.raises(NotFound):
            attempt()


def test_who_leaves_is_out_at_once_and_cannot_leave_twice(bob: User, group: ChatGroup) -> None:
    remove_member(bob, group.pk, bob.pk)

    for attempt in (lambda: group_of(bob, group.pk), lambda: remove_member(bob, group.pk, bob.pk)):
        with pytest.raises(NotFound):
            attempt()


def test_the_owner_removes_somebody_and_may_take_them_back(alice: User, bob: User, group: ChatGroup) -> None:
    remove_member(alice, group.pk, bob.pk)
    assert _members(group) == {"alice"}
    add_member(group, bob)

    assert _members(group) == {"alice", "bob"}
    assert Membership.objects.filter(group=group, user=bob).count() == 2


def test_what_was_said_stays_its_speakers_after_leaving(alice: User, bob: User, group: ChatGroup) -> None:
    permit = allow(bob)
    with acting_as(bob.pk):
        session = start_session(permit, bob, group_id=group.pk)
        record_messages(permit, session, [NewMessage.of_text("user", "Hello.", "Bob")])
    remove_member(bob, group.pk, bob.pk)

    with acting_as(bob.pk):
        assert ConversationEvent.objects.get().user_id == bob.pk
    with acting_as(alice.pk):
        assert ConversationEvent.objects.count() == 1
