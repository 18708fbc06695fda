"""What every page of a person's may say of the installation."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def cognition(request: HttpRequest) -> dict[str, bool]:
    """``cognition_off``: whether no events and portraits are made, and none are recalled (M-46)."""
    return {"cognition_off": not settings.COGNITIVE_ENABLED}
