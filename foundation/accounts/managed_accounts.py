"""Managed accounts: people whom an organisation serves through its own application, by the ids they have there."""

from __future__ import annotations

import secrets
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from foundation.accounts.models import EXTERNAL_ID_CHARS, Tenant, User
from foundation.accounts.validators import validate_characters
from foundation.exceptions import ValidationFailed


def managed_accounts(tenant_id: UUID) -> QuerySet[User]:
    """The active managed accounts of an organisation; its members with accounts of their own are none."""
    return User.objects.filter(tenant_id=tenant_id, is_active=True).exclude(external_id="")


def find_managed(tenant_id: UUID, name: str) -> User | None:
    """The person of an organisation who goes by this external id, or else by this id of ours; None for anybody else."""
    people = managed_accounts(tenant_id)
    by_id = Q(pk=name) if _is_uuid(name) else Q(pk=None)
    found = list(people.filter(Q(external_id=name) | by_id).select_related("tenant")[:2])
    return min(found, key=lambda person: person.external_id != name, default=None)


def ensure_managed(
    tenant: Tenant, external_id: str, *, display_name: str = "", time_zone: str = ""
) -> tuple[User, bool]:
    """The managed account of an external id, and whether it was created just now.

    An account that exists keeps its own name and time zone. Raises ``ValidationFailed``.
    """
    require_external_id(external_id)
    user = User(username=_new_username(), display_name=display_name)
    user.set_unusable_password()
    return User.objects.get_or_create(
        tenant=tenant,
        external_id=external_id,
        defaults={
            "username": user.username,
            "display_name": user.display_name,
            "time_zone": time_zone or "UTC",
            "password": user.password,
            "role": User.Role.VIEWER,
        },
    )


def require_external_id(name: str) -> None:
    """Raise ``ValidationFailed`` for an id that is empty, too long, or holds spaces or invisible characters."""
    sentence = ""
    if not name or len(name) > EXTERNAL_ID_CHARS or any(character.isspace() for character in name) or "/" in name:
        sentence = _("Give an id of at most %(limit)d characters, without spaces and slashes.") % {
            "limit": EXTERNAL_ID_CHARS
        }
    elif name in ("me", "*"):  # in addresses "me" is whoever asks; mem0's filters say "*" for anybody
        sentence = _("This id has a meaning of its own.")
    if sentence:
        raise ValidationFailed(details={"user_id": [sentence]})
    try:
        validate_characters(name)
    except ValidationError as error:
        raise ValidationFailed(details={"user_id": error.messages}) from None


def _new_username() -> str:
    """A user name that nobody chose: only erasures ask for it, to be confirmed."""
    return f"managed-{secrets.token_hex(8)}"


def _is_uuid(name: str) -> bool:
    try:
        UUID(name)
    except ValueError:
        return False
    return True
