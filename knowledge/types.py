"""Types of knowledge that other packages receive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

Capability = Literal["full_text"]


@dataclass(frozen=True)
class Org:
    """An organisation, and a user's tier in it (``org_tier``)."""

    tenant_id: UUID
    tier: str


@dataclass(frozen=True)
class Snippet:
    """One entry found. ``kind`` is rule, tone or fact; ``score`` orders facts, and is 1 for what always holds."""

    id: UUID
    kind: str
    subject: str
    slot: str
    text: str
    source: str
    version: int
    score: float


@dataclass(frozen=True)
class KnowledgeBundle:
    """What a store returns: snippets, rules before tones before facts, facts best first.

    ``cache_version`` changes with every change of the organisation's knowledge; "" if there is nothing to cache.
    """

    snippets: tuple[Snippet, ...] = ()
    stores_used: tuple[str, ...] = ()
    cache_version: str = ""


NOTHING = KnowledgeBundle()
