"""The door through which a conversation reads and writes what is remembered of its user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, Literal, Protocol
from uuid import UUID, uuid5

from consent.permit import Permit
from foundation.accounts.models import User
from foundation.ids import new_id
from memory.historian import archival
from memory.models import MemoryItem, Session
from memory.retrieval.services import EmbeddedQuery, search_each
from memory.services import item_decisions, sessions
from memory.services.history import changes_of
from memory.services.item_queries import item_of
from memory.types import SearchQuery, SearchResult

WriteStatus = Literal["accepted", "rejected", "merged"]
_STATUS: Final[Mapping[str, WriteStatus]] = MappingProxyType({"ADD": "accepted", "NONE": "rejected"})
"""The status by what a write did; whatever else it did, it joined a memory that was there."""


@dataclass(frozen=True)
class Observation:
    """A statement about the user, in their own words, to be kept word for word.

    ``memory_type`` is one of ``STATED_KINDS``; ``replaces`` the memory that it corrects; ``program`` is the name of the
    program that handed it in.
    """

    content: str
    memory_type: str = MemoryItem.MemoryType.INSIGHT
    metadata: Mapping[str, Any] = field(default_factory=dict)
    replaces: UUID | None = None
    program: str = ""


@dataclass(frozen=True)
class WriteReceipt:
    """What became of an observation: ``memory_id`` is the memory that now stands for it.

    ``merged`` into one that said so already, or ``rejected``, as there was nothing to write. ``receipt_id`` is the id
    of the change in that memory's history, where there is one.
    """

    receipt_id: UUID
    memory_id: UUID
    written_at: datetime
    status: WriteStatus


@dataclass(frozen=True)
class ArchiveReceipt:
    """A conversation that was archived; archived once more it gets the same receipt."""

    receipt_id: UUID
    session_id: UUID
    archived_at: datetime


class MemoryCorePort(Protocol):
    """Memory as a conversation needs it. Without it there is no conversation. Call acting for the user.

    Each call takes the consent that holds, and reads and writes no more than that allows.
    """

    def read_personal_memories(
        self, permit: Permit, queries: Sequence[SearchQuery], question: EmbeddedQuery
    ) -> list[SearchResult]:
        """What bears on a question, for each query, best first. Raises ``MemoryUnavailable``."""

    def write_observation(self, permit: Permit, observation: Observation) -> WriteReceipt:
        """Keep a statement, at once.

        Raises ``ConsentScopeMissing``, ``SensitiveInput``, ``ValidationFailed`` for nothing or too much, and
        ``NotFound`` for a memory to correct that is not open.
        """

    def get_session(self, permit: Permit, session_id: UUID) -> Session:
        """A conversation in the user's reach. Raises ``NotFound``."""

    def archive_session(self, permit: Permit, user: User, session_id: UUID) -> ArchiveReceipt:
        """Close a conversation for new messages; where learning is allowed, what was told in it becomes events.

        Raises ``NotFound``.
        """


class MemoryCore:
    """Memory as PostgreSQL keeps it."""

    def read_personal_memories(
        self, permit: Permit, queries: Sequence[SearchQuery], question: EmbeddedQuery
    ) -> list[SearchResult]:
        return search_each(permit, queries, question)

    def write_observation(self, permit: Permit, observation: Observation) -> WriteReceipt:
        if observation.replaces is not None:
            item = item_decisions.correct(permit, observation.replaces, observation.content)
            former = item_of(permit, observation.replaces)
            return _write_receipt(permit, item, "accepted" if item.chain_id == former.chain_id else "merged")
        kept = item_decisions.store_statement(
            permit, observation.content, metadata=observation.metadata, memory_type=observation.memory_type,
            program=observation.program,
        )  # fmt: skip
        return _write_receipt(permit, kept.item, _STATUS.get(kept.event, "merged"))

    def get_session(self, permit: Permit, session_id: UUID) -> Session:
        return sessions.session_of(permit, session_id)

    def archive_session(self, permit: Permit, user: User, session_id: UUID) -> ArchiveReceipt:
        session = archival.archive_session(permit, user, self.get_session(permit, session_id))
        if session.archived_at is None:
            raise ValueError("an archived conversation says when it was")
        return ArchiveReceipt(uuid5(session.pk, session.archived_at.isoformat()), session.pk, session.archived_at)


def _write_receipt(permit: Permit, item: MemoryItem, status: WriteStatus) -> WriteReceipt:
    change = changes_of(permit, item).last() if status != "rejected" else None
    return WriteReceipt(change.pk if change else new_id(), item.pk, item.updated_at, status)


MEMORY: Final[MemoryCorePort] = MemoryCore()
