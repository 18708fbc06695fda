"""Database roles and what each may touch.

Roles are made by the launcher or printed for a database administrator, never by a migration:

- ``finclaw_owner`` owns the tables and migrates. Under FORCE ROW LEVEL SECURITY it sees no personal row.
- ``finclaw_app`` is what every process connects as. It sees the rows of the user it acts for.
- ``finclaw_worker``, ``finclaw_operator``, ``finclaw_eraser`` are entered for one transaction with
  ``SET LOCAL ROLE``: claiming outbox rows, reading as an operator, erasing for one user.
- ``finclaw_backup`` bypasses row-level security, for dumps.
"""

from __future__ import annotations

from foundation.database.urls import APP_ROLE, OWNER_ROLE

WORKER_ROLE = "finclaw_worker"
OPERATOR_ROLE = "finclaw_operator"
ERASER_ROLE = "finclaw_eraser"
BACKUP_ROLE = "finclaw_backup"
_ATTRIBUTES = {
    OWNER_ROLE: "LOGIN CREATEDB",
    APP_ROLE: "LOGIN",
    WORKER_ROLE: "NOLOGIN",
    OPERATOR_ROLE: "NOLOGIN",
    ERASER_ROLE: "NOLOGIN",
    BACKUP_ROLE: "NOLOGIN BYPASSRLS",
}
ENTERED_ROLES = (WORKER_ROLE, OPERATOR_ROLE, ERASER_ROLE)


def role_statements() -> list[str]:
    """Make the roles. Run once per server, as a superuser; running it again changes nothing."""
    statements = [
        f"DO $$ BEGIN CREATE ROLE {role} {attributes} NOSUPERUSER; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
        for role, attributes in _ATTRIBUTES.items()
    ]
    statements += [f"GRANT {role} TO {APP_ROLE} WITH INHERIT FALSE, SET TRUE" for role in ENTERED_ROLES]
    return [*statements, f"GRANT pg_read_all_data TO {BACKUP_ROLE}"]


def grant_statements() -> list[str]:
    """What the owner hands to the other roles, for tables yet to be made. Run once per database, as owner.

    Row-level security decides which rows; append-only tables take UPDATE and DELETE back one by one.
    """
    roles = ", ".join((APP_ROLE, *ENTERED_ROLES))
    default = f"ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER_ROLE} IN SCHEMA public GRANT"
    return [
        f"GRANT USAGE ON SCHEMA public TO {roles}",
        f"{default} SELECT, INSERT, UPDATE, DELETE ON TABLES TO {roles}",
        f"{default} USAGE, SELECT ON SEQUENCES TO {roles}",
    ]
