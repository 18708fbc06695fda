"""The notice that everybody acknowledges before they first decide on consent: what this service is, and is not."""

from __future__ import annotations

from typing import Final

from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.accounts.models import User
from foundation.exceptions import ValidationFailed
from foundation.telemetry.onboarding_steps import count_step

NOTICE_VERSION: Final = 1  # counts on whenever the sentences change


def notice_sentences() -> list[str]:
    """The notice, in the language of the request."""
    return [
        _("I am an assistant with a memory. I never buy, sell or move anything; nothing I say is investment advice."),
        _("I can be wrong, also about what I remember. Check what matters to you."),
        _("What you say is read by the language model that this service is set up with."),
        _("Operators of this service may read what is kept. Each time they open your words it is recorded."),
    ]


def has_acknowledged(user: User) -> bool:
    """Whether the user acknowledged the notice as it reads now."""
    return user.notice_version == NOTICE_VERSION


def acknowledge_notice(user: User, version: int) -> None:
    """Store that the user acknowledged this version of the notice, and when. Again it changes nothing.

    Raises ``ValidationFailed`` for a version that is not the one of now.
    """
    if version != NOTICE_VERSION:
        raise ValidationFailed(details={"acknowledged_notice": [_("The notice reads otherwise now: read it again.")]})
    if has_acknowledged(user):
        return
    user.notice_version, user.notice_acknowledged_at = version, timezone.now()
    user.save(update_fields=["notice_version", "notice_acknowledged_at"])
    count_step("acknowledgement")


def require_acknowledgement(user: User, version: int | None) -> None:
    """Acknowledge the version given, if any. Raises ``ValidationFailed`` for a user who acknowledged none so far."""
    if version is not None:
        acknowledge_notice(user, version)
    elif not has_acknowledged(user):
        raise ValidationFailed(details={"acknowledged_notice": [_("Give the version of the notice that was read.")]})
