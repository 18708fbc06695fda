"""The plan of one erasure, and what a package contributes to it: preview, request and worker walk the same plan."""

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
    """What one erasure takes: the rows it names, and the ``tables`` that it empties of the user's rows.

    ``before`` is when it was asked for; ``tombstone_id`` is zero until it is.
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
        """Whether it takes all rows of a scope, so that it names none of them."""
        return bool(self.tables)

    @property
    def takes_messages(self) -> bool:
        """Whether it takes the words of everything the user said."""
        return self.is_account or (self.is_everything_learned and self.sources == Sources.REDACT)


class ErasurePart:
    """One package's part of an erasure, made anew for each walk; a package overrides the steps that concern it.

    Rows with a ``PersonalData`` declaration need no step of their own beyond ``extend``: they are hidden and deleted
    with the others.
    """

    def __init__(self, plan: ErasurePlan) -> None:
        self.plan = plan

    def extend(self, permit: Permit) -> Targets:
        """The plan's rows with those of the package that go along. Called before the rows are hidden."""
        return self.plan.targets

    def clean_at_once(self) -> None:
        """Clean, with the request, what cannot be hidden. Called after the rows are hidden."""

    def clean(self) -> Counts:
        """Clean what is no row of the plan, before its rows are deleted; returns what went, by place."""
        return {}

    def finish(self) -> Counts:
        """Rebuild what was made of the deleted rows; returns what went, by place."""
        return {}

    def left(self) -> Counts:
        """What is still there beside the plan's rows, by place. Called as the eraser, last."""
        return {}

    def kept(self) -> Collection[KeptRows]:
        """What stays on purpose of what the erasure went through, for a reason of its own. Called as the eraser, last.

        Of a whole scope, the tables that it leaves are named by their declarations.
        """
        return ()
