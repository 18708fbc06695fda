"""The interface to whatever an organisation's knowledge is kept in."""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from knowledge.types import Capability, KnowledgeBundle, Org


class KnowledgePort(Protocol):
    """A soft dependency: a turn goes on without it. No adapter ever reads a person's memory."""

    def search(self, query: str, org: Org) -> KnowledgeBundle:
        """What always holds for the organisation, and what bears on ``query``.

        Raises ``KnowledgeUnavailable`` when the store fails, ``KnowledgeTimedOut`` when it takes too long.
        """

    def may_know(self, tenant_id: UUID) -> bool:
        """Whether it is worth asking at all. Answers at once, from what the store remembers."""

    def capabilities(self) -> frozenset[Capability]:
        """What the store can do; nothing for one that is never to be asked."""
