"""The audit log of governed acts on users' data and accounts, without the data itself; kept for ever."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from foundation.ids import new_id
from foundation.personal_data import OnErasure, PersonalData


class AuditEvent(models.Model):
    """One governed act: who did what about whom. Nobody changes or deletes it.

    ``counts`` are numbers. ``details`` contain only names from our own code: permissions before and after, pages,
    filters; never a secret, and nothing that a person wrote.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user_id = models.UUIDField()  # whom it is about
    actor_id = models.UUIDField(null=True, blank=True)  # none: the system itself
    action = models.CharField(max_length=60)
    subject_id = models.UUIDField(null=True, blank=True)
    counts = models.JSONField(default=dict, blank=True)
    details = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    personal_data = PersonalData(on_erasure=OnErasure.KEEP, export="audit/events.jsonl", withheld=("actor_id",))

    class Meta:
        ordering = ("-at",)
        verbose_name = _("audit event")
        indexes: ClassVar = [
            models.Index(fields=["user_id", "-at"], name="audit_of_a_person"),
            models.Index(fields=["action", "-at"], name="audit_by_action"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.pk}"
