"""Imports of export files: requests, progress, and the background job that stores the conversations."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple
from uuid import UUID

import structlog
from django.db import IntegrityError
from django.db.models import QuerySet
from django.utils import timezone, translation
from django.utils.translation import gettext

from consent.models import ErasureScope, Tombstone
from consent.permit import Permit
from consent.services import learning_permit, permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, commit_without_waiting, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import require_found
from foundation.ids import new_id
from foundation.long_tasks import announce_end
from foundation.outbox import services as outbox
from foundation.outbox.exceptions import LostLease, WorkSuspended
from foundation.outbox.jobs import Job
from foundation.personal_data import ConsentScope
from memory.erasure.targets import items_brought_by
from memory.importing import uploaded_files
from memory.importing.archives.archive_file import is_archive, opened_archive, require_valid_archive
from memory.importing.archives.archive_storage import Step, StepOutcome, require_readable, steps_of
from memory.importing.archives.past_consents import past_consents
from memory.importing.chats.chat_storage import StorageCounts, store_chat
from memory.importing.chats.exceptions import BrokenFile, FileTooLarge, ImportRefused, ImportUnderWay
from memory.importing.chats.export_archives import chats_in
from memory.importing.chats.exported_chats import OWN_ARCHIVE
from memory.importing.chats.portions import Part, portions
from memory.importing.chats.refusal_reasons import RefusalReason, describe_refusal
from memory.models import ChatImport, Session
from memory.models.imports import UNFINISHED

IMPORT_TOPIC = "memory.import_chats"
ORPHAN_AFTER: Final = timedelta(hours=1)
STORED_AT_ONCE: Final = 120
"""The most that one transaction stores, see ``portions``: other writers to the account wait a tenth of a second."""
State = ChatImport.State
log = structlog.get_logger(__name__)


def request_import(user: User, file: BinaryIO, *, origin: str, program: str = "") -> ChatImport:
    """Store an uploaded export file and queue its check and import. To be called outside any transaction.

    ``program`` is the key in ``SOURCES`` of the program that wrote it; with "" the file is examined to find out.

    Raises ``ProfileConsentRequired``, ``ConsentScopeMissing``, ``ImportUnderWay`` and ``FileTooLarge``.
    """
    with acting_as(user.pk):
        _require_allowed(permit_for(user), user)
    import_id = new_id()
    size = uploaded_files.store_upload(user.pk, import_id, file)
    try:
        with acting_as(user.pk):
            _require_allowed(permit_for(user), user)
            wanted = ChatImport.objects.create(id=import_id, user=user, origin=origin, assistant=program, size=size)
            outbox.enqueue(
                IMPORT_TOPIC,
                user_id=user.pk,
                payload={"import": str(import_id)},
                scope=ConsentScope.MEMORY_LEARNING.value,
                key=import_id,
            )
            return wanted
    except IntegrityError:
        uploaded_files.remove(user.pk, import_id)
        raise ImportUnderWay() from None
    except BaseException:
        uploaded_files.remove(user.pk, import_id)
        raise


def _require_allowed(permit: Permit, user: User) -> None:
    permit.require_decision()
    permit.require(ConsentScope.MEMORY_LEARNING)
    if imports_of(user.pk).filter(state__in=UNFINISHED).exists():
        raise ImportUnderWay()
    if _undo_is_under_way(user.pk):
        raise ImportUnderWay(gettext("What an import brought in is still being forgotten. Try again in a few minutes."))


def _undo_is_under_way(user_id: UUID) -> bool:
    """Whether rows of an undone import still exist: visible ones, or hidden ones that are being erased.

    A new import would count the visible ones as known although they will be erased, and collide with the hidden ones.
    """
    undone = imports_of(user_id).filter(state=State.UNDONE).values_list("pk", flat=True)
    erasures = Tombstone.objects.filter(user_id=user_id, scope=ErasureScope.IMPORT, completed_at=None)
    return is_anything_visible(user_id, list(undone)) or erasures.exists()


def is_anything_visible(user_id: UUID, import_ids: Collection[UUID]) -> bool:
    """Whether anything that these imports of the person's brought is still visible."""
    began = Session.objects.filter(user_id=user_id, brought_by__in=import_ids)
    return began.exists() or items_brought_by(user_id, import_ids).exists()


