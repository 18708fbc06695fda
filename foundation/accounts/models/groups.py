"""Chat groups, who belongs to them, and who was asked to."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import pgettext

from foundation.accounts.models.people import User
from foundation.ids import new_id
from foundation.personal_data import KeptFor, PersonalData

KEEP_INVITATIONS = timedelta(days=90)


class ChatGroup(models.Model):
    """A group chat. Its current members may read its rows."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=120)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    members = models.ManyToManyField(User, through="Membership", related_name="chat_groups")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return pgettext("row", "Group %s") % self.pk


class Membership(models.Model):
    """A user's membership of a group. Leaving ends the row and keeps it: messages stay under their speaker."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    group = models.ForeignKey(ChatGroup, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    is_owner = models.BooleanField(default=False)
    joined_at = models.DateTimeField(auto_now_add=True)
    left_at = models.DateTimeField(null=True, blank=True)

    personal_data = PersonalData(export="groups.json", kept=KeptFor.ACCESS)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["group", "user"], condition=models.Q(left_at=None), name="one_membership_at_a_time"
            )
        ]
        indexes: ClassVar = [models.Index(fields=["user", "left_at"], include=["group"], name="my_groups")]

    def __str__(self) -> str:
        return pgettext("row", "%(user)s in %(group)s") % {"user": self.user_id, "group": self.group_id}


class GroupInvitation(models.Model):
    """An invitation by ``user`` to a group, for the user name ``username`` as it was typed.

    ``invitee`` is the user of that name, null where there is none; the sender cannot tell which. Only the invitee can
    accept it. ``username`` is empty for an invitation by link, which admits the first who opens it and joins. A
    withdrawn invitation is kept, since it counts towards the sender's limit for a day.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="invitations_sent")
    invitee = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="invitations_received")
    group = models.ForeignKey(ChatGroup, on_delete=models.CASCADE, related_name="invitations")
    username = models.CharField(max_length=60)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    declined_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    personal_data = PersonalData(
        party="invitee_id", retention=KEEP_INVITATIONS, export="invitations.json",
        withheld=("invitee_id", "declined_at"),  # the one who invites may not learn either,
        kept=KeptFor.ACCESS,
    )  # fmt: skip

    class Meta:
        ordering = ("-created_at",)
        indexes: ClassVar = [
            models.Index(fields=["user", "created_at"], name="invitations_sent"),
            models.Index(fields=["invitee", "expires_at"], name="invitations_received"),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Invitation %s") % self.pk

    @property
    def state(self) -> str:
        """The invitation's state as its sender may know it: a declined one looks pending until it expires."""
        if self.accepted_at is not None:
            return "accepted"
        return "pending" if self.expires_at > timezone.now() else "expired"
