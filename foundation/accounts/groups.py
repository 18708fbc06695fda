"""Chat groups and their members: who made a group, who belongs to it now, and who may change it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.accounts.exceptions import PermissionDenied
from foundation.accounts.models import ChatGroup, Membership, User
from foundation.exceptions import NotFound, require_found


def create_group(maker: User, name: str) -> ChatGroup:
    """A new chat group, owned by its maker."""
    with transaction.atomic():
        group = ChatGroup.objects.create(name=name, created_by=maker)
        Membership.objects.create(group=group, user=maker, is_owner=True)
    return group


def groups_of(user: User) -> QuerySet[ChatGroup]:
    """The groups the user is a member of now, the newest first."""
    return ChatGroup.objects.filter(pk__in=group_ids_of(user.pk)).order_by("-created_at")


def group_ids_of(user_id: UUID) -> QuerySet[Membership, UUID]:
    """The keys of the groups that somebody is a member of now, the latest joined first."""
    mine = Membership.objects.filter(user_id=user_id, left_at=None).order_by("-joined_at")
    return mine.values_list("group_id", flat=True)


def members_of(group: ChatGroup) -> QuerySet[Membership]:
    """The current members of the group, in the order they joined."""
    return _current_members().filter(group=group)


def prefetched_members() -> Prefetch[Any]:
    """What ``members_of`` answers, fetched for all groups at once: each has it as ``current_members``."""
    return Prefetch("memberships", _current_members(), to_attr="current_members")


def _current_members() -> QuerySet[Membership]:
    return Membership.objects.filter(left_at=None).select_related("user").order_by("joined_at")


def group_of(user: User, group_id: UUID) -> ChatGroup:
    """The group, if the user is a member now. Raises ``NotFound`` otherwise."""
    return require_found(
        ChatGroup.objects.filter(pk=group_id, memberships__user=user, memberships__left_at=None).first()
    )


def is_member(user_id: UUID, group_id: UUID | None) -> bool:
    """Whether the user belongs to the group now. Who left keeps what they said there, as theirs alone."""
    if group_id is None:
        return False
    return Membership.objects.filter(group_id=group_id, user_id=user_id, left_at=None).exists()


def remove_member(actor: User, group_id: UUID, user_id: UUID) -> None:
    """Leave a group, or let its owner remove somebody."""
    group = group_of(actor, group_id) if actor.pk == user_id else owned_group(actor, group_id)
    ended = Membership.objects.filter(group=group, user_id=user_id, left_at=None).update(left_at=timezone.now())
    if not ended:
        raise NotFound()
    ensure_group_owner(group)


def ensure_group_owner(group: ChatGroup) -> None:
    """Make the longest-standing member the owner of a group that has none."""
    members = members_of(group)
    if not members.filter(is_owner=True).exists():
        Membership.objects.filter(pk__in=members.values("pk")[:1]).update(is_owner=True)


def owned_group(actor: User, group_id: UUID) -> ChatGroup:
    """The group, if the user owns it. Raises ``NotFound`` for a non-member, ``PermissionDenied`` for a member."""
    group = group_of(actor, group_id)
    if not group.memberships.filter(user=actor, is_owner=True, left_at=None).exists():
        raise PermissionDenied(_("Only the group's owner may do this."))
    return group
