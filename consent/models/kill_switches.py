"""Switches with which operators turn a capability off, for one organisation or for everybody, until they lift them."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from foundation.accounts.models import Tenant
from foundation.ids import new_id


class Capability(models.TextChoices):
    """What can be switched off as a whole.

    Personalization: stored data about a user goes into prompts, or orders what they are offered. Learning: anything is
    written into memory. Research: tasks are created and run.
    """

    PERSONALIZATION = "personalization", pgettext_lazy("capability", "Personalization")
    LEARNING = "learning", pgettext_lazy("capability", "Learning")
    RESEARCH = "research", pgettext_lazy("capability", "Research")


class KillSwitch(models.Model):
    """One capability that is or was off. Each permit is read with the switches in force; no row is ever deleted."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    capability = models.CharField(_("what is off"), max_length=15, choices=Capability.choices)
    tenant = models.ForeignKey(
        Tenant,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("organisation"),
        help_text=_("Empty: for everybody."),
    )
    reason = models.CharField(_("reason"), max_length=200)
    thrown_by = models.UUIDField()
    thrown_at = models.DateTimeField()
    lifted_by = models.UUIDField(null=True, blank=True)
    lifted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-thrown_at",)
        verbose_name = _("kill switch")
        verbose_name_plural = _("kill switches")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["capability", "tenant"],
                condition=models.Q(lifted_at=None),
                nulls_distinct=False,
                name="one_standing_kill_switch",
            )
        ]

    def __str__(self) -> str:
        return f"{self.capability} {self.pk}"
