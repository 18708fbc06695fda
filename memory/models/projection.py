"""The model of projections: copies of the search index's vectors in another store."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _


class Projection(models.Model):
    """A Qdrant collection with a point for each search entry embedded by one model.

    As long as there is a row, a trigger on search entries queues what changes. The walk that fills the collection
    keeps its place in ``walked_to``, the id of the last entry that it has written, so that it goes on after a kill.
    """

    class State(models.TextChoices):
        BUILDING = "building", _("Being built")
        SERVING = "serving", _("Searched")

    name = models.CharField(_("collection"), primary_key=True, max_length=120)
    model_id = models.CharField(max_length=80, unique=True)
    dimensions = models.PositiveIntegerField()
    state = models.CharField(_("state"), max_length=8, choices=State.choices, default=State.BUILDING)
    walked_to = models.UUIDField(null=True)
    written = models.PositiveBigIntegerField(_("entries walked"), default=0)  # those that the walk has passed
    walked_at = models.DateTimeField(_("filled"), null=True)  # when the walk was over
    # Of the last comparison: entries without their point, and points without their entry.
    missing = models.PositiveBigIntegerField(_("missing points"), null=True)
    surplus = models.PositiveBigIntegerField(_("surplus points"), null=True)
    compared_at = models.DateTimeField(_("compared"), null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("projection of memory")
        verbose_name_plural = _("projections of memory")
        ordering = ("created_at",)
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["state"], condition=models.Q(state="serving"), name="one_projection_is_searched"
            )
        ]

    def __str__(self) -> str:
        return self.name
