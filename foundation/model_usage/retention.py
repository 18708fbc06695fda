"""Deletes the usage of days long past."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.model_usage.models import ModelUsage


def delete_outdated() -> int:
    """Delete what is older than ``MODEL_USAGE_DAYS``; returns how many rows. For the schedule."""
    first = timezone.now().date() - timedelta(days=settings.MODEL_USAGE_DAYS)
    with in_role(WORKER_ROLE):
        deleted, _ = ModelUsage.objects.filter(day__lt=first).delete()
    return deleted