def imports_of(user_id: UUID) -> QuerySet[ChatImport]:
    """The person's imports, the latest first. To be read while acting for them."""
    return ChatImport.objects.filter(user_id=user_id).order_by("-created_at")


def import_of(user_id: UUID, import_id: UUID) -> ChatImport:
    """One of the person's imports. Raises ``NotFound``, for another's too."""
    return require_found(imports_of(user_id).filter(pk=import_id).first())


def run_import(job: Job) -> None:
    """Check the whole file, then store its conversations; a repeated job continues where the last attempt stopped."""
    import_id = UUID(job.payload["import"])
    with job.acting():
        _set(import_id, State.CHECKING, reason="", reason_details={})
        wanted = ChatImport.objects.select_related("user").filter(pk=import_id, state=State.CHECKING).first()
    if wanted is None or not uploaded_files.path_of(job.user_id, import_id).exists():
        _end(job, import_id, State.FAILED, BrokenFile(RefusalReason.FILE_GONE))
        return
    try:
        _check(job, wanted)
        completed = _store(job, wanted)
    except (BrokenFile, FileTooLarge) as error:
        _end(job, import_id, State.REFUSED, error)
        return
    except (WorkSuspended, LostLease):
        raise  # the import is not this worker's to end
    except Exception as error:
        if job.message.is_last_attempt:
            log.warning("import_failed", error=type(error).__name__)
            fail_import(job.user_id, import_id)
            uploaded_files.remove(job.user_id, import_id)
        raise
    if completed:
        _end(job, import_id, State.DONE)
    else:
        _end(job, import_id, State.FAILED, BrokenFile(RefusalReason.LEARNING_OFF))


def _check(job: Job, wanted: ChatImport) -> None:
    """Read the file to its end before anything of it is stored. Raises ``BrokenFile``, ``FileTooLarge``."""
    path = uploaded_files.path_of(job.user_id, wanted.pk)
    if wanted.assistant == OWN_ARCHIVE or (not wanted.assistant and is_archive(path)):
        found = _checked_archive(wanted.user, path)
    else:
        found = _checked_chats(path, wanted.assistant)
    with job.acting():
        outbox.require_lease(job.message)
        _set(wanted.pk, State.STORING, **found._asdict() | {"past_consents": list(found.past_consents)})
    wanted.assistant = found.assistant


class _Checked(NamedTuple):
    """What a file holds: how many conversations, and how many messages or, in an archive, rows of any table."""

    conversations: int
    messages: int
    assistant: str
    past_consents: Sequence[Any] = ()


def _checked_archive(user: User, path: Path) -> _Checked:
    require_valid_archive(path)
    with opened_archive(path) as archive:
        return _Checked(*require_readable(user, archive), OWN_ARCHIVE, past_consents(archive))


def _checked_chats(path: Path, program: str) -> _Checked:
    conversations = messages = 0
    for _, chat in chats_in(path, program):
        conversations += not chat.holds_statements
        messages += len(chat.messages)
        program = program or chat.source
    return _Checked(conversations, messages, program)


def _store(job: Job, wanted: ChatImport) -> bool:
    """Store everything; returns False if a withdrawal of consent, a cancellation or an undo stopped it."""
    read, stored = 0, StorageCounts()
    for step in _steps(wanted, uploaded_files.path_of(job.user_id, wanted.pk)):
        with job.acting():
            outbox.require_lease(job.message)
            permit = learning_permit(job.user_id)
            if permit is None or not _report(wanted.pk, read, stored):
                return False
            commit_without_waiting()  # what a crash loses is stored by the next attempt
            counts, ended = step(permit)
            stored += counts
            read += ended
    with job.acting():
        _report(wanted.pk, read, stored)
    return True


