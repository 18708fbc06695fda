"""The page of groups: invitations are seen and answered without a script, and nobody answers another's."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from foundation.accounts.group_links import invite_by_link, link_code
from foundation.accounts.groups import create_group, members_of, remove_member
from foundation.accounts.invitations import invite_by_username, withdraw_invitation
from foundation.accounts.models import ChatGroup, GroupInvitation, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from memory.models import Session
from tests.support.cast import allow, group_with
from tests.support.talk import say

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
        return invite_by_username(owner, group.pk, username)


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


def members(group: ChatGroup) -> list[str]:
    return [member.user.username for member in members_of(group)]


def link_of(owner: User, group: ChatGroup) -> str:
    """The address of a new link."""
    with acting_as(owner.pk):
        return reverse("web:group_join", args=[link_code(invite_by_link(owner, group.pk))])


@pytest.mark.parametrize(("name", "status"), [("", 400), ("x" * 121, 400), ("Card 4111 1111 1111 1111", 422)])
def test_a_name_that_cannot_be_makes_no_group(alice: User, name: str, status: int) -> None:
    page = browser(alice).post(PAGE, {"name": name})
    assert page.status_code == status
    assert "4111" not in page.content.decode()
    assert not ChatGroup.objects.filter(created_by=alice).exists()


@pytest.mark.parametrize("name", ["Research <desk>", "投资小组"])
def test_a_group_is_made_and_belongs_to_its_maker(alice: User, name: str) -> None:
    page = browser(alice).post(PAGE, {"name": name}, follow=True)
    (shown,) = page.context["groups"]
    assert (shown["name"], shown["owned"], shown["members"]) == (name, True, ["Alice"])


def test_only_the_owner_asks_somebody_in_and_takes_it_back(
    alice: User, bob: User, charlie: User, group: ChatGroup
) -> None:
    shared = group_with(alice, [bob])
    invitation = invited(alice, shared, "charlie")
    for stranger, status in ((browser(charlie), 404), (browser(bob), 403)):
        for sent in ({"username": "charlie"}, {"link": "yes"}):
            assert stranger.post(reverse("web:group_invite", args=[shared.pk]), sent).status_code == status
        taken_back = reverse("web:invitation_withdraw", args=[shared.pk, invitation.pk])
        assert stranger.post(taken_back).status_code == status
    assert "Ask somebody into it" not in browser(bob).get(PAGE).content.decode()
    assert answer(browser(charlie), invitation, "accept") == 302


@pytest.mark.parametrize("username", ["", "x" * 61, "<b>", "bob"])
def test_who_cannot_be_asked_is_told_beside_the_field(alice: User, bob: User, username: str) -> None:
    group = group_with(alice, [bob])
    page = browser(alice).post(reverse("web:group_invite", args=[group.pk]), {"username": username})
    assert page.status_code == 400
    assert page.context["invite_form"].errors["username"]
    assert page.context["groups"][0]["sent"] == []


def test_somebody_is_asked_by_name_and_the_invitation_taken_back(alice: User, bob: User, group: ChatGroup) -> None:
    alices, bobs = browser(alice), browser(bob)
    page = alices.post(reverse("web:group_invite", args=[group.pk]), {"username": "bob"}, follow=True)
    (sent,) = page.context["groups"][0]["sent"]
    assert "Alice invites you" in bobs.get(PAGE).content.decode()
    alices.post(reverse("web:invitation_withdraw", args=[group.pk, sent["invitation_id"]]))
    assert "Alice invites you" not in bobs.get(PAGE).content.decode()


def test_a_link_lets_one_person_in(alice: User, bob: User, charlie: User, group: ChatGroup) -> None:
    alices = browser(alice)
    page = alices.post(reverse("web:group_invite", args=[group.pk]), {"link": "yes"}, follow=True)
    link = page.context["groups"][0]["sent"][0]["link"]
    bobs = browser(bob)
    assert "Alice invites you into “Research &lt;desk&gt;”" in bobs.get(link).content.decode()
    assert members(group) == ["alice"]  # opening it alone joins nothing
    assert "Alice · Bob" in bobs.post(link, follow=True).content.decode()
    assert browser(charlie).get(link).status_code == 404
    assert browser(charlie).post(link).status_code == 404
    assert bobs.post(link).status_code == 404
    assert members(group) == ["alice", "bob"]
    assert alices.get(PAGE).context["groups"][0]["sent"] == []


@pytest.mark.parametrize("spoiled", ["taken back", "expired", "no owner", "changed", "nonsense"])
def test_a_link_that_waits_no_longer_lets_nobody_in(alice: User, bob: User, group: ChatGroup, spoiled: str) -> None:
    link = link_of(alice, group)
    with acting_as(alice.pk):
        sent = GroupInvitation.objects.filter(user=alice)
        if spoiled == "taken back":
            withdraw_invitation(alice, group.pk, sent.get().pk)
        if spoiled == "expired":
            with in_role(ERASER_ROLE):
                sent.update(expires_at=timezone.now() - timedelta(seconds=1))
        if spoiled == "no owner":
            remove_member(alice, group.pk, alice.pk)
    if spoiled == "changed":
        link = link[:-3] + ("A" if link[-3] != "A" else "B") + link[-2:]
    if spoiled == "nonsense":
        link = reverse("web:group_join", args=["nonsense"])
    bobs = browser(bob)
    assert bobs.get(link).status_code == 404
    assert bobs.post(link).status_code == 404
    assert "bob" not in members(group)


def test_a_member_needs_no_link(alice: User, bob: User) -> None:
    group = group_with(alice, [bob])
    link = link_of(alice, group)
    assert "You are in this group already." in browser(bob).get(link).content.decode()
    assert browser(bob).post(link).status_code == 400
    assert browser(alice).post(link).status_code == 400
    assert len(members(group)) == 2


def test_leaving_is_asked_first_and_says_what_stays(alice: User, bob: User, charlie: User) -> None:
    group = group_with(alice, [bob])
    address = reverse("web:group_leave", args=[group.pk])
    assert browser(charlie).get(address).status_code == 404
    alices = browser(alice).get(address).content.decode()
    assert "The group belongs to Bob then." in alices
    assert "What stays" in alices
    assert "belongs to" not in browser(bob).get(address).content.decode()
    assert members(group) == ["alice", "bob"]
    browser(alice).post(address)
    assert "Nobody else is in the group" in browser(bob).get(address).content.decode()


def test_what_somebody_said_stays_in_the_groups_chat_once_they_left(alice: User, bob: User) -> None:
    group = group_with(alice, [bob])
    alices, bobs = browser(alice), browser(bob)
    assert browser(bob).post(reverse("web:group_chat", args=[group.pk])).status_code == 302
    (session,) = bobs.get(reverse("web:chat") + "?new=1").context["sessions"]
    chat = reverse("web:chat_session", args=[session["session_id"]])
    with acting_as(alice.pk):
        row = Session.objects.get(pk=session["session_id"])
    say(alice, row, "I bought a vineyard")
    alices.post(reverse("web:group_leave", args=[group.pk]))
    assert "I bought a vineyard" in bobs.get(chat).content.decode()
    assert alices.get(chat).status_code == 404


def test_an_outsider_opens_no_chat_in_a_group(alice: User, charlie: User) -> None:
    group = group_with(alice)
    assert browser(charlie).post(reverse("web:group_chat", args=[group.pk])).status_code == 404
