"""Former names of fields that answers still carry: each with its successor and the day it ends, and who still reads it.

A name is kept for two minor releases or until its day, whichever is later; then its field is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


@dataclass(frozen=True)
class FieldAlias:
    """A former name of a field; ``ends_on`` is the first day on which answers may lack it."""

    name: str
    successor: str
    ends_on: date

    @property
    def help_text(self) -> str:
        """What the reference says of it."""
        return f"Deprecated alias of {self.successor}; ends on {self.ends_on:%Y-%m-%d}."


@dataclass(frozen=True)
class AliasUse:
    """A line that names an alias."""

    file: Path
    line: int
    alias: FieldAlias

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.alias.name} ends on {self.alias.ends_on}: use {self.alias.successor}"


@extend_schema_field({"type": "string", "format": "uuid", "deprecated": True})
class AliasedIdField(serializers.UUIDField):
    """An id under a former name."""

    def __init__(self, alias: FieldAlias, *, source: str) -> None:
        super().__init__(source=source, help_text=alias.help_text)


ITEM_ID: Final = FieldAlias("item_id", "memory_id", date(2027, 6, 1))
ALIASES: Final = (ITEM_ID,)
READ: Final = (
    ".c", ".cs", ".go", ".html", ".java", ".js", ".json", ".jsx", ".kt", ".md", ".php", ".py", ".rb", ".rs", ".sh",
    ".sql", ".swift", ".toml", ".ts", ".tsx", ".vue", ".yaml", ".yml",
)  # fmt: skip
"""The files that may name a field, by suffix."""
_NAMED: Final = re.compile(rf"(?<![\w$])(?:{'|'.join(alias.name for alias in ALIASES)})(?!\w)")
_BY_NAME: Final = {alias.name: alias for alias in ALIASES}


def find_uses(paths: Iterable[Path]) -> Iterator[AliasUse]:
    """Every line of these files, and of those in these folders, that names an alias; hidden folders are left out."""
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            below = file.relative_to(path).parts if path.is_dir() else ()
            if file.is_file() and file.suffix in READ and not any(part.startswith(".") for part in below):
                yield from _uses_in(file)


def _uses_in(file: Path) -> Iterator[AliasUse]:
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        for found in _NAMED.finditer(line):
            yield AliasUse(file, number, _BY_NAME[found[0]])
