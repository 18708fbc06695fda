"""People to try a fresh installation with. Their passwords are made here, once, and kept beside the data."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass

from django.conf import settings

from foundation.accounts.models import User
from foundation.accounts.services import sign_up


@dataclass(frozen=True)
class SignIn:
    """A user name, its password, and what to use it for."""

    username: str
    password: str
    is_for: str


_PEOPLE = (("alice", "Alice", "a first user: sign in, choose what may be remembered, talk"),)
_OPERATOR = ("operator", "the operators' pages under /admin/")


def ensure_demo_people() -> list[SignIn]:
    """The demo sign-ins, made on the first start of an installation without users."""
    file = settings.DATA_DIR / "demo-sign-ins.json"
    if file.exists():
        return [SignIn(**row) for row in json.loads(file.read_text())]
    if User.objects.exists():
        return []
    sign_ins = [_person(*person) for person in _PEOPLE] + [_operator()]
    with os.fdopen(os.open(file, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as handle:
        json.dump([asdict(sign_in) for sign_in in sign_ins], handle)
    return sign_ins


def _person(username: str, display_name: str, is_for: str) -> SignIn:
    password = secrets.token_urlsafe(9)
    sign_up(username, password, display_name=display_name)
    return SignIn(username, password, is_for)


def _operator() -> SignIn:
    username, is_for = _OPERATOR
    password = secrets.token_urlsafe(9)
    User.objects.create_superuser(username, password)
    return SignIn(username, password, is_for)
