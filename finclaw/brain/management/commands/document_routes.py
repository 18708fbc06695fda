from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from finclaw.brain.context_slices import CHAT, SLICES, SliceName
from finclaw.brain.research.routes import ROUTES, RoutePolicy

PATH: Final = settings.BASE_DIR / "docs" / "routes.md"
_HELP = """Generate docs/routes.md from the table of research routes in the code. With --check write nothing, and exit
with an error if the page is out of date."""
_HEAD = """\
# Routes and what they are given of memory

Written by `manage.py document_routes` from `finclaw/brain/research/routes.py`; do not edit.

A slice is a portion of what is remembered of a person. A route is given the slices that stand in its row and no other.
Each field of a slice comes from the nearest scope that states it (the task, else its thread, else the profile), and
only where the consent for that scope holds. Positions, constraints and time horizon (S7, S8) that were stated for a
thread or for the profile are read only where they were confirmed in the request that stated them."""

_WHERE: Final = """\
All the slices of a route stand in the prompt of its personal part, last before the message, and in no other prompt:
evidence, market, risks, conditions, invalidators, the counter-thesis and the data quality note are the same for
everybody who asks the same in one language. The personal part is the main thesis, or a note on what the result means
for its person, which is kept for 24 hours; a route without one is given the language alone. A thesis stays, so what
was said of positions, constraints and time horizon (S7, S8) never enters one: a refresh puts it in a note beside. Three
slices act beside that: the language (S1) is the one that everything is written in, the research depth (S2) sets the
length of the personal part and how many memories may stand in it, and how to speak of risk (S3) the order in which the
advisors are asked."""


class Command(BaseCommand):
    """Write ``docs/routes.md`` from the route table, or check that it is up to date."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true")
        parser.add_argument("--path", type=Path, default=PATH)

    def handle(self, *args: Any, check: bool, path: Path, **options: Any) -> None:
        page = rendered_page()
        if not check:
            path.write_text(page, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != page:
            raise CommandError(f"{path.name} does not say what the code does: run manage.py document_routes.")


def rendered_page() -> str:
    """The whole page as Markdown."""
    matrix = ("## Matrix", _matrix_table(), _conditions_list(), "## Where they go", _WHERE)
    parts = (_HEAD, "## Slices", _slices_table(), *matrix, "## Routes", _routes_table())
    return "\n\n".join(parts) + "\n"


def _slices_table() -> str:
    rows = [
        (
            name,
            policy.title,
            _code_list(policy.fields),
            ", ".join(policy.scopes) or "rows",
            policy.default or "",
            str(policy.most_tokens),
        )
        for name, policy in SLICES.items()
    ]
    return _table(("Slice", "Holds", "Fields", "Scopes, nearest first", "Default", "Tokens at most"), rows)


def _matrix_table() -> str:
    rows = [
        (_code_list([policy.route]), *(_matrix_cell(policy, name) for name in SLICES)) for policy in ROUTES.values()
    ]
    chat = ("plain chat", *("always" if name in CHAT else "" for name in SLICES))
    return _table(("Route", *SLICES), [*rows, chat])


def _matrix_cell(policy: RoutePolicy, name: SliceName) -> str:
    if name in policy.required:
        return "always"
    return "may" if name in policy.optional else ""


def _conditions_list() -> str:
    lines = [
        f"- `{policy.route}` is given {name}: {condition}."
        for policy in ROUTES.values()
        for name, condition in policy.optional.items()
    ]
    return "“may” means under a condition:\n\n" + "\n".join(lines)


def _routes_table() -> str:
    rows = [
        (
            _code_list([policy.route]),
            str(policy.result_kind.value),
            policy.personal_part or "",
            _code_list(policy.advisors),
            "yes" if policy.needs_thread else "",
        )
        for policy in ROUTES.values()
    ]
    return _table(("Route", "Makes", "Personal part", "Advisors, whose set never changes", "Needs a thread"), rows)


def _code_list(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
