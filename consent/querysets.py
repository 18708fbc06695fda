from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from django.apps import apps
from django.contrib.postgres.expressions import ArraySubquery
from django.db import models
from django.db.models import OuterRef

if TYPE_CHECKING:
    from consent.models import ProfileConsent


Row = TypeVar("Row", bound=models.Model, covariant=True)


class VisibleManager(models.Manager[Row]):
    """Rows that no erasure has named. Row-level security says the same to whoever goes around it."""

    def get_queryset(self) -> models.QuerySet[Row]:
        return super().get_queryset().filter(tombstone_id=None)


class ProfileConsentQuerySet(models.QuerySet["ProfileConsent"]):
    def latest_of(self, user_id: UUID) -> ProfileConsent | None:
        """The consent that speaks for this user now, a revoked one included: one indexed lookup."""
        return self.filter(user_id=user_id).order_by("-version").first()

    def with_fences_of(self, user_id: UUID) -> tuple[ProfileConsent | None, tuple[str, ...]]:
        """``latest_of``, and the kinds of fence around the person's data now: still one query."""
        fences = apps.get_model("consent", "ErasureFence")._default_manager.filter(user_id=OuterRef("user_id"))
        consent = self.annotate(fences=ArraySubquery(fences.values("scope"))).latest_of(user_id)
        return consent, tuple(getattr(consent, "fences", ()))
