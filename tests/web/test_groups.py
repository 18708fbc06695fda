"""The page of groups: invitations are seen and answered without a script, and nobody answers another's."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from foundation.accounts.invitations import invite
from foundation.accounts.models import ChatGroup, GroupInvitation, User
from foundation.accounts.services import create_group
from foundation.database.acting import acting_as
from tests.support.cast import allow, group_with

PAGE = "/settings/groups/"


@pytest.fixture
def group(alice: User) -> ChatGroup:
    return create_group(alice, "Research <desk>")


def browser(user: User) -> Client:
    allow(user)
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def invited(owner: User, group: ChatGroup, username: str) -> GroupInvitation:
    with acting_as(owner.pk):
        return invite(owner, group.pk, username)


def answer(client: Client, invitation: GroupInvitation, said: str) -> int:
    return client.post(reverse("web:invitation_answer", args=[invitation.pk, said])).status_code


def test_nobody_answers_what_is_not_theirs(alice: User, bob: User, charlie: User, group: ChatGroup) -> None:
    invitation = invited(alice, group, "bob")
    assert answer(Client(), invitation, "accept") == 302  # to sign in
    for stranger in (browser(charlie), browser(alice)):
        assert [answer(stranger, invitation, said) for said in ("accept", "decline")] == [404, 404]
    bobs = browser(bob)
    assert answer(bobs, invitation, "maybe") == 404
    assert bobs.get(reverse("web:invitation_answer", args=[invitation.pk, "accept"])).status_code == 405
    assert bobs.post(reverse("web:group_leave", args=[group.pk])).status_code == 404
    assert group.memberships.count() == 1


def test_one_that_waits_is_announced_in_the_frame_and_accepted(alice: User, bob: User, group: ChatGroup) -> None:
    bobs = browser(bob)
    assert "invitation" not in bobs.get(PAGE).content.decode()
    invitation = invited(alice, group, "bob")

    assert "1 invitation" in bobs.get("/privacy/").content.decode()
    page = bobs.get(PAGE).content.decode()
    assert "Research &lt;desk&gt;" in page
    assert "Alice invites you" in page

    assert answer(bobs, invitation, "accept") == 302
    page = bobs.get(PAGE).content.decode()
    assert "1 invitation" not in page
    assert "Alice · Bob" in page


def test_declining_leaves_nothing_to_be_seen(alice: User, bob: User, group: ChatGroup) -> None:
    bobs, invitation = browser(bob), invited(alice, group, "bob")
    assert answer(bobs, invitation, "decline") == 302
    page = bobs.get(PAGE, follow=True).content.decode()
    assert "Research" not in page
    assert "You are in no group" in page


def test_a_member_leaves(alice: User, bob: User) -> None:
    bobs, group = browser(bob), group_with(alice, [bob])
    assert bobs.post(reverse("web:group_leave", args=[group.pk])).status_code == 302
    assert "You are in no group" in bobs.get(PAGE).content.decode()
