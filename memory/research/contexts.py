"""What somebody stated for one thread, and what one task ran with (M-1, M-3)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.forms.models import model_to_dict

from consent.permit import Permit
from consent.services import held_since, hold
from foundation.personal_data import Scope
from foundation.telemetry.metrics import MEMORY_OPS
from memory.models import ResearchTask, Thread, ThreadContext
from memory.models.contexts import StatedContext
from memory.research.holding import require_open
from memory.services.contexts import FIELDS, checked, profile_context, require_confirmed

Stated = Mapping[str, str]


def contexts_of_thread(permit: Permit, thread: Thread) -> QuerySet[ThreadContext]:
    """Everything stated for a thread, the oldest first: readable, whether or not it may still be used."""
    return ThreadContext.objects.filter(thread=thread, user_id=permit.user_id).order_by("created_at", "id")


def effective_thread_context(permit: Permit, thread: Thread, as_of: datetime | None = None) -> Stated:
    """The latest value that each field was given, of what may be used: fields without one are left out.

    Nothing without ``save_to_thread``, nothing blocked, and nothing from before the scope was last granted (C-5). With
    ``as_of`` nothing that was stated later.
    """
    if not permit.allows(Scope.SAVE_TO_THREAD):
        return {}
    since = held_since(permit.user_id, Scope.SAVE_TO_THREAD)
    usable = contexts_of_thread(permit, thread).filter(consent_blocked=False, consent_version__gte=since)
    if as_of is not None:
        usable = usable.filter(created_at__lte=as_of)
    return {name: value for context in usable for name, value in fields_of(context).items()}


def fields_of(context: StatedContext) -> dict[str, str]:
    """The fields of one context that say anything."""
    return {name: value for name, value in model_to_dict(context, fields=FIELDS).items() if value}


def add_thread_context(
    permit: Permit, thread: Thread, values: Stated, *, confirm_financial: bool = False
) -> ThreadContext | None:
    """Keep what was stated for a thread, beside what was stated before; None where nothing was.

    Raises ``ConsentScopeMissing`` without ``save_to_thread``, ``FinancialConfirmationRequired``, ``ThreadClosed``,
    ``ValidationFailed``, ``SensitiveInput``, and ``ConsentOutdated`` under a permit that holds no longer.
    """
    permit.require(Scope.SAVE_TO_THREAD)
    said = {name: value for name, value in checked(values).items() if value}
    require_confirmed(said, confirm_financial=confirm_financial)
    with transaction.atomic():
        hold(permit)
        require_open(permit, thread)
        if not said:
            return None
        context = ThreadContext.objects.create(
            user_id=permit.user_id, thread=thread, consent_version=permit.version, **said
        )
    MEMORY_OPS.labels(op="write", scope="thread").inc()
    return context


def block_thread_contexts(permit: Permit, thread: Thread) -> int:
    """Use nothing any more of what was stated for a thread so far, closed or not; answers how many contexts."""
    blocked = contexts_of_thread(permit, thread).filter(consent_blocked=False).update(consent_blocked=True)
    MEMORY_OPS.labels(op="block", scope="thread").inc(blocked)
    return blocked


def stated_for(permit: Permit, task: ResearchTask) -> Stated:
    """What a task runs with, of all that was stated: for it alone before for its thread before for everything
    (seed A §6.4). Withdrawn scopes add nothing, whatever holds for the task alone does.
    """
    profile = profile_context(permit)
    of_profile = fields_of(profile) if profile else {}
    of_thread = effective_thread_context(permit, task.thread, task.as_of) if task.thread else {}
    return {**of_profile, **of_thread, **{name: value for name, value in task.overrides.items() if value}}
