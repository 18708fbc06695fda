"""Which names an account may take: none that looks like another's, none reserved, none of an account just erased."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from typing import Final
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from foundation.accounts.models import QuarantinedName, User
from foundation.accounts.validators import validate_characters
from foundation.exceptions import ValidationFailed
from foundation.text.confusables import skeleton_of

RESERVED: Final = (
    "admin", "administrator", "root", "superuser", "sysadmin", "system", "operator", "moderator", "owner", "staff",
    "support", "helpdesk", "help", "service", "security", "privacy", "abuse", "postmaster", "webmaster", "noreply",
    "official", "assistant", "bot", "anonymous", "everyone", "nobody", "null", "me",
    "管理员", "系统管理员", "超级管理员", "管理", "系统", "客服", "在线客服", "官方", "官方客服", "运营",
    "版主", "助手", "工作人员", "安全中心", "系统消息", "匿名", "所有人",
)  # fmt: skip
"""Names that speak for whoever runs this, or for nobody; compared by their letters and figures alone."""
OUR_NAME: Final = "finclaw"  # no name begins with it


def require_username(name: str) -> None:
    """Raise ``ValidationFailed`` unless a new account may take this user name.

    The message is the same for a name that is taken, looks alike, is reserved or is quarantined, to reveal nothing.
    """
    _require_characters("username", name)
    skeleton = skeleton_of(name)
    if _is_reserved(name) or is_username_taken(skeleton) or _is_quarantined(skeleton):
        raise ValidationFailed(details={"username": [_("This user name is taken.")]})


def require_display_name(name: str, user_id: UUID | None = None) -> None:
    """Raise ``ValidationFailed`` where ``name`` would pass for another user, or for whoever runs this."""
    _require_characters("display_name", name)
    skeleton = skeleton_of(name)
    if _is_reserved(name) or is_username_taken(skeleton, but_by=user_id):
        raise ValidationFailed(details={"display_name": [_("This name could be mistaken for somebody else's.")]})


def is_username_taken(skeleton: str, but_by: UUID | None = None) -> bool:
    """Whether the user name of another account has this skeleton."""
    found = User.objects.looking_like(skeleton)
    return (found.exclude(pk=but_by) if but_by else found).exists()


def quarantine_username(name: str) -> None:
    """Reserve the user name of an erased account for a while, by an HMAC of its skeleton."""
    until = timezone.now() + timedelta(days=settings.NAME_QUARANTINE_DAYS)
    QuarantinedName.objects.update_or_create(digest=_name_digest(skeleton_of(name)), defaults={"until": until})


def delete_expired_quarantines() -> int:
    """Scheduled: delete the quarantines that are over; answers how many."""
    return QuarantinedName.objects.filter(until__lte=timezone.now()).delete()[0]


def _require_characters(field: str, name: str) -> None:
    try:
        validate_characters(name)
    except ValidationError as error:
        raise ValidationFailed(details={field: error.messages}) from None


def _is_reserved(name: str) -> bool:
    skeleton = skeleton_of("".join(character for character in name if character.isalnum()))
    return skeleton in _reserved_skeletons() or skeleton.startswith(skeleton_of(OUR_NAME))


@cache
def _reserved_skeletons() -> frozenset[str]:
    return frozenset(map(skeleton_of, RESERVED))


def _is_quarantined(skeleton: str) -> bool:
    return QuarantinedName.objects.filter(digest=_name_digest(skeleton), until__gt=timezone.now()).exists()


def _name_digest(skeleton: str) -> str:
    # Keyed: of a plain hash anybody with a copy of the database could ask whether a name was here.
    return salted_hmac("finclaw.quarantined-name", skeleton, algorithm="sha256").hexdigest()
