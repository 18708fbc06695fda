"""System checks: the configured knowledge stores can be imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, register

from knowledge.configuration import configured_graph, configured_store, configured_vectors


@register()
def the_knowledge_stores_are_there(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """E001 to E003: ``KNOWLEDGE_STORE``, ``KNOWLEDGE_VECTOR_STORE`` or ``KNOWLEDGE_GRAPH`` cannot be imported."""
    errors: list[CheckMessage] = []
    loaded = {"KNOWLEDGE_STORE": configured_store, "KNOWLEDGE_VECTOR_STORE": configured_vectors,
              "KNOWLEDGE_GRAPH": configured_graph}  # fmt: skip
    for number, (setting, load) in enumerate(loaded.items(), 1):
        try:
            load()
        except ImportError as error:
            hint = f"Set {setting} to the dotted path of a store's class. {error}"
            errors.append(Error(f"{setting} cannot be imported.", hint=hint, id=f"knowledge.E00{number}"))
    return errors
