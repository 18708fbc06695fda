"""The interface to whatever an organisation's knowledge is kept in."""

from __future__ import annotations

from typing import Protocol

from knowledge.types import Capability, KnowledgeBundle, Org


class KnowledgePort(Protocol):
    """An organisation's knowledge. Optional: turns go on without it. No adapter reads a user's memory."""

    def search(self, query: str, org: Org) -> KnowledgeBundle:
        """The rules and tones that always hold for the organisation, and the facts that match ``query``.

        Raises ``KnowledgeUnavailable`` when the store fails, ``KnowledgeTimedOut`` when it takes too long.
        """

    def capabilities(self) -> frozenset[Capability]:
        """What the store can do; empty for one that is never searched."""
