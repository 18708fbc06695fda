"""Accounts: sign-up, passwords, tokens and recovery codes, and their end."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from foundation.accounts.exceptions import (
    InvalidCredentials,
    TokenExpired,
    TokenInvalid,
    TokenRevoked,
)
from foundation.accounts.groups import ensure_group_owner
from foundation.accounts.models import (
    ApiToken,
    ChatGroup,
    ConnectedProgram,
    RecoveryCode,
    ServiceToken,
    User,
)
from foundation.accounts.names import quarantine_username, require_display_name, require_username
from foundation.accounts.program_tokens import end_connections
from foundation.accounts.tokens import token_digest, token_key
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from foundation.database.write_refusals import best_effort_write
from foundation.exceptions import NotFound
from foundation.ids import new_id

RECOVERY_CODES = 8
FEW_RECOVERY_CODES = 2  # so few that new ones should be made
_CODE_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # nothing that reads like something else
LAST_USED_RESOLUTION = timedelta(minutes=1)
Token = TypeVar("Token", ApiToken, ServiceToken)


def sign_up(username: str, password: str, *, display_name: str = "", time_zone: str = "UTC") -> tuple[User, list[str]]:
    """Make an account and its one-time recovery codes, which are shown once and kept hashed.

    Raises ``ValidationFailed`` for names that nobody may take.
    """
    require_username(username)
    require_display_name(display_name)
    with transaction.atomic():
        user = User.objects.create_user(
            username=username, password=password, display_name=display_name, time_zone=time_zone
        )
        return user, new_recovery_codes(user)


def lock_user(user_id: UUID) -> None:
    """Lock the user's row, so that changes to the user as a whole happen one after the other.

    NO KEY: rows that merely refer to the user are still written beside it. Raises ``NotFound`` for an account that
    was erased meanwhile.
    """
    with connection.cursor() as cursor:  # in front of most writes: by hand it takes half of what the ORM takes
        cursor.execute("SELECT FROM accounts_user WHERE id = %s FOR NO KEY UPDATE", [user_id])
        if not cursor.rowcount:
            raise NotFound()


def tenant_id_of(user_id: UUID) -> UUID | None:
    """The organisation of a user, None without one, or where the account is gone."""
    return User.objects.filter(pk=user_id).values_list("tenant_id", flat=True).first()


def new_recovery_codes(user: User) -> list[str]:
    """Replace whatever codes the user had; answers the plain ones, ``XXXXX-XXXXX``."""
    codes = ["-".join(_random_letters(5) for _ in range(2)) for _ in range(RECOVERY_CODES)]
    RecoveryCode.objects.filter(user=user).delete()
    RecoveryCode.objects.bulk_create(RecoveryCode(user=user, code_hash=_hash_code(code)) for code in codes)
    return codes


def count_recovery_codes(user: User) -> int:
    """How many of the user's codes still work."""
    return RecoveryCode.objects.filter(user=user, used_at=None).count()


def recover_account(username: str, code: str, new_password: str) -> User:
    """Set a new password by one unused recovery code. Raises ``InvalidCredentials``, whatever was wrong.

    The password is hashed and codes are looked for whether or not there is such a user: time tells no names.
    """
    user = User.objects.filter(username=username, is_active=True).first()
    encoded_password = make_password(new_password)
    with transaction.atomic():
        unused = RecoveryCode.objects.select_for_update().filter(user_id=user.pk if user else new_id(), used_at=None)
        digest = _hash_code(code.strip().upper())
        match = next((row for row in unused if secrets.compare_digest(row.code_hash, digest)), None)
        if user is None or match is None:
            raise InvalidCredentials()
        match.used_at = timezone.now()
        match.save(update_fields=["used_at"])
        user.password = encoded_password
        user.save(update_fields=["password"])
        revoke_access(user)
    return user


def change_password(user: User, new_password: str, *, keep_session: str | None) -> None:
    """Set a validated password and end every session and token but the browser session ``keep_session``."""
    with transaction.atomic():
        user.set_password(new_password)
        user.save(update_fields=["password"])
        revoke_access(user, keep_session=keep_session)


def revoke_access(user: User, *, keep_session: str | None = None) -> None:
    """Revoke the user's API tokens and connected programs, and delete their browser sessions, but the one with the key
    ``keep_session``.
    """
    with transaction.atomic():
        revoke_tokens(user)
        end_connections(user.pk)
        user.browser_sessions.exclude(session_key=keep_session).delete()


def require_unchanged(user: User) -> None:
    """Raise ``InvalidCredentials`` where the password, or the account's activity, has changed since ``user`` was read.

    That change ended all access, and what is given on the word of the old password must not outlive it. Call with the
    user locked.
    """
    if not User.objects.filter(pk=user.pk, is_active=True, password=user.password).exists():
        raise InvalidCredentials()


