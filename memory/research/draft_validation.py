"""Validates a research task before it is created or previewed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.permit import Permit
from consent.sensitive.services import screen_text
from foundation.accounts.models import User
from foundation.exceptions import ValidationFailed
from foundation.language import is_blank
from memory.models import Route
from memory.research.profile_context import checked_fields
from memory.research.threads import thread_of
from memory.research.types import TaskDraft
from memory.research.write_guards import require_open


def validate_draft(permit: Permit, user: User, draft: TaskDraft) -> TaskDraft:
    """Check a draft and return it with its texts screened. Call in a transaction: it locks the thread.

    Raises ``ProfileConsentRequired``, ``ValidationFailed``, ``SensitiveInput``, ``NotFound``, ``ThreadClosed``.
    """
    permit.require_decision()
    prompt, overrides = _checked_prompt(user, draft), checked_fields(draft.overrides)
    _require_route(draft)
    if is_in_future(draft.as_of):
        raise ValidationFailed(details={"as_of": [_("This date is in the future.")]})
    if draft.thread_id is not None:
        require_open(permit, thread_of(permit, draft.thread_id))
    return replace(draft, prompt=prompt, overrides=overrides)


def is_in_future(as_of: datetime | None) -> bool:
    """Whether a day, in UTC, has not begun, so that nothing can be known as of it.

    Of the present day everything up to its end counts as known.
    """
    return as_of is not None and as_of.astimezone(UTC).date() > timezone.now().astimezone(UTC).date()


def _checked_prompt(user: User, draft: TaskDraft) -> str:
    if is_blank(draft.prompt):
        if draft.route == Route.THREAD_REFRESH:
            return ""
        raise ValidationFailed(details={"prompt": [_("Enter a question to research.")]})
    if len(draft.prompt) > settings.MAX_MESSAGE_CHARS:
        raise ValidationFailed(
            details={"prompt": [_("It is longer than %(limit)d characters.") % {"limit": settings.MAX_MESSAGE_CHARS}]}
        )
    return screen_text("prompt", draft.prompt, [user.name]).text


def _require_route(draft: TaskDraft) -> None:
    if draft.route not in Route.values:
        raise ValidationFailed(details={"route": [_("This route does not exist.")]})
    if draft.route == Route.THREAD_REFRESH and draft.thread_id is None:
        raise ValidationFailed(details={"thread_id": [_("Name the thread to refresh.")]})
    if draft.route == Route.THREAD_REFRESH and draft.as_of is not None:  # or an old thesis would become the present one
        raise ValidationFailed(details={"as_of": [_("A thread is always refreshed as of now: leave out the date.")]})
