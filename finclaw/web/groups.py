"""Template data of groups."""

from __future__ import annotations

from collections.abc import Iterable

from django.http import HttpRequest
from django.urls import reverse

from finclaw.web.types import TemplateData
from foundation.accounts.group_links import is_link, link_code
from foundation.accounts.groups import groups_of, prefetched_members
from foundation.accounts.invitations import invitations_received_by, invitations_sent_by
from foundation.accounts.models import ChatGroup, GroupInvitation, Membership, User


def show_received(user: User) -> list[TemplateData]:
    """The invitations that wait for the user's answer."""
    return [
        {
            "invitation_id": invitation.pk,
            "group": invitation.group.name,
            "inviter": invitation.user.name,
            "expires_at": invitation.expires_at,
        }
        for invitation in invitations_received_by(user)
    ]


def show_groups(request: HttpRequest, user: User) -> list[TemplateData]:
    """The user's groups with their members; for those they own, also the invitations they sent."""
    return [_show_group(request, user, group) for group in groups_of(user).prefetch_related(prefetched_members())]


def _show_group(request: HttpRequest, user: User, group: ChatGroup) -> TemplateData:
    members: list[Membership] = group.current_members  # type: ignore[attr-defined]  # by ``prefetched_members``
    owned = any(member.user_id == user.pk and member.is_owner for member in members)
    return {
        "group_id": group.pk,
        "name": group.name,
        "members": [member.user.name for member in members],
        "owned": owned,
        "sent": _show_sent(request, invitations_sent_by(user, group)) if owned else [],
    }


def _show_sent(request: HttpRequest, invitations: Iterable[GroupInvitation]) -> list[TemplateData]:
    return [
        {
            "invitation_id": invitation.pk,
            "username": invitation.username,
            "link": _invitation_link(request, invitation) if is_link(invitation) else "",
            "expires_at": invitation.expires_at,
        }
        for invitation in invitations
        if invitation.state == "pending"
    ]


def _invitation_link(request: HttpRequest, invitation: GroupInvitation) -> str:
    return request.build_absolute_uri(reverse("web:group_join", args=[link_code(invitation)]))
