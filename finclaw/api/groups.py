"""Chat groups: whoever makes one owns it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import prefetch_related_objects
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.sensitive.services import screened
from finclaw.api.base import ApiView, Reference
from finclaw.api.schema import NO_CONTENT, PAGE, page_of
from finclaw.api.serializers import StrictSerializer
from foundation.accounts.models import ChatGroup, Membership, User
from foundation.accounts.services import (
    add_member,
    create_group,
    group_of,
    groups_of,
    prefetched_members,
    remove_member,
)


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
    members = MemberOutput(source="current_members", many=True)

    class Meta:
        model = ChatGroup
        fields = ("group_id", "name", "created_at", "members")


def _shown(user: User, group_id: UUID) -> Any:
    group = group_of(user, group_id)
    prefetch_related_objects([group], prefetched_members())
    return GroupOutput(group).data


class GroupsView(ApiView):
    @extend_schema(operation_id="group_list", parameters=PAGE, responses=page_of(GroupOutput))
    def get(self, request: Request) -> Response:
        """The groups you are a member of."""
        groups = groups_of(self.user).prefetch_related(prefetched_members())
        return self.page(groups, GroupOutput, ordering="-created_at")

    @extend_schema(operation_id="group_create", request=GroupInput, responses={201: GroupOutput})
    def post(self, request: Request) -> Response:
        """Make a group."""
        name = screened("group_name", self.valid(GroupInput)["name"]).text
        return self.once(201, lambda: {"group": str(create_group(self.user, name).pk)}, self._answer)

    def _answer(self, made: Reference) -> Any:
        return _shown(self.user, UUID(made["group"]))


class GroupView(ApiView):
    @extend_schema(operation_id="group_retrieve", responses=GroupOutput)
    def get(self, request: Request, group_id: UUID) -> Response:
        """One group with its members."""
        return Response(_shown(self.user, group_id))


class MembersView(ApiView):
    @extend_schema(operation_id="group_member_add", request=MemberInput, responses={201: GroupOutput})
    def post(self, request: Request, group_id: UUID) -> Response:
        """Add somebody by user name, as the group's owner."""
        username = self.valid(MemberInput)["username"]

        def write() -> Reference:
            add_member(self.user, group_id, username)
            return {}

        return self.once(201, write, lambda _: _shown(self.user, group_id))


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
