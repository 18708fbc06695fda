"""Chat groups: whoever makes one owns it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import ApiView, Reference
from finclaw.api.schema import NO_CONTENT, PAGE, page_of
from finclaw.api.serializers import StrictSerializer
from foundation.accounts.models import ChatGroup, Membership
from foundation.accounts.services import add_member, create_group, group_of, groups_of, members_of, remove_member


class GroupInput(StrictSerializer):
    name = serializers.CharField(max_length=120)


class MemberInput(StrictSerializer):
    username = serializers.CharField(max_length=60)


class MemberOutput(serializers.ModelSerializer[Membership]):
    username = serializers.CharField(source="user.username")
    display_name = serializers.CharField(source="user.name")

    class Meta:
        model = Membership
        fields = ("user_id", "username", "display_name", "is_owner", "joined_at")


class GroupOutput(serializers.ModelSerializer[ChatGroup]):
    group_id = serializers.UUIDField(source="id")
    members = serializers.SerializerMethodField()

    class Meta:
        model = ChatGroup
        fields = ("group_id", "name", "created_at", "members")

    @extend_schema_field(MemberOutput(many=True))
    def get_members(self, group: ChatGroup) -> Any:
        return MemberOutput(members_of(group), many=True).data


class GroupsView(ApiView):
    @extend_schema(operation_id="group_list", parameters=PAGE, responses=page_of(GroupOutput))
    def get(self, request: Request) -> Response:
        """The groups you are a member of."""
        return self.page(groups_of(self.user), GroupOutput, ordering="-created_at")

    @extend_schema(operation_id="group_create", request=GroupInput, responses={201: GroupOutput})
    def post(self, request: Request) -> Response:
        """Make a group."""
        name = self.valid(GroupInput)["name"]
        return self.once(201, lambda: {"group": str(create_group(self.user, name).pk)}, self._answer)

    def _answer(self, made: Reference) -> Any:
        return GroupOutput(group_of(self.user, UUID(made["group"]))).data


class GroupView(ApiView):
    @extend_schema(operation_id="group_retrieve", responses=GroupOutput)
    def get(self, request: Request, group_id: UUID) -> Response:
        """One group with its members."""
        return Response(GroupOutput(group_of(self.user, group_id)).data)


class MembersView(ApiView):
    @extend_schema(operation_id="group_member_add", request=MemberInput, responses={201: GroupOutput})
    def post(self, request: Request, group_id: UUID) -> Response:
        """Add somebody by user name, as the group's owner."""
        username = self.valid(MemberInput)["username"]

        def write() -> Reference:
            add_member(self.user, group_id, username)
            return {}

        return self.once(201, write, lambda _: GroupOutput(group_of(self.user, group_id)).data)


class MemberView(ApiView):
    @extend_schema(operation_id="group_member_remove", responses=NO_CONTENT)
    def delete(self, request: Request, group_id: UUID, user_id: UUID) -> Response:
        """Leave the group, or remove somebody as its owner."""

        def write() -> Reference:
            remove_member(self.user, group_id, user_id)
            return {}

        return self.once(204, write, lambda _: None)


urlpatterns = [
    path("groups", GroupsView.as_view(), name="groups"),
    path("groups/<uuid:group_id>", GroupView.as_view(), name="group"),
    path("groups/<uuid:group_id>/members", MembersView.as_view(), name="members"),
    path("groups/<uuid:group_id>/members/<uuid:user_id>", MemberView.as_view(), name="member"),
]
