"""Who runs a command of operators: the password and the code that open their pages."""

from __future__ import annotations

from getpass import getpass

from django.conf import settings
from django.contrib.auth import authenticate
from django.core.management import CommandError
from django_otp import match_token

from foundation.accounts.models import User


def identify_operator(name: str | None) -> User:
    """The operator of this name, after asking for password and code. Raises ``CommandError``."""
    if not name:
        raise CommandError("Say who you are with --operator NAME.")
    user = authenticate(None, username=name, password=getpass(f"Password of {name}: "))
    if not isinstance(user, User) or not user.is_staff:
        raise CommandError("No operator has this name and password.")
    if settings.OPERATOR_SECOND_FACTOR and not match_token(user, getpass("Code of the authenticator app: ").strip()):
        raise CommandError("This is not a code of their second factor.")
    return user


def confirm_by_typing(words: str) -> None:
    """Raise ``CommandError`` unless the operator types these words."""
    if input(f"Type {words} to confirm: ").strip() != words:
        raise CommandError("Not confirmed. Nothing was changed.")
