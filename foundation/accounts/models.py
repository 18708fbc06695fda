"""Users, tenants, chat groups, API tokens, recovery codes and browser sessions.

These tables are exempt from row-level security: they must be read before it is known who is asking. Invitations are
not.
"""

from __future__ import annotations

import secrets
import zoneinfo
from datetime import timedelta
from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import PermissionsMixin
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from foundation.accounts.fields import KEPT_BESIDE, SkeletonField
from foundation.accounts.managers import ApiTokenManager, UserManager
from foundation.accounts.validators import validate_characters
from foundation.ids import new_id
from foundation.personal_data import KeptFor, PersonalData
from foundation.text.confusables import skeleton_of

KEEP_INVITATIONS = timedelta(days=90)


def validate_time_zone(value: str) -> None:
    """Accept the names of the IANA time zone database only."""
    if value not in zoneinfo.available_timezones():
        raise ValidationError(_("This is not a time zone such as Europe/Berlin or Asia/Shanghai."))


def new_content_key() -> bytes:
    """32 random bytes for HMACs over one user's content; gone with the account."""
    return secrets.token_bytes(32)


class Tenant(models.Model):
    """An organisation. ``settings`` holds the thresholds it overrides."""

    class OrgTier(models.TextChoices):
        BRAND_HQ = "brand_hq", _("Brand headquarters")
        REGIONAL_AGENT = "regional_agent", _("Regional agent")
        FRANCHISE_STORE = "franchise_store", _("Franchise store")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=120, unique=True)
    org_tier = models.CharField(max_length=20, choices=OrgTier.choices, default=OrgTier.BRAND_HQ)
    settings = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class User(AbstractBaseUser, PermissionsMixin):
    """An account. Needs no real name and no e-mail address."""

    class Role(models.TextChoices):
        OWNER = "owner", _("Owner")
        ADMIN = "admin", _("Admin")
        EDITOR = "editor", _("Editor")
        VIEWER = "viewer", _("Viewer")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    username = models.CharField(
        _("user name"),
        max_length=60,
        unique=True,
        validators=[UnicodeUsernameValidator(), validate_characters],
        error_messages={"unique": _("This user name is taken.")},
    )
    username_skeleton = SkeletonField(unique=True, editable=False)
    is_staff = models.BooleanField(_("operator"), default=False)
    is_active = models.BooleanField(_("active"), default=True)
    date_joined = models.DateTimeField(default=timezone.now)
    display_name = models.CharField(max_length=60, blank=True, validators=[validate_characters])
    time_zone = models.CharField(max_length=64, default="UTC", validators=[validate_time_zone])
    language = models.CharField(max_length=16, blank=True)  # of the pages; empty: as the browser asks
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, null=True, blank=True, related_name="users")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.EDITOR)
    content_key = models.BinaryField(default=new_content_key, editable=False)
    tip_shown_at = models.DateTimeField(null=True, blank=True, editable=False)
    notice_version = models.PositiveSmallIntegerField(default=0, editable=False)  # acknowledged; 0: none
    notice_acknowledged_at = models.DateTimeField(null=True, blank=True, editable=False)

    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = UserManager()
    personal_data = PersonalData(
        owner="id",
        export="account.json",
        withheld=("password", "content_key", "username_skeleton"),
        kept=KeptFor.ACCESS,
    )

    class Meta:
        ordering = ("username",)

    def clean(self) -> None:
        """Refuse a user name that looks like somebody else's; one that is unchanged stays."""
        super().clean()
        skeleton = skeleton_of(self.username)
        if self.username_skeleton.partition(KEPT_BESIDE)[0] == skeleton:
            return
        if User.objects.looking_like(skeleton).exclude(pk=self.pk).exists():
            raise ValidationError({"username": _("This user name is taken.")})

    @property
    def name(self) -> str:
        """The name that other users see and memories use."""
        return self.display_name or self.username

    def get_full_name(self) -> str:
        return self.name

    def get_short_name(self) -> str:
        return self.name


class ChatGroup(models.Model):
    """A group chat. Its rows are readable by whoever is a member now."""

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
    """Somebody asked into a group by user name, ``username`` as it was typed. ``user`` invites.

    ``invitee`` is who goes by that name, and null where nobody does: the one who invites can never tell. Only who was
    invited makes it a membership. One that is withdrawn is kept for the count of a day.
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


class ApiToken(models.Model):
    """A program's credential: hashed at rest, expiring, revocable; a revoked one is kept to say so."""

    digest = models.CharField(max_length=128, primary_key=True)
    token_key = models.CharField(max_length=25, db_index=True)
    created = models.DateTimeField(auto_now_add=True)
    expiry = models.DateTimeField(null=True, blank=True)
    id = models.UUIDField(default=new_id, editable=False, unique=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenManager()
    personal_data = PersonalData(export="tokens.json", withheld=("digest", "token_key"), kept=KeptFor.ACCESS)

    class Meta:
        ordering = ("-created",)

    def __str__(self) -> str:
        return pgettext("row", "Token %s") % self.id


class RecoveryCode(models.Model):
    """A one-time code that sets a new password for an account."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="recovery_codes")
    code_hash = models.CharField(max_length=128)
    used_at = models.DateTimeField(null=True, blank=True)

    personal_data = PersonalData(kept=KeptFor.ACCESS)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["user", "used_at"], name="usable_codes")]

    def __str__(self) -> str:
        return pgettext("row", "Recovery code %s") % self.pk


class BrowserSession(AbstractBaseSession):
    """A browser session, with the ``user`` that Django's own table does not name."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="browser_sessions")

    personal_data = PersonalData(kept=KeptFor.ACCESS)

    def __str__(self) -> str:
        return pgettext("row", "Browser session of %s") % self.user_id  # the key opens the account

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        from foundation.accounts.browser_sessions import SessionStore  # it imports this module

        return SessionStore


class AttemptCount(models.Model):
    """Failed attempts at a secret in a window, by address, by name, or by both.

    ``key`` is an HMAC under the server's key: neither address nor name is stored. The table is not logged: after a
    crash of the database everybody begins anew.
    """

    key = models.CharField(max_length=64, primary_key=True)
    failures = models.PositiveIntegerField(default=0)
    since = models.DateTimeField(db_index=True)
    not_before = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.failures} failures since {self.since:%H:%M}"


class QuarantinedName(models.Model):
    """The user name of an erased account, reserved for a while.

    ``digest`` is an HMAC of its skeleton under the server's key. Nothing says whose it was.
    """

    digest = models.CharField(max_length=64, primary_key=True)
    until = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"A name that is free from {self.until:%Y-%m-%d}"
