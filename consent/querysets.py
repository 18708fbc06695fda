from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.db import models

if TYPE_CHECKING:
    from consent.models import ProfileConsent


class ProfileConsentQuerySet(models.QuerySet["ProfileConsent"]):
    def latest_of(self, user_id: UUID) -> ProfileConsent | None:
        """The consent that speaks for this user now, a revoked one included: one indexed lookup."""
        return self.filter(user_id=user_id).order_by("-version").first()
