"""A knowledge store without knowledge, for installations that need none."""

from __future__ import annotations

from knowledge.types import NOTHING, Capability, KnowledgeBundle, Org


class EmptyStore:
    """Finds nothing and declares no capabilities, so that it is never searched."""

    def search(self, query: str, org: Org) -> KnowledgeBundle:
        return NOTHING

    def capabilities(self) -> frozenset[Capability]:
        return frozenset()
