"""Types of imports of knowledge: what a file holds, and what becomes of each of its entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal
from uuid import UUID

from django.db import models
from django.utils.translation import gettext_lazy as _

from foundation.accounts.models import Tenant, User
from knowledge.models import KnowledgeEntry
from knowledge.types import Platform

Format = Literal["csv", "jsonl", "markdown"]
LISTS: Final = ("org_tiers", "roles", "platforms")
TIMES: Final = ("valid_from", "valid_to")
CHOICES: Final[Mapping[str, frozenset[str]]] = {
    "kind": frozenset(KnowledgeEntry.Kind.values),
    "org_tiers": frozenset(Tenant.OrgTier.values),
    "roles": frozenset(User.Role.values),
    "platforms": frozenset(Platform.values),
}
"""What a field may hold, or each element of a list."""


class LineOutcome(models.TextChoices):
    """What becomes of an entry of a file."""

    ADDED = "added", _("added")
    CHANGED = "changed", _("changed")
    SAME = "same", _("the same")
    REFUSED = "refused", _("refused")


@dataclass(frozen=True)
class ImportedEntry:
    """An entry as a file gives it, from its ``line`` on: fields by name, or the ``problem`` why it cannot be read."""

    line: int
    fields: Mapping[str, Any]
    problem: str = ""


@dataclass(frozen=True)
class LineReport:
    """What becomes, or would become, of one entry of a file. ``knowledge_id`` is None for one that is not stored."""

    line: int
    outcome: LineOutcome
    external_id: str = ""
    knowledge_id: UUID | None = None
    reason: str = ""


@dataclass(frozen=True)
class ImportReport:
    """What an import did, or would do; ``is_written`` says which. With a refused line nothing is written."""

    lines: tuple[LineReport, ...]
    is_written: bool

    def count(self, outcome: LineOutcome) -> int:
        """How many lines have this outcome."""
        return sum(line.outcome == outcome for line in self.lines)
