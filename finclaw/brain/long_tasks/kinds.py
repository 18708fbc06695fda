"""The kinds of long tasks, in one place: how each is started, cancelled and failed, and what it has made so far.

Another kind is a row that is a ``LongTaskRow``, a leg of the view behind ``TaskStatus``, and an entry here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol
from uuid import UUID

from django.db import models
from django.utils import timezone

from consent.export.archive_job import fail_export
from consent.export.services import cancel_export, download_link, export_of, request_export
from consent.models import DataExport
from consent.permit import Permit
from consent.services import permit_for
from finclaw.brain.long_tasks.types import TaskFindings
from finclaw.brain.research.services import create_research_task
from finclaw.models import LongTaskKind
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.long_tasks import LongTaskRow
from memory.importing.file_imports import cancel_import, fail_import, import_of, request_import
from memory.models import ChatImport, ResearchTask
from memory.research import task_lifecycle


class LongTasks(Protocol):
    """What the service asks of each kind."""

    rows: models.Manager[Any]

    def start(self, permit: Permit, user: User, params: Mapping[str, Any]) -> UUID:
        """Queue a task and return its id; each kind says what starting it twice comes to."""

    def findings(self, permit: Permit, user: User, task_id: UUID) -> TaskFindings:
        """What the task has made so far. Raises ``NotFound``."""

    def cancel(self, permit: Permit, user: User, task_id: UUID) -> None:
        """Cancel the task unless it has ended. Raises ``NotFound``."""

    def fail(self, user_id: UUID, task_id: UUID, reason: str) -> None:
        """Fail the task unless it has ended; acts for its user."""


class ResearchTasks:
    """Research. ``params``: ``draft``, a ``TaskDraft``, whose ``id`` may name the task: twice, it is the same task."""

    rows: models.Manager[Any] = ResearchTask.objects

    def start(self, permit: Permit, user: User, params: Mapping[str, Any]) -> UUID:
        """Queue a piece of research. Raises what ``create_research_task`` raises."""
        draft = params["draft"]
        if draft.id and ResearchTask.objects.filter(pk=draft.id, user_id=permit.user_id).exists():
            return UUID(str(draft.id))
        return create_research_task(permit, user, draft).pk

    def findings(self, permit: Permit, user: User, task_id: UUID) -> TaskFindings:
        """Its parts while it runs; then the snapshot or checkpoint, or else the task itself, which holds its report."""
        task = task_lifecycle.task_of(permit, task_id)
        return TaskFindings(tuple(task.partial), {"parts": len(task.partial)}, _location_of(task))

    def cancel(self, permit: Permit, user: User, task_id: UUID) -> None:
        """Cancel it: at once if it is pending, before its next step if it is running."""
        task_lifecycle.request_cancel(permit, task_id)

    def fail(self, user_id: UUID, task_id: UUID, reason: str) -> None:
        """Fail it; what it had found stays."""
        with acting_as(user_id):
            task = ResearchTask.objects.filter(pk=task_id).first()
            if task is not None:
                task_lifecycle.fail_task(permit_for(User.objects.get(pk=user_id)), task, reason)


class ExportTasks:
    """Copies of a user's data. ``params``: ``source``, the door it was asked for at. A user has one at a time: a second
    one is the same task meanwhile.
    """

    rows: models.Manager[Any] = DataExport._default_manager

    def start(self, permit: Permit, user: User, params: Mapping[str, Any]) -> UUID:
        """Queue an export, or return the one that is under way."""
        return request_export(user, source=str(params["source"])).pk

    def findings(self, permit: Permit, user: User, task_id: UUID) -> TaskFindings:
        """Its download link once it is ready, until that expires."""
        export = export_of(user, task_id)
        link = download_link(export, timezone.now())
        return TaskFindings(
            counts={"bytes": export.size} if export.size else {},
            location=("export_download", {"token": link}) if link else None,
        )

    def cancel(self, permit: Permit, user: User, task_id: UUID) -> None:
        """Cancel it at once; no file is left."""
        cancel_export(user, task_id)

    def fail(self, user_id: UUID, task_id: UUID, reason: str) -> None:
        """Fail it."""
        fail_export(user_id, task_id, reason)


class ImportTasks:
    """Imports of chats. ``params``: ``file``, ``origin`` and ``program``. A user has one at a time: another is refused
    meanwhile.
    """

    rows: models.Manager[Any] = ChatImport._default_manager

    def start(self, permit: Permit, user: User, params: Mapping[str, Any]) -> UUID:
        """Store the file and queue its import; call outside any transaction. Raises what ``request_import`` raises."""
        return request_import(user, params["file"], origin=params["origin"], program=params.get("program", "")).pk

    def findings(self, permit: Permit, user: User, task_id: UUID) -> TaskFindings:
        """How much it has brought so far."""
        brought = import_of(user.pk, task_id)
        counts = {"conversations": brought.read, "recorded": brought.recorded, "known": brought.known}
        return TaskFindings(counts=counts, location=("import", {"import_id": brought.pk}))

    def cancel(self, permit: Permit, user: User, task_id: UUID) -> None:
        """Stop it at once; what it has brought stays, and can be undone."""
        cancel_import(user.pk, task_id)

    def fail(self, user_id: UUID, task_id: UUID, reason: str) -> None:
        """Fail it; handed in once more, it goes on where it stopped."""
        fail_import(user_id, task_id)


def _location_of(task: ResearchTask) -> tuple[str, Mapping[str, UUID | str]] | None:
    """The address of a task's result; None while there is none."""
    if not task.result_kind:
        return None
    if task.result_id and task.result_kind == ResearchTask.ResultKind.SNAPSHOT:
        return "snapshot", {"snapshot_id": task.result_id}
    if task.result_id and task.result_kind == ResearchTask.ResultKind.CHECKPOINT:
        return "checkpoint", {"checkpoint_id": task.result_id}
    return "task", {"task_id": task.pk}


KINDS: Final[Mapping[str, LongTasks]] = {
    LongTaskKind.RESEARCH: ResearchTasks(),
    LongTaskKind.EXPORT: ExportTasks(),
    LongTaskKind.IMPORT: ImportTasks(),
}


def rows_of(kind: str) -> models.QuerySet[LongTaskRow]:
    """The rows of a kind that the database role may see."""
    return KINDS[kind].rows.all()
