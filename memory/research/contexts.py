"""Reads and stores the stated context of a thread, and of one task's run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.forms.models import model_to_dict
from django.utils import timezone

from consent.permit import Permit
from consent.services import hold_permit, scope_held_since
from foundation.ids import new_id
from foundation.personal_data import ConsentScope
from foundation.telemetry.memory_operations import report_blocked, report_deleted, report_written
from memory.models import ResearchTask, TaskContext, Thread, ThreadContext, UserContext
from memory.models.contexts import TASK_CONTEXT_KEPT, KeptContext, StatedContext
from memory.research.profile_context import (
    FIELDS,
    FINANCIAL,
    HOW_TO_ANSWER,
    checked_fields,
    profile_context,
    require_confirmed,
    slices_of,
)
from memory.research.types import KeptNote, ResearchStatement, as_json
from memory.research.write_guards import require_open

Stated = Mapping[str, str]


def contexts_of_thread(permit: Permit, thread: Thread) -> QuerySet[ThreadContext]:
    """Everything stated for a thread, the oldest first, whether or not it may still be used."""
    return ThreadContext.objects.filter(thread=thread, user_id=permit.user_id).order_by("created_at", "id")


def effective_thread_context(permit: Permit, thread: Thread, as_of: datetime | None = None) -> Stated:
    """The latest usable value of each field stated for a thread; fields without one are left out.

    Nothing without ``save_to_thread``, nothing blocked, nothing from before the scope was last granted, and nothing
    financial that was not confirmed. With ``as_of`` nothing that was stated later.
    """
    if not permit.allows(ConsentScope.SAVE_TO_THREAD):
        return {}
    since = scope_held_since(permit.user_id, ConsentScope.SAVE_TO_THREAD)
    usable = contexts_of_thread(permit, thread).filter(consent_blocked=False, consent_version__gte=since)
    if as_of is not None:
        usable = usable.filter(created_at__lte=as_of)
    return {name: value for context in usable for name, value in confirmed_fields_of(context).items()}


def effective_profile_context(permit: Permit, as_of: datetime | None = None) -> Stated:
    """The stated profile context, without financial fields nobody confirmed; empty without ``save_to_profile``.

    With ``as_of`` the wishes for answers are today's, and the rest is as it stood then: today's may say what nobody
    knew at that time.
    """
    context = profile_context(permit)
    now = confirmed_fields_of(context) if context else {}
    if as_of is None or not permit.allows(ConsentScope.SAVE_TO_PROFILE):
        return now
    versions = UserContext.history.filter(user_id=permit.user_id, history_date__lte=as_of)
    then = versions.order_by("-history_date", "-history_id").first()
    return (confirmed_fields_of(then) if then else {}) | {name: now[name] for name in HOW_TO_ANSWER if name in now}


def fields_of(context: StatedContext) -> dict[str, str]:
    """The non-empty fields of a context."""
    return {name: value for name, value in model_to_dict(context, fields=FIELDS).items() if value}


def confirmed_fields_of(context: KeptContext) -> dict[str, str]:
    """The non-empty fields of a context that may be used: financial ones only where they were confirmed."""
    refused = () if context.financial_confirmed else FINANCIAL
    return {name: value for name, value in fields_of(context).items() if name not in refused}


def add_thread_context(
    permit: Permit, thread: Thread, values: Stated, *, confirm_financial: bool = False, task_id: UUID | None = None
) -> ThreadContext | None:
    """Store the fields stated for a thread as a new row; None if no field has a value.

    A row that was stated with a task has the task's id, by which ``drop_thread_context`` finds it.

    Raises ``ConsentScopeMissing`` without ``save_to_thread``, ``FinancialConfirmationRequired``, ``ThreadClosed``,
    ``ValidationFailed``, ``SensitiveInput``, and ``ConsentOutdated`` under a permit that holds no longer.
    """
    permit.require(ConsentScope.SAVE_TO_THREAD)
    said = {name: value for name, value in checked_fields(values).items() if value}
    require_confirmed(said, confirm_financial=confirm_financial)
    with transaction.atomic():
        hold_permit(permit)
        require_open(permit, thread)
        if not said:
            return None
        context = ThreadContext.objects.create(
            id=task_id or new_id(),
            user_id=permit.user_id,
            thread=thread,
            financial_confirmed=any(name in said for name in FINANCIAL),
            consent_version=permit.version,
            **said,
        )
    report_written("thread", permit.consent_id, slices=slices_of(said))
    return context


def drop_thread_context(permit: Permit, task: ResearchTask) -> None:
    """Delete what was stated for a thread with a task that the user cancelled."""
    count, _ = ThreadContext.objects.filter(pk=task.pk, user_id=permit.user_id).delete()
    report_deleted("thread", permit.consent_id, count=count)


def block_thread_contexts(permit: Permit, thread: Thread) -> int:
    """Block everything stated for a thread so far from use; returns how many contexts."""
    count = contexts_of_thread(permit, thread).filter(consent_blocked=False).update(consent_blocked=True)
    report_blocked("thread", permit.consent_id, count=count)
    return count


def note_of(permit: Permit, task: ResearchTask) -> KeptNote | None:
    """The note on what a task's result means for the user; None without one, after it was erased, or after 24 hours."""
    kept = TaskContext.objects.filter(task=task, user_id=permit.user_id, expires_at__gt=timezone.now()).first()
    return (
        KeptNote(tuple(statement["text"] for statement in kept.note), kept.expires_at) if kept and kept.note else None
    )


def stated_inputs(permit: Permit, task: ResearchTask) -> Stated:
    """The stated fields that a task runs with: the task's own win over its thread's, and these over the profile's.

    Withdrawn scopes add nothing; what was stated for the task alone always counts.
    """
    permit = permit.for_answers()
    of_profile = effective_profile_context(permit, task.as_of)
    of_thread = effective_thread_context(permit, task.thread, task.as_of) if task.thread else {}
    return {**of_profile, **of_thread, **{name: value for name, value in task.overrides.items() if value}}


def inputs_of_run(permit: Permit, task: ResearchTask) -> Stated:
    """The stated fields that an ending task began with, without those withdrawn or erased since.

    For a task that never began, these are the fields that it would be given now.
    """
    written, now = TaskContext.objects.filter(task=task).first(), stated_inputs(permit, task)
    if written is None:
        return now
    began_with = fields_of(written)
    if (permit.version, permit.erasures) == (task.consent_version, task.erasures):
        return began_with
    return {name: value for name, value in began_with.items() if now.get(name) == value}


def keep_context(
    permit: Permit, task: ResearchTask, stated: Stated, since: datetime, note: tuple[ResearchStatement, ...] = ()
) -> None:
    """Store the stated fields of a task's run and the note on its result for 24 hours from ``since``."""
    TaskContext.objects.update_or_create(
        task=task,
        defaults={
            "user_id": permit.user_id,
            "note": as_json(note),
            "expires_at": since + TASK_CONTEXT_KEPT,
            "consent_version": permit.version,
            **{name: stated.get(name, "") for name in FIELDS},
        },
    )


def forget_context(task: ResearchTask) -> None:
    """Delete what a task that begins again was given before."""
    TaskContext.objects.filter(task=task).delete()
