from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from finclaw.api.reference import render_reference

PATH: Final = settings.BASE_DIR / "docs" / "api.md"


class Command(BaseCommand):
    """Write ``docs/api.md`` from the OpenAPI schema, or check that it is up to date."""

    help = "Write docs/api.md from the OpenAPI schema. With --check write nothing, and fail where the page is stale."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true")
        parser.add_argument("--path", type=Path, default=PATH)

    def handle(self, *args: Any, check: bool, path: Path, **options: Any) -> None:
        page = render_reference()
        if not check:
            path.write_text(page, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != page:
            raise CommandError(f"{path.name} does not say what the code does: run manage.py document_api.")
