"""System checks of the settings of the projection into Qdrant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

from foundation.qdrant import is_configured, is_local


@register()
def a_projection_has_a_store(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """E001: memory is to be projected, and no store is named."""
    if settings.MEMORY_PROJECTION == "off" or is_configured():
        return []
    hint = "Set QDRANT_URL, or MEMORY_PROJECTION to off."
    return [Error("MEMORY_PROJECTION needs a vector store.", hint=hint, id="memory.E001")]


@register(Tags.security, deploy=True)
def processes_share_their_store(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """W001: memory is projected into a folder, which one process alone can open."""
    if settings.MEMORY_PROJECTION == "off" or not is_configured() or not is_local():
        return []
    hint = "Set QDRANT_URL: the web server and the worker are several processes."
    return [Warning("QDRANT_PATH serves a single process.", hint=hint, id="memory.W001")]
