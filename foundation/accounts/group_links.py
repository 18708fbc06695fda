"""Invitation links to groups: the first who opens one and joins becomes a member.

A link is an invitation to no user name. Its code is signed and names the invitation and who invites, so that it can be
looked up on their behalf; nothing is stored but the invitation, which expires and is taken back like any other.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.accounts.groups import group_of, is_member, owned_group
from foundation.accounts.invitations import add_member, require_invitation_quota
from foundation.accounts.models import ChatGroup, GroupInvitation, User
from foundation.accounts.services import lock_user
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound, ValidationFailed

_SIGNER: Final = Signer(sep=".", salt="finclaw.group-link")
_ID_BYTES: Final = 16


def invite_by_link(owner: User, group_id: UUID) -> GroupInvitation:
    """Create an invitation for whoever has its link. Call in a transaction acting for the owner.

    Raises ``NotFound`` and ``PermissionDenied`` for a group that is not the owner's, and ``TooManyInvitations``.
    """
    lock_user(owner.pk)  # two at once are counted one after the other
    group = owned_group(owner, group_id)
    now = timezone.now()
    require_invitation_quota(owner, group, now)
    expires_at = now + timedelta(days=settings.INVITATION_DAYS)
    return GroupInvitation.objects.create(user=owner, group=group, username="", expires_at=expires_at)


def is_link(invitation: GroupInvitation) -> bool:
    """Whether the invitation is for whoever gets its code, not for a user name."""
    return not invitation.username


def link_code(invitation: GroupInvitation) -> str:
    """The code in an invitation's link, some ninety letters; "" for an invitation by name and one no longer pending."""
    if not is_link(invitation) or invitation.state != "pending":
        return ""
    ids = invitation.pk.bytes + invitation.user_id.bytes
    return _SIGNER.sign(urlsafe_b64encode(ids).decode().rstrip("="))


def invitation_by_code(code: str) -> GroupInvitation:
    """The pending invitation behind a code, with its group and sender. Raises ``NotFound``."""
    invitation_id, owner_id = _ids_in(code)
    with acting_as(owner_id):
        invitation = _pending_invitations(invitation_id, owner_id).select_related("group", "user").first()
    if invitation is None:
        raise NotFound()
    return invitation


def join_by_code(user: User, code: str) -> ChatGroup:
    """Join a group by a link's code, which then admits nobody else. Call in a transaction acting for the user.

    Raises ``NotFound`` for a code that is none, is used up, taken back or expired, ``ValidationFailed`` for who is in
    the group already.
    """
    invitation = invitation_by_code(code)
    if is_member(user.pk, invitation.group_id):
        raise ValidationFailed(_("You are in this group already."))
    with acting_as(invitation.user_id):
        used = _pending_invitations(invitation.pk, invitation.user_id).update(accepted_at=timezone.now())
    if not used:
        raise NotFound()
    add_member(invitation.group, user)
    return group_of(user, invitation.group_id)


def _pending_invitations(invitation_id: UUID, owner_id: UUID) -> QuerySet[GroupInvitation]:
    still_owned = Q(
        group__memberships__user=F("user"), group__memberships__is_owner=True, group__memberships__left_at=None
    )
    return GroupInvitation.objects.filter(
        still_owned,
        pk=invitation_id,
        user_id=owner_id,
        user__is_active=True,
        username="",
        accepted_at=None,
        withdrawn_at=None,
        expires_at__gt=timezone.now(),
    )


def _ids_in(code: str) -> tuple[UUID, UUID]:
    try:
        ids = urlsafe_b64decode(_SIGNER.unsign(code) + "=")
    except (BadSignature, NotBase64, ValueError):
        raise NotFound() from None
    return UUID(bytes=ids[:_ID_BYTES]), UUID(bytes=ids[_ID_BYTES:])
