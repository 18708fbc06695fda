from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

ROOT: Final = settings.BASE_DIR
PATH: Final = ROOT / "docs" / "modules.md"
PACKAGES: Final = ("finclaw", "drift", "personas", "memory", "knowledge", "media", "consent", "foundation", "clients")
LEFT_OUT: Final = frozenset({"migrations", "management", "node_modules", "build", "__init__.py", "apps.py"})
SENTENCE_END: Final = re.compile(r"(?<=\.) (?=[A-Z`])")
INTRODUCTION: Final = """\
# Every module in a line

The first sentence of each module, by folder: what it decides or does. Made by `manage.py document_modules`, which a
test holds to. `CONTRIBUTING.md` says in fewer words where a decision stands.
"""


class Command(BaseCommand):
    """Write ``docs/modules.md`` from the modules' docstrings, or check that it is up to date."""

    help = "Write docs/modules.md from the first sentence of each module. With --check fail where the page is stale."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true")

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        page = render_modules()
        if not check:
            PATH.write_text(page, encoding="utf-8")
        elif not PATH.exists() or PATH.read_text(encoding="utf-8") != page:
            raise CommandError(f"{PATH.name} does not say what the modules do: run manage.py document_modules.")


def render_modules() -> str:
    """The page: a heading for each folder, a line for each module that says what it does."""
    parts = [INTRODUCTION]
    for folder, modules in groupby(_modules(), key=lambda module: module.parent):
        lines = [f"- `{module.name}`: {said}\n" for module in modules if (said := _first_sentence(module))]
        if lines:
            parts += [f"\n## `{folder.relative_to(ROOT)}/`\n\n", *lines]
    return "".join(parts)


def _modules() -> Iterator[Path]:
    for package in PACKAGES:
        found = (ROOT / package).rglob("*.py")
        yield from sorted(
            (path for path in found if not LEFT_OUT & set(path.parts)), key=lambda path: (path.parent.parts, path.name)
        )


def _first_sentence(module: Path) -> str:
    documentation = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    paragraph = " ".join(documentation.partition("\n\n")[0].split())
    return SENTENCE_END.split(paragraph, maxsplit=1)[0]
