"""Memory items: what is learned of a user, in versions."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import ClassVar, Final
from uuid import UUID

from django.conf import settings
from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import ArrayField, RangeOperators
from django.db import models
from django.db.models import F, Func, Q, Value
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from consent.models import Erasable
from consent.querysets import VisibleManager
from foundation.accounts.models import ChatGroup
from foundation.ids import new_id
from foundation.personal_data import ConsentScope as ConsentScope
from foundation.personal_data import OnWithdrawal, PersonalData
from memory.confidence import PROVENANCE_CAPS
from memory.querysets import MemoryItemQuerySet

PROGRAM: Final = "program"
"""The key in ``provenance_detail`` for the name of the program that a memory came through."""
IMPORTED_FROM: Final = "imported_from"
"""The key for the source whose export held it: see ``memory.importing``."""
BROUGHT_BY: Final = "brought_by"
"""The key for the import whose archive held it."""


def _within_cap() -> Q:
    """The constraint that confidence never passes the cap of its provenance."""
    caps = [
        Q(provenance=provenance, confidence__gte=0, confidence__lte=cap) for provenance, cap in PROVENANCE_CAPS.items()
    ]
    return reduce(or_, caps)


class MemoryItem(Erasable):
    """One learned, versioned statement about a user, in version 1 of the item schema.

    Bi-temporal: ``valid_at``/``invalid_at`` say when it was true of the world, ``created_at``/``superseded_at`` when
    the system believed it. A change of its text is a new row of the same ``chain_id``; an old row is only closed.
    """

    class MemoryType(models.TextChoices):
        OBSERVATION = "observation", _("Observation")
        PREFERENCE = "preference", _("Preference")
        PATTERN = "pattern", _("Habit")
        INSIGHT = "insight", _("Insight")
        SUMMARY = "summary", _("Summary")
        PERSONA_PREFERENCE = "persona_preference", _("How I should speak")
        AGENT_EXPERIENCE = "agent_experience", _("Experience")

    class Provenance(models.TextChoices):
        OBSERVATION = "observation", _("mentioned in passing")
        ANALYSIS = "analysis", _("seen several times")
        CONFIRMED_BY_USER = "confirmed_by_user", _("told or confirmed by you")

    class EpistemicType(models.TextChoices):
        FACT = "fact", _("Fact")
        OPINION = "opinion", _("Opinion")
        PREFERENCE = "preference", _("Preference")
        OUTDATED = "outdated", _("Outdated")

    class State(models.TextChoices):
        ACTIVE = "active", _("In use")
        QUARANTINED = "quarantined", _("Not sure")
        SUPERSEDED = "superseded", _("Replaced")
        INVALID = "invalid", _("No longer true")

    class Scope(models.TextChoices):
        SESSION = "session", _("One conversation")
        PERSONAL = "personal", _("Personal")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    group = models.ForeignKey(ChatGroup, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    tenant_id = models.UUIDField(null=True, blank=True)  # the organisation of its user when it was written
    chain_id = models.UUIDField(default=new_id, editable=False)
    scope = models.CharField(max_length=10, choices=Scope.choices, default=Scope.PERSONAL)
    memory_type = models.CharField(max_length=20, choices=MemoryType.choices)
    epistemic_type = models.CharField(
        max_length=12, choices=EpistemicType.choices, default=EpistemicType.PREFERENCE
    )  # unmarked means preference
    category = models.CharField(max_length=60, blank=True)
    content = models.TextField()
    content_hash = models.CharField(max_length=64)
    attributes = models.JSONField(default=dict, blank=True)  # subject, slot, value and what a type adds
    state = models.CharField(max_length=12, choices=State.choices, default=State.ACTIVE)
    confidence = models.FloatField()
    provenance = models.CharField(max_length=20, choices=Provenance.choices)
    provenance_detail = models.JSONField(default=dict, blank=True)  # rule, source message ids, what changed
    source_sessions = ArrayField(models.UUIDField(), default=list, blank=True)
    version = models.PositiveIntegerField(default=1)
    superseded_by = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="supersedes"
    )
    valid_at = models.DateTimeField()
    invalid_at = models.DateTimeField(null=True, blank=True)
    superseded_at = models.DateTimeField(null=True, blank=True)
    last_validated_at = models.DateTimeField()
    # Counts from its receipts, updated as they close: the uses with a verdict of the user, those with a positive and
    # those with a negative one, how often in a row it was found but of no use (rejected, or not used), and how often in
    # a row it was injected and the answer used nothing of it.
    injection_count = models.PositiveIntegerField(default=0)
    positive_count = models.PositiveIntegerField(default=0)
    correction_count = models.PositiveIntegerField(default=0)
    miss_count = models.PositiveIntegerField(default=0)
    unused_count = models.PositiveIntegerField(default=0, db_default=0)
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField(default=timezone.now)  # not by counters: see ``MemoryItemQuerySet.update``

    objects = VisibleManager.from_queryset(MemoryItemQuerySet)()
    personal_data = PersonalData(
        scope=ConsentScope.MEMORY_LEARNING,
        on_withdrawal=OnWithdrawal.PURGE,
        export="memory_items/items.jsonl",
        memory="item",
        withheld=("content_hash",),
    )

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("memory")
        verbose_name_plural = _("memories")
        constraints: ClassVar = [
            models.CheckConstraint(condition=_within_cap(), name="item_confidence_within_cap"),
            models.CheckConstraint(condition=Q(version__gte=1), name="item_version_from_one"),
            models.CheckConstraint(
                condition=Q(invalid_at=None) | Q(invalid_at__gte=F("valid_at")), name="item_validity_forward"
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["superseded", "invalid"]) | Q(superseded_at__isnull=False), name="item_closed"
            ),
            models.UniqueConstraint(fields=["user", "chain_id", "version"], name="one_row_per_item_version"),
            models.UniqueConstraint(
                fields=["user", "chain_id"],
                condition=Q(superseded_at=None),
                name="one_open_version_per_chain",
            ),
            models.UniqueConstraint(
                fields=["user", "group", "content_hash"],
                condition=Q(superseded_at=None, tombstone_id=None),
                nulls_distinct=False,
                name="one_open_item_of_the_same_words",
            ),
            # An open first version is alone in its chain and cannot overlap: it stays out of the costly index.
            ExclusionConstraint(
                name="one_version_true_at_a_time",
                expressions=[
                    (Func("chain_id", "chain_id", Value("[]"), function="uuidrange"), RangeOperators.OVERLAPS),
                    (Func("valid_at", "invalid_at", function="tstzrange"), RangeOperators.OVERLAPS),
                ],
                condition=Q(version__gt=1) | Q(superseded_at__isnull=False),
            ),
        ]
        indexes: ClassVar = [
            # An erasure's receipt counts all visible rows. Row-level security has the same condition as this index, and
            # reads its type, so PostgreSQL counts from the index alone (100,000 items: 20 ms, from the table 150 ms).
            models.Index(
                fields=["user", "-created_at"],
                name="my_items",
                condition=Q(tombstone_id=None),
                include=["memory_type"],
            ),
            models.Index(fields=["user", "content_hash"], name="item_duplicates"),
            # For the few items in conflict among a user's hundred thousand.
            models.Index(
                fields=["user", "-created_at"],
                name="items_in_conflict",
                condition=Q(provenance_detail__has_key="may_change", superseded_at=None),
            ),
        ]

    @property
    def subject(self) -> str:
        """Whom or what the statement is about."""
        return str(self.attributes.get("subject", ""))

    @property
    def slot(self) -> str:
        """What the statement says of its subject ("likes", "home"); empty where no rule knows."""
        return str(self.attributes.get("slot", ""))

    @property
    def value(self) -> str:
        """The answer to its slot, in the speaker's words."""
        return str(self.attributes.get("value", ""))

    @property
    def message_ids(self) -> tuple[UUID, ...]:
        """The messages that taught or repeated it, the first said first."""
        return tuple(UUID(key) for key in self.provenance_detail.get("message_ids", ()))

    @property
    def program(self) -> str:
        """The name of the program it came through, "" for none."""
        return str(self.provenance_detail.get(PROGRAM, ""))

    @property
    def imported_from(self) -> str:
        """The source of the export that held it, "" for none."""
        return str(self.provenance_detail.get(IMPORTED_FROM, ""))

    def __str__(self) -> str:
        return pgettext("row", "Memory %s") % self.pk
