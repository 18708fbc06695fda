from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from finclaw.health.exposition import empty_metrics_folder, metrics_folder
from finclaw.management.commands.up import web_arguments


class Command(BaseCommand):
    """Become the web server at one address, without database, migrations and worker: one of several behind a proxy."""

    help = "Run the web server alone, for example as one of several behind a proxy."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, required=True)

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> NoReturn:
        metrics = metrics_folder(f"web-{port}")
        empty_metrics_folder(metrics)
        own = {"FINCLAW_PROCESS": "web", "PROMETHEUS_MULTIPROC_DIR": str(metrics), "PYTHONUNBUFFERED": "1"}
        os.chdir(settings.BASE_DIR)
        os.execve(sys.executable, [sys.executable, *web_arguments(host, port)], os.environ | own)  # noqa: S606
