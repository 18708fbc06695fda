"""Withdraw consent scopes: delete, block or revoke rows as each model declares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import datetime
from functools import reduce
from operator import or_
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import F, Func, JSONField, Q, TextField, Value
from django.db.models.functions import Cast

from consent.declarations import PersonalModel, models_withdrawn_with, personal_models
from consent.memory_telemetry import report_blocked_rows, report_deleted_rows
from consent.purge import PURGE_WITHIN, queue_purge
from consent.types import WithdrawalEffects
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from foundation.outbox import services as outbox
from foundation.personal_data import ConsentScope, OnWithdrawal
from foundation.webhooks.services import cancel_memory_events

REVOKED = "revoked"


def apply_withdrawal(user_id: UUID, dropped: Collection[ConsentScope], at: datetime) -> WithdrawalEffects:
    """Delete, block and revoke rows now, exclude from training what stays, wipe what compares the user with others,
    cancel queued jobs, and queue the purge of what was learned.

    Call acting for the person, in the transaction that withdraws. Each count is the row count of the SQL that did it.
    """
    with in_role(ERASER_ROLE):  # the application's own database role may lack UPDATE and DELETE on a table
        deleted = sum(_delete_rows(personal, user_id) for personal in _tables_with(OnWithdrawal.DELETE, dropped))
        blocked = sum(_block_rows(personal, user_id) for personal in _tables_with(OnWithdrawal.BLOCK, dropped))
        revoked = sum(_revoke_rows(personal, user_id) for personal in _tables_with(OnWithdrawal.REVOKE, dropped))
        if ConsentScope.TRAINING_USE in dropped:
            _exclude_from_training(user_id)
        if ConsentScope.MEMORY_LEARNING in dropped:
            _stop_comparing(user_id)
    cancelled = _cancel_work(user_id, dropped)
    if ConsentScope.MEMORY_LEARNING in dropped:
        cancel_memory_events(user_id)
    purged = [scope for scope in dropped if models_withdrawn_with(scope, OnWithdrawal.PURGE)]
    for scope in purged:
        queue_purge(user_id, scope, at)
    return WithdrawalEffects(
        profile_contexts_deleted=deleted,
        thread_contexts_blocked=blocked,
        training_candidates_revoked=revoked,
        queued_work_cancelled=cancelled.total(),
        purge_due_at=at + PURGE_WITHIN if purged else None,
        cancelled=dict(cancelled),
    )


def _cancel_work(user_id: UUID, dropped: Collection[ConsentScope]) -> Counter[str]:
    cancelled = Counter[str]()
    for scope in dropped:
        cancelled.update(outbox.cancel_waiting(user_id, scope.value))
    return cancelled


def _tables_with(action: OnWithdrawal, dropped: Collection[ConsentScope]) -> list[PersonalModel]:
    return [personal for scope in dropped for personal in models_withdrawn_with(scope, action)]


def _delete_rows(personal: PersonalModel, user_id: UUID) -> int:
    """Delete the user's rows of a table; returns how many contexts were among them."""
    deleted = personal.rows_of(user_id).delete()[1].get(personal.label, 0)
    report_deleted_rows(user_id, {personal.label: deleted})
    is_context = personal.declaration.scope == ConsentScope.SAVE_TO_PROFILE and not personal.is_history
    return deleted if is_context else 0


def _block_rows(personal: PersonalModel, user_id: UUID) -> int:
    blocked = personal.rows_of(user_id).filter(consent_blocked=False).update(consent_blocked=True)
    report_blocked_rows(user_id, personal, blocked)
    return blocked


def _exclude_from_training(user_id: UUID) -> None:
    """Mark the user's remaining stated rows, so that no later grant makes training examples of them."""
    for personal in personal_models():
        if personal.declaration.excludable:
            personal.rows_of(user_id).filter(training_excluded=False).update(training_excluded=True)


def _stop_comparing(user_id: UUID) -> None:
    """Remove what compares the user's answers with those of others, as the names of variants on receipts."""
    for personal in personal_models():
        named = personal.declaration.compares
        if named:
            unwritten = personal.model()
            left = {field: _without_keys(field, keys) if keys else getattr(unwritten, field) for field, keys in named}
            compared = (Q(**{f"{field}__has_any_keys": list(keys)}) for field, keys in named if keys)
            personal.rows_of(user_id).filter(reduce(or_, compared)).update(**left)


def _without_keys(field: str, keys: Collection[str]) -> Func:
    """What is left of a field of JSON without these keys."""
    gone = Cast(Value(list(keys), ArrayField(TextField())), ArrayField(TextField()))
    return Func(F(field), gone, template="(%(expressions)s)", arg_joiner=" - ", output_field=JSONField())


def _revoke_rows(personal: PersonalModel, user_id: UUID) -> int:
    return personal.rows_of(user_id).exclude(withdrawal_status=REVOKED).update(withdrawal_status=REVOKED)
