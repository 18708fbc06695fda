"""Memories, the jobs that learn them, events and portraits."""

from __future__ import annotations

from typing import Any, Final, Unpack

from finclaw_client import models
from finclaw_client.aio.connection import AsyncResource, poll
from finclaw_client.aio.rows import AsyncRows
from finclaw_client.requests import path

UNDER_WAY: Final = frozenset({"pending", "processing"})


class AsyncMemories(AsyncResource):
    """What is remembered of the user."""

    async def add(
        self, text: str | None = None, *, messages: list[models.AddedMessage] | None = None,
        session_id: str | None = None, group_id: str | None = None, key: str | None = None,
    ) -> models.LearningOutput:  # fmt: skip
        """Learn from a text or a conversation in the background; ``jobs.wait`` tells what was learned."""
        body = {"text": text, "messages": messages, "session_id": session_id, "group_id": group_id}
        return await self._send(models.LearningOutput, "POST", "memories", body, key=key)

    async def add_verbatim(
        self, text: str, *, metadata: dict[str, Any] | None = None,
        memory_type: models.AdditionInputMemoryTypeEnum | None = None, key: str | None = None,
    ) -> models.AddedOutput:  # fmt: skip
        """Keep the user's own words as they are, at once."""
        body = {"text": text, "infer": False, "metadata": metadata, "memory_type": memory_type}
        return await self._send(models.AddedOutput, "POST", "memories", body, key=key)

    async def search(self, **search: Unpack[models.MemorySearchInput]) -> models.FoundItemsOutput:
        """The memories that answer a question best; none where none is relevant."""
        return await self._send(models.FoundItemsOutput, "POST", "memories/search", search)

    def list(self, **query: Unpack[models.MemoryListParametersQuery]) -> AsyncRows[models.ItemOutput]:
        """The memories, latest first."""
        return AsyncRows(self._connection, "memories", query)

    async def get(self, memory_id: str, **query: Unpack[models.MemoryRetrieveParametersQuery]) -> models.ItemOutput:
        """One memory, whatever its state."""
        return await self._get(models.ItemOutput, path("memories", memory_id), query)

    async def update(
        self, memory_id: str, **correction: Unpack[models.PatchedCorrectionInput]
    ) -> models.CorrectedOutput:
        """Correct it: the old version stays in its history, the new one is returned."""
        return await self._send(models.CorrectedOutput, "PATCH", path("memories", memory_id), correction)

    async def delete(
        self, memory_id: str, **query: Unpack[models.MemoryDeleteParametersQuery]
    ) -> models.DeletionReceiptOutput:
        """Forget it with everything derived from it. Invisible at once; the receipt leads to the certificate."""
        return await self._send(models.DeletionReceiptOutput, "DELETE", path("memories", memory_id), query=query)

    async def delete_all(self, *, confirm: str) -> models.DeletionReceiptOutput:
        """Forget everything learned. ``confirm`` is the user's name."""
        return await self._send(models.DeletionReceiptOutput, "DELETE", "memories", {"confirm": confirm})

    async def history(self, memory_id: str) -> models.HistoryOutput:
        """Every version and every change, each oldest first."""
        return await self._get(models.HistoryOutput, path("memories", memory_id, "history"))

    async def learned_from(self, message_id: str) -> models.LearnedOutput:
        """What a message taught, by its id or that of the answer to it."""
        return await self._get(models.LearnedOutput, path("messages", message_id, "learned"))


class AsyncJobs(AsyncResource):
    """Work in the background, such as learning."""

    async def get(self, job_id: str) -> models.JobOutput:
        """How far a job is, and its result."""
        return await self._get(models.JobOutput, path("jobs", job_id))

    async def wait(self, job_id: str, *, seconds: float = 30.0) -> models.JobOutput:
        """The job once it has ended, or as it is after ``seconds``."""
        return await poll(lambda: self.get(job_id), lambda job: job["state"] not in UNDER_WAY, seconds)


class AsyncEvents(AsyncResource):
    """What happened in conversations, in words that need no context."""

    async def search(self, **search: Unpack[models.EventSearchInput]) -> models.FoundEventsOutput:
        """The events that answer a question best; none where none is relevant."""
        return await self._send(models.FoundEventsOutput, "POST", "events/search", search)

    def list(self, **query: Unpack[models.EventListParametersQuery]) -> AsyncRows[models.EventOutput]:
        """The events, latest first."""
        return AsyncRows(self._connection, "events", query)

    async def get(self, event_id: str) -> models.EventPartsOutput:
        """One event with all its parts."""
        return await self._get(models.EventPartsOutput, path("events", event_id))

    async def delete(
        self, event_id: str, **query: Unpack[models.EventDeleteParametersQuery]
    ) -> models.DeletionReceiptOutput:
        """Forget it in all perspectives."""
        return await self._send(models.DeletionReceiptOutput, "DELETE", path("events", event_id), query=query)


class AsyncProfiles(AsyncResource):
    """The portraits of the user and of their groups."""

    async def get(self, entity_type: models.EntityTypeEnum = "user", entity_id: str = "me") -> models.ProfileOutput:
        """One portrait."""
        return await self._get(models.ProfileOutput, path("entity-profiles", entity_type, entity_id))

    async def search(self, **search: Unpack[models.ProfileSearchInput]) -> models.FoundProfilesOutput:
        """The portraits that answer a question best; none where none is relevant."""
        return await self._send(models.FoundProfilesOutput, "POST", "entity-profiles/search", search)
