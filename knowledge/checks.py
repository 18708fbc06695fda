"""System check: the configured knowledge store can be imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, register

from knowledge.configuration import configured_store


@register()
def the_knowledge_store_is_there(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """E001: ``KNOWLEDGE_STORE`` names nothing that can be imported."""
    try:
        configured_store()
    except ImportError:
        hint = "Set KNOWLEDGE_STORE to the dotted path of a store's class."
        return [Error("The knowledge store cannot be imported.", hint=hint, id="knowledge.E001")]
    return []
