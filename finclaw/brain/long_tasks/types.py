"""What the service of long tasks answers: a task's result so far, and the receipt of a cancellation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID


class CancelOutcome(StrEnum):
    """What a request to cancel a task came to."""

    CANCELLED = "cancelled"  # it ended at once
    STOPPING = "stopping"  # it ends before its next step
    OVER = "over"  # it had ended before


@dataclass(frozen=True)
class CancelReceipt:
    """What became of a request to cancel a task; ``state`` is the task's, as it is now."""

    task_id: UUID
    kind: str
    outcome: CancelOutcome
    state: str
    cancelled_at: datetime | None


@dataclass(frozen=True)
class TaskFindings:
    """What a task has made so far.

    ``parts`` are what its steps found while it runs, or before it failed or was cancelled. ``location`` names the
    object that a completed task made: the name of its address in the API, and the ids in it.
    """

    parts: tuple[Mapping[str, Any], ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    location: tuple[str, Mapping[str, UUID | str]] | None = None


@dataclass(frozen=True)
class TaskResult:
    """A task's result: whole once it is completed, else what there is of it."""

    task_id: UUID
    kind: str
    state: str
    is_whole: bool
    findings: TaskFindings
