"""Reads what operators name in commands."""

from __future__ import annotations

from django.core.management import CommandError

from foundation.accounts.models import User


def named_user(name: str) -> User:
    """The user who goes by this user name. Raises ``CommandError``."""
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError("Nobody goes by that user name.")
    return user
