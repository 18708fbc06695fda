"""What language models were used for, in sums a day: no row names a user, and none holds a word."""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from foundation.model_usage.durations import no_durations


class ModelUsage(models.Model):
    """The calls of one model for one purpose, on one day (UTC), by the users of one organisation or of none.

    ``failures`` are calls without a usable answer. ``input_tokens`` hold the ``cached_tokens``. ``cost`` is in the
    currency of ``MODEL_PRICES`` at the prices of the moment, without the ``unpriced_calls``, whose price nobody knows.
    The histograms count seconds by ``durations.BOUNDS``.
    """

    id = models.BigAutoField(primary_key=True)
    tenant = models.ForeignKey("accounts.Tenant", on_delete=models.CASCADE, null=True, related_name="+")
    day = models.DateField()
    kind = models.CharField(max_length=20)
    model_id = models.CharField(max_length=120)
    calls = models.BigIntegerField(default=0)
    failures = models.BigIntegerField(default=0)
    input_tokens = models.BigIntegerField(default=0)
    cached_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    cost = models.DecimalField(max_digits=20, decimal_places=9, default=Decimal)
    unpriced_calls = models.BigIntegerField(default=0)
    first_token = ArrayField(models.BigIntegerField(), default=no_durations)
    whole = ArrayField(models.BigIntegerField(), default=no_durations)

    class Meta:
        ordering = ("-day", "kind", "model_id")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tenant", "day", "kind", "model_id"], name="one_model_usage_a_day", nulls_distinct=False
            )
        ]
        indexes: ClassVar = [models.Index(fields=["day"], name="model_usage_by_day")]

    def __str__(self) -> str:
        return f"{self.day} {self.kind} {self.model_id}"
