"""Invitations to groups by user name: the owner invites, and only the invited make it a membership.

The owner learns nothing from it: the answer is the same whether anybody goes by that name, and whether who does
declined or did not look yet. Call everything here in a transaction acting for the person named first.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.accounts.exceptions import TooManyInvitations
from foundation.accounts.groups import group_of, members_of, owned_group
from foundation.accounts.models import ChatGroup, GroupInvitation, Membership, User
from foundation.accounts.services import lock_user
from foundation.exceptions import NotFound, ValidationFailed, require_found

_OPEN = Q(accepted_at=None, withdrawn_at=None)


def invite_by_username(owner: User, group_id: UUID, username: str) -> GroupInvitation:
    """Invite a user to a group of the owner's. Inviting somebody again answers the pending invitation.

    Raises ``NotFound`` and ``PermissionDenied`` for a group that is not the owner's, ``ValidationFailed`` for who is in
    it already, which its owner sees anyway, and ``TooManyInvitations``.
    """
    lock_user(owner.pk)  # two at once are counted one after the other
    group = owned_group(owner, group_id)
    if members_of(group).filter(user__username=username).exists():
        raise ValidationFailed(details={"username": [_("This person is in the group already.")]})
    now = timezone.now()
    known = invitations_sent_by(owner, group).filter(_OPEN, username=username, expires_at__gt=now).first()
    if known is not None:
        return known
    require_invitation_quota(owner, group, now)
    invitee = User.objects.filter(username=username, is_active=True).first()
    expires_at = now + timedelta(days=settings.INVITATION_DAYS)
    return GroupInvitation.objects.create(
        user=owner, group=group, username=username, invitee=invitee, expires_at=expires_at
    )


def invitations_sent_by(owner: User, group: ChatGroup) -> QuerySet[GroupInvitation]:
    """The owner's invitations to a group as the owner may see them, the newest first, without withdrawn ones."""
    return GroupInvitation.objects.filter(user=owner, group=group, withdrawn_at=None).order_by("-created_at")


def withdraw_invitation(owner: User, group_id: UUID, invitation_id: UUID) -> None:
    """Withdraw a pending invitation. Raises ``NotFound``."""
    mine = GroupInvitation.objects.filter(_OPEN, pk=invitation_id, user=owner, group=owned_group(owner, group_id))
    if not mine.update(withdrawn_at=timezone.now()):
        raise NotFound()


def invitations_received_by(user: User) -> QuerySet[GroupInvitation]:
    """The invitations that wait for the user's answer, the newest first, with group and sender.

    One from somebody who owns the group no more, or whose account is closed, waits for nobody.
    """
    still_owned = Q(
        group__memberships__user=F("user"), group__memberships__is_owner=True, group__memberships__left_at=None
    )
    waiting = GroupInvitation.objects.filter(
        _OPEN, still_owned, invitee=user, declined_at=None, expires_at__gt=timezone.now(), user__is_active=True
    )
    return waiting.select_related("group", "user").order_by("-created_at")


def accept_invitation(user: User, invitation_id: UUID) -> ChatGroup:
    """Accept an invitation and join its group. Raises ``NotFound`` for one that does not wait for the user."""
    invitation = _pending_invitation(user, invitation_id)
    invitation.accepted_at = timezone.now()
    invitation.save(update_fields=["accepted_at"])
    add_member(invitation.group, user)
    return group_of(user, invitation.group_id)


def decline_invitation(user: User, invitation_id: UUID) -> None:
    """Decline an invitation; its sender is not told. Raises ``NotFound`` as ``accept_invitation`` does."""
    invitation = _pending_invitation(user, invitation_id)
    invitation.declined_at = timezone.now()
    invitation.save(update_fields=["declined_at"])


def add_member(group: ChatGroup, user: User) -> Membership:
    """Add a member who agreed to join, or an account that an import made, which nobody signs in to."""
    membership, _made = Membership.objects.get_or_create(group=group, user=user, left_at=None)
    return membership


def _pending_invitation(user: User, invitation_id: UUID) -> GroupInvitation:
    return require_found(invitations_received_by(user).filter(pk=invitation_id).select_for_update(of=("self",)).first())


def require_invitation_quota(owner: User, group: ChatGroup, now: datetime) -> None:
    """Raise ``TooManyInvitations`` where the user may not send another invitation now.

    Counted over what was sent, whoever it was sent to: a limit tells nothing of a name either.
    """
    sent = GroupInvitation.objects.filter(user=owner)
    pending = sent.filter(_OPEN, expires_at__gt=now)
    today = sent.filter(created_at__gt=now - timedelta(days=1))
    if (
        today.count() >= settings.INVITATIONS_PER_DAY
        or pending.count() >= settings.INVITATIONS_PENDING
        or pending.filter(group=group).count() >= settings.INVITATIONS_PENDING_IN_GROUP
    ):
        raise TooManyInvitations()
