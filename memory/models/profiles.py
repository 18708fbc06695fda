"""The model of portraits of users and groups, in revisions."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext
from simple_history.models import HistoricalRecords

from consent.models import Erasable
from consent.querysets import VisibleManager
from foundation.accounts.models import ChatGroup
from foundation.ids import new_id
from foundation.personal_data import ConsentScope, OnWithdrawal, PersonalData

CURRENT_MAKING = 2
"""The version of how portraits are made: 1 from events alone, 2 from memories. Older ones are rebuilt."""


class EntityProfile(Erasable):
    """The portrait of a user, or what one member contributed to a group's.

    A group's portrait is the union of its members' rows, so that the words of a member who leaves or is erased go with
    their row. ``body`` is rendered from ``lines``, each of which names the memories and events that it was made of:
    when these are erased, their lines are removed, here and in every revision. The front matter of an export comes from
    the other columns. ``entity_id`` is the id of the user or the group.
    """

    class EntityType(models.TextChoices):
        USER = "user", _("Person")
        GROUP = "group", _("Group")

    class Change(models.TextChoices):
        LEARNED = "learned", _("learned")
        EDITED = "edited", _("edited by you")
        ROLLED_BACK = "rolled_back", _("taken back to an earlier version")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    entity_type = models.CharField(max_length=5, choices=EntityType.choices)
    entity_id = models.UUIDField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    group = models.ForeignKey(ChatGroup, on_delete=models.PROTECT, null=True, related_name="+")
    name = models.CharField(max_length=120)
    tags = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    body = models.TextField(blank=True)
    lines = models.JSONField(default=list, blank=True)
    left_out = ArrayField(models.UUIDField(), default=list, blank=True)  # chains and events the user wants no line of
    made_by = models.PositiveSmallIntegerField(default=CURRENT_MAKING, db_default=CURRENT_MAKING)
    source_event_id = models.CharField(max_length=100, blank=True)  # of the latest event in it
    revision = models.PositiveIntegerField(default=1)
    change = models.CharField(max_length=11, choices=Change.choices)
    restored_revision = models.PositiveIntegerField(null=True, blank=True)  # the one taken back to
    consent_version = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    # The author of a version may be erased while the version stays: the history stores only their id, no foreign key.
    history = HistoricalRecords(
        cascade_delete_history=True, history_user_id_field=models.UUIDField(null=True, blank=True)
    )
    objects: ClassVar[VisibleManager[EntityProfile]] = VisibleManager()
    personal_data = PersonalData(
        scope=ConsentScope.MEMORY_LEARNING,
        on_withdrawal=OnWithdrawal.PURGE,
        export="profiles/portraits/{id}.md",
        memory="entity_profile",
        withheld=("lines",),  # the body says what they say
    )

    class Meta:
        verbose_name = _("portrait")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user", "entity_type", "group"],
                condition=models.Q(tombstone_id=None),  # a row being erased blocks no new one
                name="one_portrait_per_entity",
                nulls_distinct=False,
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["group"], name="portraits_of_group", condition=models.Q(group__isnull=False)),
        ]

    def __str__(self) -> str:
        return pgettext("row", "Portrait %s") % self.pk
