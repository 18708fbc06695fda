"""Stores the legal terms for erasures."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _


class LegalProfile(models.Model):
    """A law's term for erasures: so many working or calendar days of a country, and when to be warned."""

    class SlaType(models.TextChoices):
        WORKING_DAYS = "working", _("working days")
        CALENDAR_DAYS = "calendar", _("calendar days")

    code = models.SlugField(max_length=40, primary_key=True)
    name = models.CharField(max_length=120)
    country = models.CharField(max_length=2, blank=True)  # ISO 3166-1; whose holidays count
    sla_type = models.CharField(max_length=8, choices=SlaType.choices, default=SlaType.WORKING_DAYS)
    deletion_sla_days = models.PositiveSmallIntegerField(default=15, validators=[MinValueValidator(1)])
    warn_pct = models.PositiveSmallIntegerField(default=25, validators=[MaxValueValidator(100)])
    critical_pct = models.PositiveSmallIntegerField(default=10, validators=[MaxValueValidator(100)])

    class Meta:
        ordering = ("code",)
        verbose_name = _("legal profile")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(critical_pct__lte=models.F("warn_pct")), name="critical_after_warning"
            ),
            models.CheckConstraint(condition=models.Q(deletion_sla_days__gte=1), name="at_least_one_day"),
        ]

    def __str__(self) -> str:
        return self.name
