"""Reads and writes the stated context in profile scope: what a user states about how they work."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from django.core.exceptions import ValidationError
from django.db import transaction

from consent.permit import Permit
from consent.sensitive.services import screen_text
from consent.services import hold_permit
from foundation.database.bulk_insert import columns_of
from foundation.exceptions import ValidationFailed
from foundation.personal_data import ConsentScope
from foundation.telemetry.memory_operations import report_deleted, report_written
from memory.exceptions import FinancialConfirmationRequired
from memory.models import UserContext

HOW_TO_ANSWER = ("language_preference", "research_depth", "risk_prompt_preference")
PREFERENCES = (*HOW_TO_ANSWER, "user_focus_reason")
FINANCIAL = ("user_stated_position_context", "time_horizon", "constraints")  # kept only after the user confirms it
FIELDS = (*PREFERENCES, "research_style", *FINANCIAL)
# The slice of context that each field belongs to. Routes are given slices, not fields.
_SLICE_OF = {
    "language_preference": "S1",
    "research_depth": "S2",
    "risk_prompt_preference": "S3",
    "user_focus_reason": "S4",
    "research_style": "S5",
    "user_stated_position_context": "S7",
    "time_horizon": "S8",
    "constraints": "S8",
}
_COLUMNS = {field.name: field for field in UserContext._meta.concrete_fields}
_STATED = f"SELECT {columns_of(UserContext)} FROM memory_usercontext WHERE user_id = %s AND scope = %s"  # noqa: S608


def profile_context(permit: Permit) -> UserContext | None:
    """The user's stated context; None without the scope or where there is none."""
    if not permit.allows(ConsentScope.SAVE_TO_PROFILE):
        return None
    # Plain SQL, as it runs for every answer: the ORM takes longer to build the query than PostgreSQL to run it.
    asked = [permit.user_id, UserContext.ContextScope.PROFILE.value]
    return next(iter(UserContext.objects.raw(_STATED, asked)), None)


def save_profile_context(permit: Permit, values: Mapping[str, str], *, confirm_financial: bool = False) -> UserContext:
    """Set the named fields, leaving the others. Written by onboarding and by the user alone, never learned.

    An emptied field is emptied in all earlier versions, too. When the last field is emptied, the exclusion from
    training ends.
    Raises ``ConsentScopeMissing`` without ``save_to_profile``, ``FinancialConfirmationRequired`` for financial fields
    without the explicit confirmation, ``ConsentOutdated`` under a permit that holds no longer, ``SensitiveInput`` and
    ``ValidationFailed`` for invalid values.
    """
    permit.require(ConsentScope.SAVE_TO_PROFILE)
    values = checked_fields(values)
    require_confirmed(values, confirm_financial=confirm_financial)
    with transaction.atomic():
        hold_permit(permit)
        context = profile_context(permit) or UserContext(user_id=permit.user_id)
        emptied = [name for name, value in values.items() if not value and getattr(context, name)]
        for name, value in values.items():
            setattr(context, name, value)
        context.financial_confirmed = confirm_financial or context.financial_confirmed
        context.financial_confirmed &= any(getattr(context, name) for name in FINANCIAL)
        context.consent_version = permit.version
        context.training_excluded = context.training_excluded and any(getattr(context, name) for name in FIELDS)
        context.save()
        _forget_versions_of(permit, [name for name in values if not values[name]])
    said = [name for name, value in values.items() if value]
    if said:
        report_written("profile", permit.consent_id, slices=slices_of(said))
    if emptied:
        report_deleted("profile", permit.consent_id, slices=slices_of(emptied))
    return context


def slices_of(fields: Iterable[str]) -> list[str]:
    """The context slices that these fields belong to, in order."""
    return sorted({_SLICE_OF[name] for name in fields})


def checked_fields(values: Mapping[str, str]) -> dict[str, str]:
    """Validate the fields of a stated context, in any scope.

    Raises ``ValidationFailed`` for unknown fields or choices and for what is too long, ``SensitiveInput``.
    """
    wrong = {name: sentences for name, value in values.items() if (sentences := _field_errors(name, value))}
    if wrong:
        raise ValidationFailed(details=wrong)
    return {name: value if name in HOW_TO_ANSWER else screen_text(name, value).text for name, value in values.items()}


def _field_errors(name: str, value: str) -> list[str]:
    if name not in FIELDS:
        return ["There is no such field."]
    try:
        _COLUMNS[name].clean(value, None)
    except ValidationError:
        return ["This value cannot be accepted."]
    return []


def require_confirmed(values: Mapping[str, str], *, confirm_financial: bool) -> None:
    """Raise ``FinancialConfirmationRequired`` for financial fields to be stored without confirmation."""
    financial = [name for name in FINANCIAL if values.get(name)]
    if financial and not confirm_financial:
        raise FinancialConfirmationRequired(details={"fields": financial})


def _forget_versions_of(permit: Permit, fields: Collection[str]) -> None:
    """Delete a field's former values: what a user removes must not stay in the history."""
    if fields:
        UserContext.history.filter(user_id=permit.user_id).update(**dict.fromkeys(fields, ""))


def clear_profile_fields(permit: Permit, fields: Iterable[str]) -> UserContext | None:
    """Empty the named fields, or all of them, in every version."""
    context = profile_context(permit)
    if context is None:
        return None
    return save_profile_context(permit, dict.fromkeys(fields or FIELDS, ""))
