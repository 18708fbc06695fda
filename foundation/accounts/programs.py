"""Programs that act in a user's name: connected, recognised by their token, listed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application

from foundation.accounts.exceptions import TokenInvalid, TokenRevoked
from foundation.accounts.models import ApiToken, ConnectedProgram, User
from foundation.accounts.program_tokens import checksum
from foundation.accounts.scopes import ALL_SCOPES
from foundation.accounts.services import live_tokens, lock_user, require_unchanged, use_token
from foundation.database.acting_user import acting_as
from foundation.exceptions import require_found


@dataclass(frozen=True)
class ProgramToken:
    """A live access token of a connected program: whose it is, what it may do, and for which address."""

    program: ConnectedProgram
    user: User
    scopes: tuple[str, ...]
    resource: str
    created: datetime
    expiry: datetime

    @property
    def id(self) -> UUID:
        """The connection's id: tokens change by the hour."""
        return self.program.pk

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def withheld_kinds(self) -> list[str]:
        return self.program.withheld_kinds

    @property
    def last_used_at(self) -> datetime | None:
        return self.program.last_used_at


def connect_program(
    user: User, application: Application, name: str, scopes: Collection[str], resource: str
) -> ConnectedProgram:
    """Let a program act in the user's name, within these scopes; what was allowed before is replaced.

    Raises ``InvalidCredentials`` as ``require_unchanged``.
    """
    with acting_as(user.pk):
        lock_user(user.pk)
        require_unchanged(user)
        program, _made = ConnectedProgram.objects.update_or_create(
            user=user,
            application=application,
            defaults={
                "name": name,
                "scopes": [scope for scope in ALL_SCOPES if scope in scopes],
                "resource": resource,
                "connected_at": timezone.now(),
                "revoked_at": None,
            },
        )
    return program


def connected_programs(user: User) -> QuerySet[ConnectedProgram]:
    """The programs that may act in the user's name now, the latest first."""
    return ConnectedProgram.objects.filter(user=user, revoked_at=None).select_related("application")


def credential_of(user: User, credential_id: UUID) -> ConnectedProgram | ApiToken:
    """A connected program or a key of the user's. Raises ``NotFound`` for one that is not in use."""
    program = connected_programs(user).filter(pk=credential_id).first()
    return program or require_found(live_tokens(user).filter(id=credential_id).first())


def live_connection(user_id: UUID, application_id: int) -> ConnectedProgram | None:
    """The connection of a program to a user, None where it is revoked or the account is closed."""
    with acting_as(user_id):
        return ConnectedProgram.objects.filter(
            user=user_id, user__is_active=True, application=application_id, revoked_at=None
        ).first()


def authenticate_program(plain: str, resources: Collection[str]) -> ProgramToken:
    """The live access token behind ``plain``, issued for one of ``resources``.

    Raises ``TokenInvalid``, ``TokenExpired`` or ``TokenRevoked``.
    """
    token = AccessToken.objects.select_related("user").filter(token_checksum=checksum(plain)).first()
    if token is None or token.user is None or not token.user.is_active or not set(token.resource) & set(resources):
        raise TokenInvalid()
    with acting_as(token.user_id):
        program = ConnectedProgram.objects.filter(user=token.user_id, application=token.application_id).first()
        if program is None:
            raise TokenRevoked()
        use_token(program, token.expires)
    return ProgramToken(
        program, token.user, tuple(scope for scope in program.scopes if scope in token.scope.split()),
        token.resource[0], token.created, token.expires,
    )  # fmt: skip
