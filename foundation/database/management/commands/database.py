from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from foundation.database.availability import require_writable
from foundation.database.bootstrap import bootstrap
from foundation.database.embedded_server import EmbeddedServer


class Command(BaseCommand):
    """Start, stop or look at the embedded PostgreSQL."""

    help = "Start or stop the embedded PostgreSQL server, or show its status."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["start", "stop", "status"])

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        if settings.DATABASE_URL:
            raise CommandError("DATABASE_URL is set: that server is not ours to start or stop.")
        getattr(self, action)(EmbeddedServer(settings.DATA_DIR))

    def start(self, server: EmbeddedServer) -> None:
        """Start the server where it is not running, and make its roles and database."""
        started = server.start()
        require_writable(server)
        bootstrap(server)
        self.stdout.write(f"PostgreSQL {'started' if started else 'was running already'} ({server.sockets}).")

    def stop(self, server: EmbeddedServer) -> None:
        """Stop the server, even while others are connected."""
        self.stdout.write("PostgreSQL stopped." if server.stop() else "PostgreSQL was not running.")

    def status(self, server: EmbeddedServer) -> None:
        """Print whether the server answers, and how many clients it has."""
        if not server.is_running():
            self.stdout.write("PostgreSQL is not running.")
            return
        self.stdout.write(f"PostgreSQL is running ({server.sockets}), {server.client_count()} connections.")
