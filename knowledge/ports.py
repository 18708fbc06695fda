"""The interface of stores that hold an organisation's knowledge."""

from __future__ import annotations

from typing import Protocol

from knowledge.types import Capability, KnowledgeBundle, Org


class KnowledgePort(Protocol):
    """A store of an organisation's knowledge. Answers can be made without it. No adapter reads a user's memory."""

    def search(self, query: str, org: Org) -> KnowledgeBundle:
        """The rules and tones that always hold for the organisation, and the facts that match ``query``.

        Raises ``KnowledgeUnavailable`` when the store fails, ``KnowledgeTimedOut`` when it takes too long.
        """

    def capabilities(self) -> frozenset[Capability]:
        """What the store can do; empty for one that is never searched."""
