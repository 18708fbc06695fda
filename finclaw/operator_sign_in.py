"""Identifies the operator who runs a command, by the same password and code that open the operators' pages."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, suppress
from getpass import GetPassWarning, getpass
from io import StringIO

from django.conf import settings
from django.contrib.auth import authenticate
from django.core.management import CommandError
from django_otp import match_token

from foundation.accounts.models import User


class NoTerminal(CommandError):
    """A command must ask something, but there is neither a terminal nor input on standard input."""


def identify_operator(name: str | None) -> User:
    """The operator of this name, after asking for password and code. Raises ``CommandError``.

    Without a terminal both are read from standard input, one line each. Raises ``NoTerminal`` where that has no input.
    """
    if not name:
        raise CommandError("Say who you are with --operator NAME.")
    user = authenticate(None, username=name, password=_ask(_ask_secret, f"Password of {name}: "))
    if not isinstance(user, User) or not user.is_staff:
        raise CommandError("No operator has this name and password.")
    if settings.OPERATOR_SECOND_FACTOR and not match_token(user, _ask_code()):
        raise CommandError("This is not a code of their second factor.")
    return user


def confirm_by_typing(words: str) -> None:
    """Raise ``CommandError`` unless the operator types these words. Raises ``NoTerminal`` where nobody can."""
    if _ask(input, f"Type {words} to confirm: ").strip() != words:
        raise CommandError("Not confirmed. Nothing was changed.")


def _ask_code() -> str:
    return _ask(_ask_secret, "Code of the authenticator app: ").strip()


def _ask(read_answer: Callable[[str], str], prompt: str) -> str:
    try:
        return read_answer(prompt)
    except EOFError:
        raise NoTerminal("There is no terminal to ask at. Run this command in one.") from None


def _ask_secret(prompt: str) -> str:
    """Read a secret without echo. Without a terminal, read a line of standard input and hide the warning about echo."""
    if _has_terminal():
        return getpass(prompt)
    with warnings.catch_warnings(), redirect_stderr(StringIO()):
        warnings.simplefilter("ignore", GetPassWarning)
        return getpass(prompt)


def _has_terminal() -> bool:
    """Whether a terminal controls this process: ``getpass`` asks there, whatever standard input is."""
    with suppress(OSError):
        os.close(os.open(os.ctermid(), os.O_RDWR))
        return True
    return False
