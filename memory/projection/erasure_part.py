"""The part of an erasure that reaches the vector store: it removes points there, and looks for them afterwards."""

from __future__ import annotations

from functools import cached_property
from typing import Final
from uuid import UUID

from django.db import connection

from consent.erasure.plan import Counts, ErasurePart
from memory.models import CognitiveEvent, ConversationEvent, EntityProfile, MemoryItem, SearchEntry
from memory.projection.points import ProjectedPoints
from memory.projection.registry import lock_projection, projections

_INDEXED: Final = tuple(
    model._meta.label for model in (SearchEntry, ConversationEvent, CognitiveEvent, MemoryItem, EntityProfile)
)
"""The tables whose rows have a search entry, and a point, of the same id."""
_UNQUEUED: Final = "SELECT set_config('memory.unqueued_projections', %s, true)"


class ProjectionErasure(ErasurePart):
    """Erases points in Qdrant; the certificate names each collection.

    Raises ``QdrantUnavailable`` where Qdrant does not answer: then the erasure waits, because nothing is certified
    that was not looked for. A row that keeps some words loses its point as well, and gets a new one afterwards.
    """

    def clean(self) -> Counts:
        """Lock the user's points; of a whole scope, keep the deletion of each entry from queueing a job."""
        if self._stores:
            lock_projection(self.plan.user_id)
            if self._is_everything:
                _queue_none_for(str(self.plan.user_id))
        return {}

    def finish(self) -> Counts:
        """Remove the points, after the rows: from here on what is written anew gets a job again."""
        if self._stores:
            _queue_none_for("")
        return {place: self._erase(points) for place, points in self._stores.items()}

    def count_residue(self) -> Counts:
        return {place: self._count(points) for place, points in self._stores.items()}

    @cached_property
    def _stores(self) -> dict[str, ProjectedPoints]:
        return {f"Qdrant {each.name}": ProjectedPoints(each) for each in projections()}

    @property
    def _is_everything(self) -> bool:
        return self.plan.is_account or self.plan.is_everything_learned

    @cached_property
    def _named(self) -> set[UUID]:
        targets = self.plan.targets
        return {key for label in _INDEXED for key in {*targets.losing(label), *targets.unlearn.get(label, ())}}

    def _erase(self, points: ProjectedPoints) -> int:
        found = self._count(points)
        if self._is_everything:
            points.remove_all(self.plan.user_id)
        else:
            points.remove(self.plan.user_id, self._named)
        return found

    def _count(self, points: ProjectedPoints) -> int:
        if self._is_everything:
            return points.count(self.plan.user_id)
        return points.count_named(self._named)


def _queue_none_for(value: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_UNQUEUED, [value])
