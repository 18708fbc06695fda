"""Creates demo users in a fresh local installation; their passwords are shown once and stored only as hashes."""

from __future__ import annotations

import ipaddress
import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import transaction

from foundation.accounts.models import User
from foundation.accounts.services import change_password, sign_up
from foundation.private_files import append_privately

ALICE, OPERATOR = "alice", "operator"
_PURPOSES = {
    ALICE: "a first user: sign in, choose what may be remembered, talk",
    OPERATOR: "the operators' pages under /admin/; the first visit sets up a second factor",
}


@dataclass(frozen=True)
class DemoSignIn:
    """A user name with its password, to be shown once, and what to use it for."""

    username: str
    password: str
    is_for: str

    def __str__(self) -> str:
        return f"{self.username:<9} {self.password}   {self.is_for}"


def is_local(host: str) -> bool:
    """Whether only this machine reaches the installation, and the database is its own; never behind TLS."""
    return not settings.DATABASE_URL and not settings.HTTPS and _is_loopback(host)


def make_demo_people() -> list[DemoSignIn]:
    """Create the two demo users if the database has no users. A file keeps their ids, for resetting their passwords."""
    if User.objects.exists():
        return []
    with transaction.atomic():
        passwords = {username: secrets.token_urlsafe(9) for username in _PURPOSES}
        alice, _ = sign_up(ALICE, passwords[ALICE], display_name="Alice")
        operator = User.objects.create_superuser(OPERATOR, passwords[OPERATOR])
    _keep_ids([alice, operator])
    return [DemoSignIn(username, passwords[username], purpose) for username, purpose in _PURPOSES.items()]


def demo_people() -> list[User]:
    """The demo users that still exist."""
    try:
        ids = [UUID(value) for value in json.loads(_ids_file().read_text())]
    except FileNotFoundError:
        return []
    return list(User.objects.filter(pk__in=ids, is_active=True).order_by("username"))


def reset_demo_passwords() -> list[DemoSignIn]:
    """Give each of them a new password."""
    return [_with_new_password(user) for user in demo_people()]


def forget_kept_passwords() -> bool:
    """Delete the file in which earlier versions kept the passwords; whether there was one."""
    file = settings.DATA_DIR / "demo-sign-ins.json"
    try:
        usernames = [row["username"] for row in json.loads(file.read_text())]
    except FileNotFoundError:
        return False
    _keep_ids(list(User.objects.filter(username__in=usernames)))
    file.unlink()
    return True


def _with_new_password(user: User) -> DemoSignIn:
    password = secrets.token_urlsafe(9)
    change_password(user, password, keep_session=None)
    return DemoSignIn(user.username, password, _PURPOSES.get(user.username, ""))


def _keep_ids(people: list[User]) -> None:
    with append_privately(_ids_file()) as file:
        file.truncate(0)
        file.write(json.dumps([str(person.pk) for person in people]).encode())


def _ids_file() -> Path:
    return settings.DATA_DIR / "demo-people.json"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
