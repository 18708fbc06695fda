"""The store that is pulled out: whatever converses, remembers and understands must do so without it (B-6)."""

from __future__ import annotations

from uuid import UUID

from knowledge.types import NOTHING, Capability, KnowledgeBundle, Org


class NothingStore:
    """Knows nothing and can do nothing, so that nobody asks it."""

    def search(self, query: str, org: Org) -> KnowledgeBundle:
        """Nothing."""
        return NOTHING

    def may_know(self, tenant_id: UUID) -> bool:
        """Never."""
        return False

    def capabilities(self) -> frozenset[Capability]:
        """None."""
        return frozenset()
