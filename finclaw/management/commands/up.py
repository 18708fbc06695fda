from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
from io import StringIO
from math import ceil
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from finclaw.startup import replay_erasures, update_tables, ways_to_sign_in
from finclaw.supervisor import Program, Supervisor
from foundation.accounts.models import User
from foundation.database.availability import require_writable
from foundation.database.bootstrap import bootstrap
from foundation.database.embedded_server import EmbeddedServer
from foundation.private_files import restrict_data_folder

OWNER_ONLY = 0o077
GOODBYE = "Everything has stopped."
PARTING_SECONDS = 3  # for a web process to notice that the time for requests under way is over
STILL_USED = "Web and worker have stopped; PostgreSQL goes on for others who use it (make stop ends it)."


class Command(BaseCommand):
    """Run all of FinClaw in one foreground process: database, migrations, web, worker. Ctrl-C stops all."""

    help = "Start the database, migrate, and run the web server, the worker and the MCP server until Ctrl-C."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        for taken, setting in ((port, "PORT"), (settings.MCP_PORT, "MCP_PORT")):
            self._require_free(host, taken, setting)
        os.umask(OWNER_ONLY)  # also for web and worker: a library writes the metrics files
        signal.signal(signal.SIGHUP, stop_on_hangup)
        server = None if settings.DATABASE_URL else EmbeddedServer(settings.DATA_DIR)
        restrict_data_folder(settings.DATA_DIR, besides=EmbeddedServer(settings.DATA_DIR).cluster)
        try:
            if server is not None:
                self._start(server)
            update_tables(server)
            call_command("check", stdout=StringIO())  # web and worker skip the system checks
            self.compile_catalogues()
            replay_erasures(self.stdout.write)
            call_command("schedules", stdout=StringIO())
            self._announce(host, port, ways_to_sign_in(host))
            assistants = [mcp_program(host, port)] if settings.MCP_PORT else []
            self._serve(self._processes(host, port), assistants, watchdogs_of(server))
        finally:
            connections.close_all()
            stopped = server is None or server.stop_if_unused()
        self.stdout.write(GOODBYE if stopped else STILL_USED)

    def _require_free(self, host: str, port: int, setting: str) -> None:
        """Raise ``CommandError`` where somebody listens on the port; 0 is none."""
        if not port:
            return
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            if probe.connect_ex((host, port)) == 0:
                raise CommandError(
                    f"Port {port} is taken, perhaps by an earlier run. Choose another: {setting}={port + 1} make run"
                )

    def _start(self, server: EmbeddedServer) -> None:
        self.stdout.write("Starting PostgreSQL and bringing its tables up to date …")
        server.start()
        require_writable(server)
        bootstrap(server)

    def compile_catalogues(self) -> None:
        """Without them every page is English, whatever language somebody chose. `make run` compiles them before."""
        try:
            call_command("compile_catalogues")
        except OSError:  # an installation that its process may not write
            self.stdout.write("Other languages are shown in English until you run: manage.py compile_catalogues")

    def _announce(self, host: str, port: int, ways_in: list[str]) -> None:
        address = f"http://{host}:{port}"
        self.stdout.write(
            f"\n  FinClaw    {address}/\n  API        {address}/api/docs\n  Operators  {address}/admin/\n"
        )
        if settings.MCP_PORT:
            self.stdout.write(f"  MCP        http://{host}:{settings.MCP_PORT}/mcp")
        for line in ways_in:
            self.stdout.write(f"  Sign in    {line}")
        if not User.objects.filter(is_superuser=True, is_active=True).exists():
            self.stdout.write("  Operator   none yet: .venv/bin/python manage.py createsuperuser")
        if settings.HTTPS:
            self.stdout.write("  HTTPS      your proxy speaks it; the addresses above answer with a redirect")
        self.stdout.write("\n  Ctrl-C stops everything.\n")
        self.stdout.flush()

    def _serve(self, processes: dict[str, list[str]], assistants: list[Program], watchers: list[Program]) -> None:
        metrics = Path(mkdtemp(prefix="metrics-", dir=settings.DATA_DIR))
        shared = {"PROMETHEUS_MULTIPROC_DIR": str(metrics), "PYTHONUNBUFFERED": "1"}
        programs = [
            Program(name, [sys.executable, *arguments], {**shared, "FINCLAW_PROCESS": name}, settings.SPARES)
            for name, arguments in processes.items()
        ]
        try:
            Supervisor([*programs, *assistants], watchers, sys.stdout, settings.BASE_DIR).run()
        finally:
            shutil.rmtree(metrics, ignore_errors=True)

    def _processes(self, host: str, port: int) -> dict[str, list[str]]:
        return {"web": web_arguments(host, port), "worker": ["manage.py", "worker"]}


def mcp_program(host: str, port: int) -> Program:
    """The server for assistants that speak the Model Context Protocol: a client of the API on ``port``."""
    environment = {
        "PYTHONPATH": os.pathsep.join(str(settings.BASE_DIR / "clients" / name) for name in ("mcp", "python")),
        "FINCLAW_URL": f"http://{host}:{port}",
        "MCP_HOST": host,
        "MCP_PORT": str(settings.MCP_PORT),
        "MCP_PUBLIC_URL": settings.PUBLIC_URL,
    }
    return Program("mcp", [sys.executable, "-m", "finclaw_mcp", "--http"], environment)


def watchdogs_of(server: EmbeddedServer | None) -> list[Program]:
    """What starts the embedded database again whenever it crashes, until web and worker have stopped; an external one
    has its own watcher.
    """
    if server is None:
        return []
    return [Program("postgres", [sys.executable, "-m", "foundation.database.watchdog", str(server.data_dir)])]


def web_arguments(host: str, port: int) -> list[str]:
    """Python's arguments to run the web server."""
    return [
        "-m", "gunicorn", "finclaw.wsgi", "-c", "python:finclaw.server.gunicorn_settings", "--bind", f"{host}:{port}",
        "--worker-class", "finclaw.server.worker.DeadlineWorker",
        "--workers", str(settings.WEB_WORKERS), "--worker-connections", str(settings.WEB_CONNECTIONS),
        "--graceful-timeout", str(ceil(settings.WEB_STOPPING_SECONDS) + PARTING_SECONDS), "--log-level", "warning",
        "--limit-request-line", "8190",  # the most it takes: a question may stand in an address
        "--no-control-socket",  # nobody asks it, and it would stand in the home of whoever started this
    ]  # fmt: skip


def stop_on_hangup(*_: object) -> None:
    """Treat a closed terminal like Ctrl-C, so that no process stays behind.

    Output while stopping is discarded: writing to the lost terminal would raise and interrupt the stopping.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.kill(os.getpid(), signal.SIGTERM)
