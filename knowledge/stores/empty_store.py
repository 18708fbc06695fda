"""A knowledge store without knowledge, for installations that need none."""

from __future__ import annotations

from uuid import UUID

from knowledge.types import NOTHING, Capability, KnowledgeBundle, Org


class EmptyStore:
    """Finds nothing and declares no capabilities, so that it is never searched."""

    def search(self, query: str, org: Org) -> KnowledgeBundle:
        return NOTHING

    def may_know(self, tenant_id: UUID) -> bool:
        return False

    def capabilities(self) -> frozenset[Capability]:
        return frozenset()
