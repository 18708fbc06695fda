"""Chat groups and their invitations; whoever creates a group owns it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db.models import prefetch_related_objects
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.sensitive.services import screen_text
from finclaw.api.base import ApiView
from finclaw.api.operations import located, raises
from finclaw.api.schema import NO_CONTENT, PAGE, page_of
from finclaw.api.serializers import StrictSerializer
from foundation.accounts.group_links import invite_by_link, join_by_code, link_code
from foundation.accounts.groups import create_group, group_of, groups_of, owned_group, prefetched_members, remove_member
from foundation.accounts.invitations import (
    accept_invitation,
    decline_invitation,
    invitations_received_by,
    invitations_sent_by,
    invite_by_username,
    withdraw_invitation,
)
from foundation.accounts.models import ChatGroup, GroupInvitation, Membership
from foundation.exceptions import NotFound


class GroupInput(StrictSerializer):
    name = serializers.CharField(max_length=120)


class MemberInput(StrictSerializer):
    username = serializers.CharField(max_length=60, validators=[UnicodeUsernameValidator()])


class CodeInput(StrictSerializer):
    code = serializers.CharField(max_length=200)


class MemberOutput(serializers.ModelSerializer[Membership]):
    username = serializers.CharField(source="user.username")
    display_name = serializers.CharField(source="user.name")

    class Meta:
        model = Membership
        fields = ("user_id", "username", "display_name", "is_owner", "joined_at")


class GroupOutput(serializers.ModelSerializer[ChatGroup]):
    group_id = serializers.UUIDField(source="id")
    members = MemberOutput(source="current_members", many=True)

    class Meta:
        model = ChatGroup
        fields = ("group_id", "name", "created_at", "members")


class InvitationSent(serializers.ModelSerializer[GroupInvitation]):
    """``username`` is as you typed it, empty for a link, whose ``code`` admits one person while it is ``pending``. A
    declined invitation stays ``pending`` until it expires.
    """

    invitation_id = serializers.UUIDField(source="id")
    state = serializers.ChoiceField(["pending", "accepted", "expired"])
    code = serializers.SerializerMethodField()

    class Meta:
        model = GroupInvitation
        fields = ("invitation_id", "group_id", "username", "state", "code", "created_at", "expires_at")

    def get_code(self, invitation: GroupInvitation) -> str:
        return link_code(invitation)


class InvitationReceived(serializers.ModelSerializer[GroupInvitation]):
    invitation_id = serializers.UUIDField(source="id")
    group_name = serializers.CharField(source="group.name")
    inviter_name = serializers.CharField(source="user.name")

    class Meta:
        model = GroupInvitation
        fields = ("invitation_id", "group_name", "inviter_name", "created_at", "expires_at")


class GroupViews(ApiView):
    """The common part of the views of groups and invitations."""

    def group(self, key: UUID | str) -> Any:
        """One of the user's groups with its members. Raises ``NotFound``."""
        group = group_of(self.user, UUID(str(key)))
        prefetch_related_objects([group], prefetched_members())
        return GroupOutput(group).data

    def sent_invitation(self, key: str) -> Any:
        """An invitation of the user's. Raises ``NotFound``."""
        sent = GroupInvitation.objects.filter(user=self.user, pk=key).first()
        if sent is None:
            raise NotFound()
        return InvitationSent(sent).data


class GroupsView(GroupViews):
    @extend_schema(operation_id="group_list", parameters=PAGE, responses=page_of(GroupOutput))
    def get(self, request: Request) -> Response:
        """The groups you are a member of."""
        groups = groups_of(self.user).prefetch_related(prefetched_members())
        return self.page(groups, GroupOutput, ordering="-created_at")

    @located("group", "group_id", status=201)
    @extend_schema(operation_id="group_create", request=GroupInput, responses={201: GroupOutput})
    def post(self, request: Request) -> Response:
        """Create a group."""
        name = screen_text("group_name", self.valid(GroupInput)["name"]).text
        return self.once(201, lambda: create_group(self.user, name), self.group)


class GroupView(GroupViews):
    @extend_schema(operation_id="group_retrieve", responses=GroupOutput)
    def get(self, request: Request, group_id: UUID) -> Response:
        """One group with its members."""
        return Response(self.group(group_id))


