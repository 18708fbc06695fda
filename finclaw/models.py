"""Models without a table of their own: the permissions of operators' pages, and the view of all long tasks."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _


class OperatorPage(models.Model):
    """Names a permission for each page of figures; nothing is stored under it."""

    class Meta:
        managed = False
        default_permissions = ()
        permissions: ClassVar = [
            ("view_today", _("Can view Today")),
            ("view_quality", _("Can view memory quality")),
            ("view_historian", _("Can view the historian")),
            ("view_drift", _("Can view how minds changed")),
            ("view_model_costs", _("Can view what language models cost")),
        ]

    def __str__(self) -> str:
        return "Operators' pages"


class LongTaskKind(models.TextChoices):
    """The kinds of work that go on in the background for a user, and that they can watch and cancel."""

    RESEARCH = "research", _("Research")
    EXPORT = "export", _("A copy of your data")
    IMPORT = "import", _("Bringing chats in")


class LongTaskState(models.TextChoices):
    """The states of a long task, the same for every kind."""

    PENDING = "pending", _("Waiting")
    RUNNING = "running", _("Running")
    COMPLETED = "completed", _("Done")
    FAILED = "failed", _("Failed")
    CANCELLED = "cancelled", _("Cancelled")


class TaskStatus(models.Model):
    """How far one long task is, whatever its kind: a row of a view over the tables of all kinds.

    The view reads them as whoever asks, so each table's row-level security decides what is seen. ``step`` is a key of
    the kind's own, ``error_code`` says why a task failed, and at ``expires_at`` its result is deleted.
    """

    UNFINISHED: ClassVar = (LongTaskState.PENDING, LongTaskState.RUNNING)

    id = models.UUIDField(primary_key=True)
    user_id = models.UUIDField()
    kind = models.CharField(max_length=10, choices=LongTaskKind.choices)
    state = models.CharField(max_length=9, choices=LongTaskState.choices)
    progress = models.PositiveSmallIntegerField()  # per cent
    step = models.CharField(max_length=40)
    is_stopping = models.BooleanField()  # to be cancelled before its next step
    is_unseen = models.BooleanField()
    error_code = models.CharField(max_length=80)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)

    class Meta:
        managed = False
        default_permissions = ()
        ordering = ("-created_at",)
        verbose_name = _("long task")

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def is_over(self) -> bool:
        """Whether the task has ended, in whatever way."""
        return self.ended_at is not None
