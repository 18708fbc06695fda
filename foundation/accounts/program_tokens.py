"""Makes, recognizes and deletes the OAuth tokens of connected programs; they end with the connection."""

from __future__ import annotations

import hashlib
import uuid
from typing import Any, Final
from uuid import UUID

from django.utils import timezone
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from foundation.accounts.models import ConnectedProgram
from foundation.accounts.tokens import new_token
from foundation.database.acting_user import acting_as

ACCESS_PREFIX: Final = "fca_"
REFRESH_PREFIX: Final = "fcr_"
"""What tokens of programs begin with, so that they are told from keys, which are hexadecimal, at sight."""

_FAMILIES: Final = uuid.UUID("6f1f3c1e-0d0c-4f0c-9a4e-8a3e6b5f2d11")


def new_access_token(request: Any, refresh_token: bool = False) -> str:
    """A fresh access token, as the library asks for it."""
    return f"{ACCESS_PREFIX}{new_token()}"


def new_refresh_token(request: Any, refresh_token: bool = False) -> str:
    """A fresh refresh token, as the library asks for it."""
    return f"{REFRESH_PREFIX}{new_token()}"


def is_program_token(plain: str) -> bool:
    """Whether a credential claims to be the access token of a connected program."""
    return plain.startswith(ACCESS_PREFIX)


def checksum(plain: str) -> str:
    """What is stored of a token: SHA-256 in hexadecimal, the library's own."""
    return hashlib.sha256(plain.encode()).hexdigest()


def family_of(code: str) -> UUID:
    """The id shared by all tokens issued from one authorization code, so that a replayed code finds them."""
    return uuid.uuid5(_FAMILIES, checksum(code))


def end_connections(user_id: UUID, program_id: UUID | None = None) -> list[ConnectedProgram]:
    """Revoke one connection of the user's, or all, with every token and code; answers those that were live."""
    with acting_as(user_id):
        live = ConnectedProgram.objects.select_for_update().filter(user=user_id, revoked_at=None)
        ended = list(live if program_id is None else live.filter(pk=program_id))
        delete_tokens(user_id, [program.application_id for program in ended])
        ConnectedProgram.objects.filter(pk__in=[program.pk for program in ended]).update(revoked_at=timezone.now())
    return ended


def delete_tokens(user_id: UUID, applications: list[int]) -> None:
    """Delete the codes and tokens that programs have of a user."""
    for model in (Grant, RefreshToken, AccessToken):
        model.objects.filter(user=user_id, application__in=applications).delete()