class GroupMembersView(GroupViews):
    @located("group_invitation", "group_id", "invitation_id", status=202)
    @raises("permission_denied")
    @extend_schema(operation_id="group_member_add", request=MemberInput, responses={202: InvitationSent})
    def post(self, request: Request, group_id: UUID) -> Response:
        """Invite somebody by user name, as the group's owner; they become a member by accepting. The answer does not
        tell whether the user name exists.
        """
        username = screen_text("username", self.valid(MemberInput)["username"]).text
        return self.once(202, lambda: invite_by_username(self.user, group_id, username), self.sent_invitation)


class SentInvitationsView(GroupViews):
    @raises("permission_denied")
    @extend_schema(operation_id="group_invitation_list", parameters=PAGE, responses=page_of(InvitationSent))
    def get(self, request: Request, group_id: UUID) -> Response:
        """The invitations you sent for this group, as its owner."""
        sent = invitations_sent_by(self.user, owned_group(self.user, group_id))
        return self.page(sent, InvitationSent, ordering="-created_at")

    @located("group_invitation", "group_id", "invitation_id", status=201)
    @raises("permission_denied")
    @extend_schema(operation_id="group_link_create", request=None, responses={201: InvitationSent})
    def post(self, request: Request, group_id: UUID) -> Response:
        """Create an invitation link, as the group's owner: its ``code`` admits the first person who joins with it."""
        return self.once(201, lambda: invite_by_link(self.user, group_id), self.sent_invitation)


class InvitationWithdrawView(ApiView):
    @raises("permission_denied")
    @extend_schema(operation_id="group_invitation_withdraw", responses=NO_CONTENT)
    def delete(self, request: Request, group_id: UUID, invitation_id: UUID) -> Response:
        """Withdraw an invitation that was not accepted."""
        return self.once(204, lambda: withdraw_invitation(self.user, group_id, invitation_id), lambda _: None)


class ReceivedInvitationsView(ApiView):
    @extend_schema(operation_id="invitation_list", parameters=PAGE, responses=page_of(InvitationReceived))
    def get(self, request: Request) -> Response:
        """Group invitations that wait for your answer."""
        return self.page(invitations_received_by(self.user), InvitationReceived, ordering="-created_at")


class InvitationAcceptView(GroupViews):
    @extend_schema(operation_id="invitation_accept", request=None, responses={200: GroupOutput})
    def post(self, request: Request, invitation_id: UUID) -> Response:
        """Accept it and become a member of the group."""
        return self.once(200, lambda: accept_invitation(self.user, invitation_id), self.group)


class GroupJoinView(GroupViews):
    @raises("not_found")
    @extend_schema(operation_id="invitation_join", request=CodeInput, responses={200: GroupOutput})
    def post(self, request: Request) -> Response:
        """Join a group with the code of an invitation link."""
        code = self.valid(CodeInput)["code"]
        return self.once(200, lambda: join_by_code(self.user, code), self.group)


class InvitationDeclineView(ApiView):
    @extend_schema(operation_id="invitation_decline", request=None, responses=NO_CONTENT)
    def post(self, request: Request, invitation_id: UUID) -> Response:
        """Decline it. The inviter is not told."""
        return self.once(204, lambda: decline_invitation(self.user, invitation_id), lambda _: None)


class GroupMemberView(ApiView):
    @raises("permission_denied")
    @extend_schema(operation_id="group_member_remove", responses=NO_CONTENT)
    def delete(self, request: Request, group_id: UUID, user_id: UUID) -> Response:
        """Leave the group, or remove a member as its owner."""
        return self.once(204, lambda: remove_member(self.user, group_id, user_id), lambda _: None)


urlpatterns = [
    path("groups", GroupsView.as_view(), name="groups"),
    path("groups/<uuid:group_id>", GroupView.as_view(), name="group"),
    path("groups/<uuid:group_id>/invitations", SentInvitationsView.as_view(), name="group_invitations"),
    path(
        "groups/<uuid:group_id>/invitations/<uuid:invitation_id>",
        InvitationWithdrawView.as_view(),
        name="group_invitation",
    ),
    path("invitations", ReceivedInvitationsView.as_view(), name="invitations"),
    path("invitations/join", GroupJoinView.as_view(), name="invitation_join"),
    path("invitations/<uuid:invitation_id>/accept", InvitationAcceptView.as_view(), name="invitation_accept"),
    path("invitations/<uuid:invitation_id>/decline", InvitationDeclineView.as_view(), name="invitation_decline"),
    path("groups/<uuid:group_id>/members", GroupMembersView.as_view(), name="members"),
    path("groups/<uuid:group_id>/members/<uuid:user_id>", GroupMemberView.as_view(), name="member"),
]
