from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from foundation.database.roles import grant_statements, role_statements
from foundation.database.urls import OWNER_ROLE


class Command(BaseCommand):
    """Print the SQL that a database administrator runs once on their own PostgreSQL."""

    help = (
        "Print the SQL that creates FinClaw's roles, extension and grants, to be run by a superuser in FinClaw's "
        "database."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--print", action="store_true", dest="show", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        statements = [
            "CREATE EXTENSION IF NOT EXISTS vector",
            *role_statements(),
            f"GRANT CREATE, USAGE ON SCHEMA public TO {OWNER_ROLE}",
            f"SET ROLE {OWNER_ROLE}",
            *grant_statements(),
            "RESET ROLE",
        ]
        self.stdout.write("".join(f"{statement};\n" for statement in statements))
        self.stdout.write("-- then give finclaw_owner and finclaw_app a password each: ALTER ROLE … PASSWORD '…';\n")
