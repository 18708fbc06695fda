"""Examines PostgreSQL: its version, extension, roles and policies, what it logs, and whether it takes writes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from django.db import connection

from consent.declarations import personal_models
from finclaw.doctor.findings import DoctorFinding
from finclaw.health.readiness import readiness
from foundation.database.roles import ENTERED_ROLES

LEAST_VERSION: Final = 160_000
LEAST_PGVECTOR: Final = (0, 7)
MOST_CLOCK_SECONDS: Final = 5.0
ROLE_REMEDY: Final = "A superuser runs the statements of manage.py bootstrap_roles --print in FinClaw's database."
READ_BEFORE_SIGN_IN: Final = frozenset({
    "accounts_user", "accounts_membership", "accounts_apitoken", "accounts_recoverycode", "accounts_browsersession",
})  # fmt: skip
"""Tables that are read before it is known who asks, so row-level security cannot stand before them."""
_QUIET_LOG: Final = {"log_min_error_statement": ("panic", "fatal", "log"), "log_statement": ("none", "ddl")}


def examine_database() -> Iterator[DoctorFinding]:
    """Everything about the database that the processes connect to."""
    yield from _examine_server()
    yield from _examine_roles()
    yield from _examine_policies()
    yield from _examine_log()
    yield from _examine_state()


def _examine_server() -> Iterator[DoctorFinding]:
    version, shown = _row("SELECT current_setting('server_version_num')::int, current_setting('server_version')")
    is_old = version < LEAST_VERSION
    yield DoctorFinding("database", f"PostgreSQL {shown}", "Use 16 or later." if is_old else "", is_urgent=is_old)
    (extension,) = _row("SELECT max(extversion) FROM pg_extension WHERE extname = 'vector'")
    is_lacking = not extension or tuple(map(int, extension.split(".")[:2])) < LEAST_PGVECTOR
    remedy = "Install pgvector 0.7 or later; then a superuser: CREATE EXTENSION vector." if is_lacking else ""
    yield DoctorFinding("database", f"pgvector {extension or 'is not installed'}", remedy, is_urgent=is_lacking)
    (encoding,) = _row("SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()")
    if encoding != "UTF8":
        yield DoctorFinding(
            "database", f"its encoding is {encoding}", "Make the database anew with UTF-8.", is_urgent=True
        )
    (now,) = _row("SELECT extract(epoch FROM clock_timestamp())::float8")
    if abs(apart := now - time.time()) > MOST_CLOCK_SECONDS:
        yield DoctorFinding("database", f"its clock is {apart:+.0f} s from this machine's", "Run NTP on both.")


def _examine_roles() -> Iterator[DoctorFinding]:
    name, passes = _row("SELECT rolname, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
    if passes:
        yield DoctorFinding(
            "roles",
            f"{name} passes row-level security",
            f"ALTER ROLE {name} NOSUPERUSER NOBYPASSRLS: else one fault shows everybody's words.",
            is_urgent=True,
        )
    lacking = [role for role in ENTERED_ROLES if not _may_enter(role)]
    if lacking:
        yield DoctorFinding("roles", f"{name} may not enter {', '.join(lacking)}", ROLE_REMEDY, is_urgent=True)
    if not passes and not lacking:
        yield DoctorFinding("roles", f"{name} may enter {len(ENTERED_ROLES)} roles, and passes no policy")


def _may_enter(role: str) -> bool:
    is_there, *_ = _row("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = %s)", role)
    return bool(is_there and _row("SELECT pg_has_role(current_user, %s, 'SET')", role)[0])


def _examine_policies() -> Iterator[DoctorFinding]:
    tables = {one.model._meta.db_table for one in personal_models()}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relforcerowsecurity"
        )
        guarded = {name for (name,) in cursor.fetchall()}
        cursor.execute("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'")
        made = {name for (name,) in cursor.fetchall()}
    if bare := sorted((tables & made) - guarded - READ_BEFORE_SIGN_IN):
        yield DoctorFinding(
            "policies",
            f"no row-level security on {', '.join(bare)}",
            "Migrate (manage.py migrate --database owner); if that changes nothing, stop serving and report it.",
            is_urgent=True,
        )
    else:
        yield DoctorFinding("policies", f"row-level security is forced on {len(guarded)} tables")


def _examine_log() -> Iterator[DoctorFinding]:
    for name, quiet in _QUIET_LOG.items():
        (value,) = _row("SELECT current_setting(%s)", name)
        if value not in quiet:
            yield DoctorFinding(
                "log of PostgreSQL",
                f"{name} = {value}: it would hold people's words",
                f"ALTER SYSTEM SET {name} = '{quiet[0]}'; SELECT pg_reload_conf();",
                is_urgent=True,
            )


def _examine_state() -> Iterator[DoctorFinding]:
    facts: dict[str, Any] = readiness()
    remedy = str(facts.get("reason", ""))
    what = "ready" if not remedy else f"{facts['status']}: {remedy}"
    yield DoctorFinding("readiness", what, f"Do this first: {remedy}." if remedy else "", is_urgent=bool(remedy))
    if facts.get("model") in {"failing", "refused"}:
        yield DoctorFinding("model", f"its server is {facts['model']}", "Run manage.py check_model.")
    (synchronous,) = _row("SELECT current_setting('synchronous_commit')")
    if synchronous == "off":
        yield DoctorFinding("database", "synchronous_commit is off", "Set it to on: an answered turn could be lost.")


def _row(statement: str, *parameters: str) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(statement, list(parameters))
        row: tuple[Any, ...] = cursor.fetchone()
    return row
