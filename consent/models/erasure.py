"""Erasure requests, the states they went through, and the fence that stands while they run."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from consent.models.erasure_states import LEGAL_STEPS, ErasureState
from foundation.ids import new_id
from foundation.personal_data import KeptFor, OnErasure, PersonalData

USUALLY_DONE_WITHIN = timedelta(minutes=1)  # measured: 100,000 items take less


class ErasureScope(models.TextChoices):
    """What an erasure covers. The last three are whole scopes, the others name rows."""

    ITEM = "item", _("One memory")
    EVENT = "event", _("One event")
    SESSION = "session", _("One conversation")
    THREAD = "thread", _("One thread")
    TASK = "task", _("One piece of research")
    PORTRAIT = "portrait", _("One portrait")
    IMPORT = "import", _("One import")
    MEDIA = "media", _("One file")
    PROFILE = "profile", _("What I said about myself")
    MEMORIES = "memories", _("Everything learned")
    ACCOUNT = "account", _("The account")


class Sources(models.TextChoices):
    """What becomes of the messages that erased memories were learned from."""

    REDACT = "redact", _("remove their words")
    KEEP = "keep", _("keep them, and never learn from them again")


class Tombstone(models.Model):
    """An erasure request and its progress. Kept for ever; names its user by UUID only.

    ``targets`` is ``Targets`` as JSON, for the scopes that name rows. ``state`` is that of the last ``ErasureStep``: a
    foreign key of the database ties ``(id, step, state)`` to it.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user_id = models.UUIDField()
    scope = models.CharField(max_length=10, choices=ErasureScope.choices)
    target_id = models.UUIDField(null=True, blank=True)
    sources = models.CharField(max_length=6, choices=Sources.choices, default=Sources.REDACT)
    targets = models.JSONField(default=dict, blank=True)
    item_count = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=14, choices=ErasureState.choices, default=ErasureState.REQUESTED)
    step = models.PositiveSmallIntegerField(default=1)
    source = models.CharField(max_length=10)  # web, api, operator, command, replay
    consent_version = models.PositiveIntegerField(default=0)
    legal_profile = models.SlugField(max_length=40)
    requested_at = models.DateTimeField()
    due_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True, blank=True)
    deleted = models.JSONField(default=dict, blank=True)  # label → rows
    verification = models.JSONField(null=True, blank=True)  # {"checked": {place: rows}, "residual": rows}
    certificate = models.JSONField(null=True, blank=True)
    signature = models.TextField(blank=True)
    public_key_id = models.CharField(max_length=64, blank=True)
    link_hash = models.CharField(max_length=64, unique=True)  # of the secret in the certificate's address

    personal_data = PersonalData(on_erasure=OnErasure.KEEP, export="erasures/erasures.jsonl", withheld=("link_hash",))

    class Meta:
        ordering = ("-requested_at",)
        verbose_name = _("erasure")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(completed_at=None) | Q(state=ErasureState.COMPLETED),
                name="erasure_completed_with_its_state",
            ),
            models.CheckConstraint(
                condition=~Q(state=ErasureState.COMPLETED) | Q(completed_at__isnull=False, verification__isnull=False),
                name="erasure_completed_after_its_probe",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user_id", "-requested_at"], name="my_erasures"),
            models.Index(fields=["due_at"], name="erasures_due", condition=Q(completed_at=None)),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Erasure %s") % self.pk

    @property
    def estimated_completion(self) -> datetime:
        """When the erasure is usually done; the legal term is ``due_at``."""
        return self.requested_at + USUALLY_DONE_WITHIN

    @property
    def kept(self) -> list[dict[str, Any]] | None:
        """What was left on purpose, and why; None before completion, and for certificates older than this field."""
        return self.certificate.get("kept") if self.certificate else None

    @property
    def last_minute(self) -> datetime:
        """The end of the term as people say it: ``due_at`` is the midnight that ends its last day."""
        return self.due_at - timedelta(minutes=1)


def _legal_step() -> Q:
    first = Q(step=1, previous=None, previous_step=None, state=ErasureState.REQUESTED)
    later = reduce(or_, (Q(previous=before, state=after) for before, after in LEGAL_STEPS))
    return first | (Q(step__gt=1, previous_step=F("step") - 1) & later)


class ErasureStep(models.Model):
    """One state that an erasure entered. The database refuses a step that is not legal from the one before:
    a check knows the legal pairs, and a foreign key ties ``previous`` to the step it follows.
    """

    tombstone = models.ForeignKey(Tombstone, on_delete=models.PROTECT, related_name="steps")
    user_id = models.UUIDField()
    step = models.PositiveSmallIntegerField()
    previous_step = models.PositiveSmallIntegerField(null=True, blank=True)
    # Null for the first step: a foreign key of several columns is not checked where one of them is null.
    previous = models.CharField(max_length=14, choices=ErasureState.choices, null=True, blank=True)  # noqa: DJ001
    state = models.CharField(max_length=14, choices=ErasureState.choices)
    reason = models.CharField(max_length=80, blank=True)  # an error's class and SQLSTATE, or what ran out
    at = models.DateTimeField()

    personal_data = PersonalData(on_erasure=OnErasure.KEEP, export="erasures/steps.jsonl", withheld=("reason",))

    class Meta:
        ordering = ("step",)
        constraints: ClassVar = [
            models.CheckConstraint(condition=_legal_step(), name="erasure_step_is_legal"),
            models.UniqueConstraint(fields=["tombstone", "step"], name="one_erasure_step_at_a_time"),
            models.UniqueConstraint(fields=["tombstone", "step", "state"], name="erasure_step_is_followed"),
        ]

    def __str__(self) -> str:
        return f"{self.tombstone_id} {self.step} {self.state}"


class ErasureFence(models.Model):
    """A fence of a running erasure: hides the user's rows that ``scope`` covers, up to ``before``, from everybody.

    Everybody can read fences, because the row-level policies of group rows look up their authors' fences. A fence is
    deleted when its erasure is complete.
    """

    class Covers(models.TextChoices):
        ACCOUNT = "account", _("everything")
        MEMORIES = "memories", _("what was learned")
        PROFILE = "profile", _("what was stated")
        SOURCES = "sources", _("the messages it was learned from")

    tombstone = models.ForeignKey(Tombstone, on_delete=models.PROTECT, related_name="fences")
    user_id = models.UUIDField()
    scope = models.CharField(max_length=10, choices=Covers.choices)
    before = models.DateTimeField()

    personal_data = PersonalData(kept=KeptFor.WORK)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tombstone", "scope"], name="one_fence_of_a_kind_per_erasure")
        ]
        indexes: ClassVar = [models.Index(fields=["user_id", "scope"], name="fence_of_a_person")]

    def __str__(self) -> str:
        return pgettext("row", "Fence of %s") % self.tombstone_id


class Erasable(models.Model):
    """A row that an erasure can name: it is hidden from everybody as soon as its ``tombstone_id`` is set.

    Subclasses use a ``VisibleManager`` as ``objects``; only erasures go through ``with_erased``.
    """

    tombstone_id = models.UUIDField(null=True, blank=True, editable=False)

    with_erased = models.Manager()

    class Meta:
        abstract = True
