"""Defines the plan of one erasure, which preview, request and worker share, and the steps that packages add to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from consent.declarations import PersonalModel
from consent.erasure.types import KeptRows, Targets
from consent.models import ErasureScope, Sources
from consent.permit import Permit

Counts = Mapping[str, int]  # rows by place
_NO_TOMBSTONE = UUID(int=0)


@dataclass(frozen=True)
class ErasurePlan:
    """What one erasure takes: the rows it names, and the ``tables`` from which it deletes all rows of the user.

    ``before`` is when it was requested; ``tombstone_id`` is zero until then.
    """

    user_id: UUID
    scope: str
    sources: str
    target_id: UUID | None = None
    targets: Targets = field(default_factory=Targets)
    tables: Sequence[PersonalModel] = ()
    before: datetime = field(default_factory=timezone.now)
    tombstone_id: UUID = _NO_TOMBSTONE

    @property
    def is_account(self) -> bool:
        return self.scope == ErasureScope.ACCOUNT

    @property
    def is_everything_learned(self) -> bool:
        return self.scope == ErasureScope.MEMORIES

    @property
    def is_whole(self) -> bool:
        """Whether the erasure takes all rows of a scope instead of named rows."""
        return bool(self.tables)

    @property
    def takes_messages(self) -> bool:
        """Whether the erasure takes the words of everything the user said."""
        return self.is_account or (self.is_everything_learned and self.sources == Sources.REDACT)


class ErasurePart:
    """One package's part of an erasure, instantiated for each run; a package overrides the steps that concern it.

    Rows of models with a ``PersonalData`` declaration need no step beyond ``extend``: they are hidden and deleted with
    the others.
    """

    def __init__(self, plan: ErasurePlan) -> None:
        self.plan = plan

    def extend(self, permit: Permit) -> Targets:
        """The plan's rows, and those of the package to erase with them. Called before the rows are hidden."""
        return self.plan.targets

    def clean_at_once(self) -> None:
        """Clean, in the request's transaction, what cannot be hidden. Called after the rows are hidden."""

    def clean(self) -> Counts:
        """Clean data that is no row of the plan, before its rows are deleted; returns the counts removed, by place."""
        return {}

    def finish(self) -> Counts:
        """Rebuild what had been derived from the deleted rows; returns the counts removed, by place."""
        return {}

    def count_residue(self) -> Counts:
        """Count residue outside the plan's rows, by place. Called as the eraser, last."""
        return {}

    def list_kept_rows(self) -> Collection[KeptRows]:
        """The rows that the package leaves on purpose, for a reason other than their declaration's. Called as the
        eraser, last.

        In an erasure of a whole scope, the declarations themselves name the tables that it leaves.
        """
        return ()
