"""Tokens of people and of organisations, recovery codes, browser sessions, failed attempts and reserved names."""

from __future__ import annotations

from typing import ClassVar, Final

from django.contrib.postgres.fields import ArrayField
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from foundation.accounts.managers import ApiTokenManager
from foundation.accounts.models.people import Tenant, User
from foundation.ids import new_id
from foundation.personal_data import KeptFor, PersonalData


class ApiToken(models.Model):
    """A program's credential: hashed at rest, expiring, revocable; a revoked one is kept to say so.

    ``withheld_kinds`` are the kinds of memory that its holder neither sees nor writes.
    """

    digest = models.CharField(max_length=128, primary_key=True)
    token_key = models.CharField(max_length=25, db_index=True)
    created = models.DateTimeField(auto_now_add=True)
    expiry = models.DateTimeField(null=True, blank=True)
    id = models.UUIDField(default=new_id, editable=False, unique=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80, blank=True)
    withheld_kinds = ArrayField(models.CharField(max_length=20), default=list, blank=True, db_default=[])
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenManager()
    personal_data = PersonalData(export="tokens.json", withheld=("digest", "token_key"), kept=KeptFor.ACCESS)

    class Meta:
        ordering = ("-created",)

    def __str__(self) -> str:
        return pgettext("row", "Token %s") % self.id


class ServiceToken(models.Model):
    """A credential of an organisation's own application: hashed at rest, revocable; a revoked one is kept to say so.

    It reaches the organisation's managed accounts alone. One without a ``tenant`` provisions organisations, accounts
    and such tokens, and reaches nobody.
    """

    is_authenticated: Final = True  # as REST framework asks of whoever sends a request
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, null=True, blank=True, related_name="service_tokens")
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=128, unique=True, editable=False)
    token_key = models.CharField(max_length=25, db_index=True, editable=False)
    issued_by = models.UUIDField(null=True, blank=True)  # the operator, or the provisioning token
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("service token")
        verbose_name_plural = _("service tokens")

    def __str__(self) -> str:
        return pgettext("row", "Service token %s") % self.id


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
