"""Memories that are simply there."""

from __future__ import annotations

from consent.permit import Permit
from memory.models import MemoryItem
from memory.services.history import Actor
from memory.services.items import write
from memory.services.versions import ItemDraft


def add_item(permit: Permit, draft: ItemDraft, *, actor: str = Actor.PIPELINE) -> MemoryItem:
    """The memory that stands for this statement."""
    return write(permit, draft, actor=actor).item