def _steps(wanted: ChatImport, path: Path) -> Iterator[Step]:
    """The steps of an import, each for one transaction."""
    if wanted.assistant == OWN_ARCHIVE:
        with opened_archive(path) as archive:
            yield from steps_of(wanted, archive)
    else:
        chats = (chat for _, chat in chats_in(path, wanted.assistant))
        for portion in portions(chats, STORED_AT_ONCE):
            yield partial(_store_portion, wanted, portion)


def _store_portion(wanted: ChatImport, portion: Sequence[Part], permit: Permit) -> StepOutcome:
    stored = sum((store_chat(permit, wanted, part.chat) for part in portion), StorageCounts())
    return StepOutcome(stored, sum(part.ends_chat and not part.chat.holds_statements for part in portion))


def _report(import_id: UUID, read: int, stored: StorageCounts) -> bool:
    """Record how far an import is; returns whether it is still running."""
    running = ChatImport.objects.filter(pk=import_id, state=State.STORING)
    return bool(running.update(read=read, recorded=stored.recorded, known=stored.known, left_out=stored.left_out))


def _set(import_id: UUID, state: ChatImport.State, **fields: object) -> int:
    """Set the state of an unfinished import; one that has ended stays as it is. Returns how many rows changed."""
    return ChatImport.objects.filter(pk=import_id, state__in=UNFINISHED).update(state=state, **fields)


def _end(job: Job, import_id: UUID, state: ChatImport.State, refusal: ImportRefused | None = None) -> None:
    details = refusal.refusal if refusal else {}
    with translation.override("en"):
        reason = describe_refusal(details) if details else ""
    with job.completing():
        _finish(job.user_id, import_id, state, reason=reason, reason_details=details)
    uploaded_files.remove(job.user_id, import_id)


def _finish(user_id: UUID, import_id: UUID, state: ChatImport.State, **fields: object) -> bool:
    """End an unfinished import and announce it; returns False for one that has ended already."""
    ended = bool(_set(import_id, state, finished_at=timezone.now(), **fields))
    if ended:
        announce_end(ChatImport.objects.all(), user_id, import_id, by_user=state == State.CANCELLED)
    return ended


def fail_import(user_id: UUID, import_id: UUID) -> bool:
    """Mark an unfinished import as failed; returns False for one that has ended."""
    with acting_as(user_id):
        return _finish(user_id, import_id, State.FAILED)


def cancel_import(user_id: UUID, import_id: UUID) -> bool:
    """Stop an unfinished import; returns False for one that has ended. Call acting for its user.

    What it has brought by then stays, and can be undone. Raises ``NotFound``.
    """
    return _finish(user_id, import_of(user_id, import_id).pk, State.CANCELLED)


def mark_undone(import_id: UUID) -> None:
    """Note that what an import brought is being forgotten, and stop it if it runs. Call acting for its person."""
    ChatImport.objects.filter(pk=import_id).update(state=State.UNDONE, finished_at=timezone.now())


def files_of(user_id: UUID) -> list[Path]:
    """Every uploaded file of the person's that still lies there; asks no database."""
    return uploaded_files.files_of(user_id)


def remove_files_of(user_id: UUID) -> int:
    """Delete every uploaded file of the person's; answers how many. One that was being read has failed."""
    with acting_as(user_id):
        imports_of(user_id).filter(state__in=UNFINISHED).update(state=State.FAILED, finished_at=timezone.now())
    return uploaded_files.remove_files_of(user_id)


def sweep() -> int:
    """Delete files that no import waits to read; returns how many. For the schedule."""
    with in_role(OPERATOR_ROLE):
        unfinished = list(ChatImport.objects.filter(state__in=UNFINISHED).values_list("pk", flat=True))
    return uploaded_files.remove_orphans(unfinished, timezone.now() - ORPHAN_AFTER)
