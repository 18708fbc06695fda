"""Users and their organisations."""

from __future__ import annotations

import secrets
import zoneinfo
from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import PermissionsMixin
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foundation.accounts.fields import KEPT_BESIDE, SkeletonField
from foundation.accounts.managers import UserManager
from foundation.accounts.validators import validate_characters
from foundation.ids import new_id
from foundation.personal_data import KeptFor, PersonalData
from foundation.text.confusables import skeleton_of

EXTERNAL_ID_CHARS = 120


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
    provisioned_by = models.UUIDField(null=True, editable=False)  # the provisioning token, or the operator
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class User(AbstractBaseUser, PermissionsMixin):
    """An account. Needs no real name and no e-mail address.

    One with an ``external_id`` is managed: an organisation serves this person through its own application, in which
    they go by that id. Nobody signs in to it, and it is no operator's.
    """

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
    asks_follow_ups = models.BooleanField(default=True, db_default=True)  # whether the assistant asks of its own accord
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, null=True, blank=True, related_name="users")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.EDITOR)
    external_id = models.CharField(max_length=EXTERNAL_ID_CHARS, blank=True, default="", editable=False)
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
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tenant", "external_id"],
                condition=~models.Q(external_id=""),
                name="one_managed_account_a_person",
            ),
            models.CheckConstraint(
                condition=models.Q(external_id="")
                | models.Q(
                    tenant__isnull=False,
                    is_staff=False,
                    is_superuser=False,
                    password__startswith=UNUSABLE_PASSWORD_PREFIX,
                ),
                name="nobody_signs_in_to_a_managed_account",
            ),
        ]

    def clean(self) -> None:
        """Refuse a user name that looks like somebody else's; one that is unchanged stays."""
        super().clean()
        skeleton = skeleton_of(self.username)
        if self.username_skeleton.partition(KEPT_BESIDE)[0] == skeleton:
            return
        if User.objects.looking_like(skeleton).exclude(pk=self.pk).exists():
            raise ValidationError({"username": _("This user name is taken.")})

    @property
    def is_managed(self) -> bool:
        """Whether an organisation's application serves this person."""
        return bool(self.external_id)

    @property
    def name(self) -> str:
        """The name that other users see and memories use."""
        return self.display_name or self.username

    def get_full_name(self) -> str:
        return self.name

    def get_short_name(self) -> str:
        return self.name