def issue_token(user: User, name: str = "") -> tuple[ApiToken, str]:
    """A new token and its plain text, which is shown once. Raises ``InvalidCredentials`` as ``require_unchanged``."""
    with transaction.atomic():
        lock_user(user.pk)
        require_unchanged(user)
        return ApiToken.objects.issue(user, name)


def authenticate_token(plain: str) -> ApiToken:
    """The live token behind ``plain``. Raises ``TokenInvalid``, ``TokenExpired`` or ``TokenRevoked``."""
    token = find_token(ApiToken.objects.select_related("user"), plain)
    if not token.user.is_active:
        raise TokenInvalid()
    use_token(token, token.expiry)
    return token


def find_token(tokens: QuerySet[Token], secret: str) -> Token:
    """The token of this secret, whatever its state. Raises ``TokenInvalid``."""
    digest = token_digest(secret)
    for token in tokens.filter(token_key=token_key(secret)):
        if secrets.compare_digest(token.digest, digest):
            return token
    raise TokenInvalid()


def use_token(token: ApiToken | ConnectedProgram | ServiceToken, expires_at: datetime | None) -> None:
    """Note that a live token is used. Raises ``TokenRevoked`` or ``TokenExpired`` for any other."""
    now = timezone.now()
    if token.revoked_at is not None:
        raise TokenRevoked()
    if expires_at is not None and expires_at <= now:
        raise TokenExpired()
    if token.last_used_at is None or now - token.last_used_at > LAST_USED_RESOLUTION:
        with best_effort_write():
            type(token)._default_manager.filter(pk=token.pk).update(last_used_at=now)


def revoke_tokens(user: User, token_id: UUID | None = None) -> int:
    """Revoke one token of the user, or all; answers how many were live."""
    live = ApiToken.objects.filter(user=user, revoked_at=None)
    if token_id is not None:
        live = live.filter(id=token_id)
    return live.update(revoked_at=timezone.now())


def live_tokens(user: User) -> QuerySet[ApiToken]:
    """The user's tokens that are neither revoked nor expired, the newest first."""
    unexpired = Q(expiry=None) | Q(expiry__gt=timezone.now())
    return ApiToken.objects.filter(unexpired, user=user, revoked_at=None).order_by("-created")


def update_profile(user: User, **changes: str | bool) -> User:
    """Set ``display_name``, ``time_zone``, ``language`` or ``asks_follow_ups``, to values that were validated.

    Raises ``ValidationFailed`` for a display name that could be mistaken for somebody else's.
    """
    if changes.get("display_name", user.display_name) != user.display_name:
        require_display_name(str(changes["display_name"]), user.pk)
    for name, value in changes.items():
        setattr(user, name, value)
    user.save(update_fields=sorted(changes))
    return user


def claim_tip(user_id: UUID) -> bool:
    """Whether to show the user the tip for newcomers now: at most once in COLD_START_TIP_HOURS, whatever shows it.

    Decided by the database: of two pages, tasks or processes that ask at once, one shows it.
    """
    now = timezone.now()
    due = Q(tip_shown_at=None) | Q(tip_shown_at__lte=now - timedelta(hours=settings.COLD_START_TIP_HOURS))
    with best_effort_write():
        return User.objects.filter(due, pk=user_id).update(tip_shown_at=now) == 1
    return False


def close_account(user: User) -> None:
    """Disable an account: nobody signs in to it any more, and its tokens and browser sessions end at once."""
    User.objects.filter(pk=user.pk).update(is_active=False)
    ApiToken.objects.filter(user=user).delete()
    end_connections(user.pk)


def remove_account(user: User, groups: Collection[UUID]) -> int:
    """Delete the account's row, and those of its ``groups`` that have no other members; answers 1.

    Its user name is free again once its quarantine is over.

    A group that goes on has an owner again. Everything that refers to it must be gone: the database refuses otherwise.
    """
    with in_role(ERASER_ROLE):  # what refers to it may be append-only to the application
        User.objects.filter(pk=user.pk).delete()
    quarantine_username(user.username)
    ChatGroup.objects.filter(pk__in=groups, memberships=None).delete()
    for group in ChatGroup.objects.filter(pk__in=groups):
        ensure_group_owner(group)
    return 1


def _hash_code(code: str) -> str:
    # A code carries 50 random bits: unlike a password it needs no slow hash, only a keyed one.
    return salted_hmac("finclaw.recovery-code", code, algorithm="sha256").hexdigest()


def _random_letters(count: int) -> str:
    return "".join(secrets.choice(_CODE_ALPHABET) for _ in range(count))
