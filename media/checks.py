"""System checks of uploaded files: the storage's library is there, and the keys are no toys."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

LEAST_KEY_CHARS = 32


@register()
def files_can_be_stored(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """E001: ``MEDIA_STORAGE`` is "s3" without its library. E002: ``MEDIA_KEY`` is too short to be random."""
    messages: list[CheckMessage] = []
    if settings.MEDIA_STORAGE == "s3" and find_spec("storages") is None:
        messages.append(Error("MEDIA_STORAGE=s3 needs django-storages: run `make extras`.", id="media.E001"))
    if len(settings.MEDIA_KEY) < LEAST_KEY_CHARS:
        messages.append(Error(f"MEDIA_KEY needs {LEAST_KEY_CHARS} random characters or more.", id="media.E002"))
    return messages
