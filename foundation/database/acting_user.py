"""Sets the user and the database role that a transaction acts as; row-level security shows only that user's rows."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from uuid import UUID

from django.db import connection, transaction

from foundation.database.acting_program import acting_program
from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE, WORKER_ROLE
from foundation.database.urls import APP_ROLE

USER_SETTING = "finclaw.user_id"
_ROLES = frozenset({ERASER_ROLE, OPERATOR_ROLE, WORKER_ROLE})


@contextmanager
def acting_as(user_id: UUID | None) -> Iterator[None]:
    """A transaction (or savepoint) in which exactly this user's rows, and their groups', are visible.

    ``None`` acts for nobody: every table with personal data reads empty. At the end the previous user is set again.
    """
    inner = connection.in_atomic_block
    with transaction.atomic():
        previous = act_for(user_id)
        yield
        if inner:  # the end of an outermost transaction resets the setting by itself
            _set_user(previous)


@contextmanager
def snapshot_as(user_id: UUID) -> Iterator[None]:
    """A read-only transaction that sees this user's rows as they stood at its beginning, whatever commits meanwhile.

    Raises ``TransactionManagementError`` inside another transaction, which may have looked already.
    """
    if connection.in_atomic_block:
        raise transaction.TransactionManagementError("a snapshot needs a transaction of its own")
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        act_for(user_id)
        yield


@contextmanager
def separate_connection() -> Iterator[Executor]:
    """A thread with its own database connection, to commit something while a transaction is open here."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        try:
            yield thread
        finally:
            thread.submit(lambda: connection.close()).result()  # looked up there: it is that thread's connection


def act_for(user_id: UUID | None) -> str:
    """Set the user, and the acting program, for the rest of the open transaction; answers who the user was before.
    Raises outside a transaction.

    For requests, whose transaction ATOMIC_REQUESTS opens and closes; elsewhere use ``acting_as``.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("acting for a user needs an open transaction")
    value = str(user_id) if user_id else ""
    settings = {USER_SETTING: value} | acting_program().settings
    with connection.cursor() as cursor:  # one round trip; the columns are evaluated from left to right
        cursor.execute(
            f"SELECT coalesce(current_setting(%s, true), ''){', set_config(%s, %s, true)' * len(settings)}",
            [USER_SETTING, *chain.from_iterable(settings.items())],
        )
        previous: str = cursor.fetchone()[0]
    return previous


def _set_user(value: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config(%s, %s, true)", [USER_SETTING, value])


def commit_without_waiting() -> None:
    """Commit this transaction without waiting for the disk: for marks whose loss in a crash does no harm."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")


def give_back_connection() -> None:
    """Return this thread's connection to the pool before something slow; the next query takes another.

    Inside a transaction it stays, and where there is no pool reconnecting would cost more than it frees.
    """
    if "pool" in connection.settings_dict["OPTIONS"] and not connection.in_atomic_block:
        connection.close()


@contextmanager
def on_behalf_of(user_id: UUID) -> Iterator[None]:
    """Run a governed act of an operator as the application acting for this user, in place of the operator's role."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_user::text")
            previous: str = cursor.fetchone()[0]
        _set_role(APP_ROLE)
        with acting_as(user_id):
            yield
        _set_role(previous)


@contextmanager
def in_role(role: str) -> Iterator[None]:
    """A transaction (or savepoint) that runs as one of the narrower or wider roles."""
    inner = connection.in_atomic_block
    with transaction.atomic():
        previous = enter_role(role)
        yield
        if inner:  # as in ``acting_as``
            _set_role(previous)


def enter_role(role: str) -> str:
    """Enter ``role`` for the rest of the open transaction; answers the role that held before."""
    if role not in _ROLES:
        raise ValueError("not a role that can be entered")
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("entering a role needs an open transaction")
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user::text, set_config('role', %s, true)", [role])
        previous: str = cursor.fetchone()[0]
    return previous


def _set_role(role: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('role', %s, true)", [role])
