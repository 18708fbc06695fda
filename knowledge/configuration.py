"""Loads the knowledge store that the settings name."""

from __future__ import annotations

from functools import lru_cache

from django.conf import settings
from django.utils.module_loading import import_string

from knowledge.ports import KnowledgePort


def configured_store() -> KnowledgePort:
    """The store of ``KNOWLEDGE_STORE``, one instance in a process."""
    return _load_store(settings.KNOWLEDGE_STORE)


@lru_cache(maxsize=8)
def _load_store(path: str) -> KnowledgePort:
    store: KnowledgePort = import_string(path)()
    return store
