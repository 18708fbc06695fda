"""The stored ``Idempotency-Key`` headers."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from foundation.ids import new_id
from foundation.personal_data import KeptFor, PersonalData

KEEP_KEYS = timedelta(hours=24)  # api.md
KEY_CHARS = 200


class IdempotencyKey(models.Model):
    """One write that was requested under a key, and what it made.

    The request is kept as an HMAC under the user's own key, the answer as ``reference``: ids and numbers from which it
    is built again. No text of either is stored.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=KEY_CHARS)
    request_hmac = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    reference = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    personal_data = PersonalData(retention=KEEP_KEYS, kept=KeptFor.WORK)

    class Meta:
        verbose_name = _("idempotency key")
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "key"], name="one_write_per_key")]
        indexes: ClassVar = [models.Index(fields=["created_at"], name="keys_by_age")]

    def __str__(self) -> str:
        return pgettext("row", "Idempotency key %s") % self.pk
