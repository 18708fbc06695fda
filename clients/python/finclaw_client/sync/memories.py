# Made of finclaw_client/aio by `make client`.
"""Memories, the jobs that learn them, events and portraits."""

from __future__ import annotations

from typing import Any, Final, Unpack

from finclaw_client import models
from finclaw_client.requests import path
from finclaw_client.sync.connection import Resource, poll
from finclaw_client.sync.rows import Rows

UNDER_WAY: Final = frozenset({"pending", "processing"})


class Memories(Resource):
    """What is remembered of the user."""

    def add(
        self, text: str | None = None, *, messages: list[models.AddedMessage] | None = None,
        session_id: str | None = None, group_id: str | None = None, key: str | None = None,
    ) -> models.LearningOutput:  # fmt: skip
        """Learn from a text or a conversation in the background; ``jobs.wait`` tells what was learned."""
        body = {"text": text, "messages": messages, "session_id": session_id, "group_id": group_id}
        return self._send(models.LearningOutput, "POST", "memories", body, key=key)

    def add_verbatim(
        self, text: str, *, metadata: dict[str, Any] | None = None,
        memory_type: models.AdditionInputMemoryTypeEnum | None = None, key: str | None = None,
    ) -> models.AddedOutput:  # fmt: skip
        """Keep the user's own words as they are, at once."""
        body = {"text": text, "infer": False, "metadata": metadata, "memory_type": memory_type}
        return self._send(models.AddedOutput, "POST", "memories", body, key=key)

    def search(self, **search: Unpack[models.MemorySearchInput]) -> models.FoundItemsOutput:
        """The memories that answer a question best; none where none is relevant."""
        return self._send(models.FoundItemsOutput, "POST", "memories/search", search)

    def list(self, **query: Unpack[models.MemoryListParametersQuery]) -> Rows[models.ItemOutput]:
        """The memories, latest first."""
        return Rows(self._connection, "memories", query)

    def get(self, memory_id: str, **query: Unpack[models.MemoryRetrieveParametersQuery]) -> models.ItemOutput:
        """One memory, whatever its state."""
        return self._get(models.ItemOutput, path("memories", memory_id), query)

    def update(self, memory_id: str, **correction: Unpack[models.PatchedCorrectionInput]) -> models.CorrectedOutput:
        """Correct it: the old version stays in its history, the new one is returned."""
        return self._send(models.CorrectedOutput, "PATCH", path("memories", memory_id), correction)

    def delete(
        self, memory_id: str, **query: Unpack[models.MemoryDeleteParametersQuery]
    ) -> models.DeletionReceiptOutput:
        """Forget it with everything derived from it. Invisible at once; the receipt leads to the certificate."""
        return self._send(models.DeletionReceiptOutput, "DELETE", path("memories", memory_id), query=query)

    def delete_all(self, *, confirm: str) -> models.DeletionReceiptOutput:
        """Forget everything learned. ``confirm`` is the user's name."""
        return self._send(models.DeletionReceiptOutput, "DELETE", "memories", {"confirm": confirm})

    def history(self, memory_id: str) -> models.HistoryOutput:
        """Every version and every change, each oldest first."""
        return self._get(models.HistoryOutput, path("memories", memory_id, "history"))

    def learned_from(self, message_id: str) -> models.LearnedOutput:
        """What a message taught, by its id or that of the answer to it."""
        return self._get(models.LearnedOutput, path("messages", message_id, "learned"))


class Jobs(Resource):
    """Work in the background, such as learning."""

    def get(self, job_id: str) -> models.JobOutput:
        """How far a job is, and its result."""
        return self._get(models.JobOutput, path("jobs", job_id))

    def wait(self, job_id: str, *, seconds: float = 30.0) -> models.JobOutput:
        """The job once it has ended, or as it is after ``seconds``."""
        return poll(lambda: self.get(job_id), lambda job: job["state"] not in UNDER_WAY, seconds)


class Events(Resource):
    """What happened in conversations, in words that need no context."""

    def search(self, **search: Unpack[models.EventSearchInput]) -> models.FoundEventsOutput:
        """The events that answer a question best; none where none is relevant."""
        return self._send(models.FoundEventsOutput, "POST", "events/search", search)

    def list(self, **query: Unpack[models.EventListParametersQuery]) -> Rows[models.EventOutput]:
        """The events, latest first."""
        return Rows(self._connection, "events", query)

    def get(self, event_id: str) -> models.EventPartsOutput:
        """One event with all its parts."""
        return self._get(models.EventPartsOutput, path("events", event_id))

    def delete(self, event_id: str, **query: Unpack[models.EventDeleteParametersQuery]) -> models.DeletionReceiptOutput:
        """Forget it in all perspectives."""
        return self._send(models.DeletionReceiptOutput, "DELETE", path("events", event_id), query=query)


class Profiles(Resource):
    """The portraits of the user and of their groups."""

    def get(self, entity_type: models.EntityTypeEnum = "user", entity_id: str = "me") -> models.ProfileOutput:
        """One portrait."""
        return self._get(models.ProfileOutput, path("entity-profiles", entity_type, entity_id))

    def search(self, **search: Unpack[models.ProfileSearchInput]) -> models.FoundProfilesOutput:
        """The portraits that answer a question best; none where none is relevant."""
        return self._send(models.FoundProfilesOutput, "POST", "entity-profiles/search", search)
