"""Compares a projection with PostgreSQL, counts the drift between the two, and repairs it.

Both sides are read a page at a time. What a job still has to project counts as drift until it has run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.embeddings import configured_embedder
from foundation.telemetry.metrics import PROJECTION_DRIFT
from memory.models import Projection, SearchEntry
from memory.projection.point_writes import former_vectors, project_entries
from memory.projection.points import NORMALIZER_VERSION, ProjectedPoints

PAGE: Final = 512
Page = Mapping[UUID, Mapping[str, Any]]


@dataclass(frozen=True)
class ProjectionDrift:
    """What differs: ``missing`` entries have no point or one of other versions, ``surplus`` points have no entry."""

    missing: int = 0
    surplus: int = 0

    @property
    def total(self) -> int:
        return self.missing + self.surplus


def compare(projection: Projection, *, repair: bool = True) -> ProjectionDrift:
    """Compare every entry and every point, repair what differs, and note it. Raises ``QdrantUnavailable``."""
    points = ProjectedPoints(projection)
    missing = surplus = 0
    for owned in _missing(points, projection):
        missing += sum(map(len, owned.values()))
        _repair(projection, owned if repair else {})
    for page in points.pages(PAGE):
        owned, ownerless = _surplus(page)
        surplus += sum(map(len, owned.values())) + len(ownerless)
        if repair:
            points.remove_ownerless(ownerless)
            _repair(projection, owned)
    drift = ProjectionDrift(missing, surplus)
    _note(projection, drift)
    return drift


def _missing(points: ProjectedPoints, projection: Projection) -> Iterator[dict[UUID, list[UUID]]]:
    """By owner, a page of the entries that lack a right point."""
    last: UUID | None = None
    # Of a former model the database has no vectors any more: its projection has to hold whatever is there.
    of_model = Q(model_id=projection.model_id) if _is_configured(projection) else Q()
    while True:
        with in_role(OPERATOR_ROLE):
            rows = SearchEntry.objects.filter(of_model).exclude(model_id="")
            rows = rows if last is None else rows.filter(pk__gt=last)
            page = list(rows.order_by("pk").values_list("pk", "user_id")[:PAGE])
        if not page:
            return
        last = page[-1][0]
        found = points.payloads([key for key, _ in page])
        owned: dict[UUID, list[UUID]] = defaultdict(list)
        for key, owner in page:
            if not _is_right(found.get(key), owner, projection):
                owned[owner].append(key)
        yield owned


def _surplus(page: Page) -> tuple[dict[UUID, list[UUID]], list[UUID]]:
    """The points of a page without an entry of their owner's: by owner, and those that name none."""
    with in_role(OPERATOR_ROLE):
        there = dict(SearchEntry.objects.filter(pk__in=list(page)).exclude(model_id="").values_list("pk", "user_id"))
    owned: dict[UUID, list[UUID]] = defaultdict(list)
    ownerless = []
    for key, payload in page.items():
        owner = _owner_in(payload)
        if owner is None or there.get(key, owner) != owner:
            ownerless.append(key)
        elif key not in there:
            owned[owner].append(key)
    return owned, ownerless


def _repair(projection: Projection, owned: Mapping[UUID, Collection[UUID]]) -> None:
    for owner, keys in owned.items():
        former = None if _is_configured(projection) else former_vectors(owner, keys)
        with acting_as(owner):
            project_entries(owner, keys, [projection], former)


def _is_configured(projection: Projection) -> bool:
    return projection.model_id == configured_embedder().model_id


def _is_right(payload: Mapping[str, Any] | None, owner: UUID, projection: Projection) -> bool:
    versions = {"embedding_model_id": projection.model_id, "normalizer_version": NORMALIZER_VERSION}
    wanted = versions | {"user_id": str(owner)}
    return payload is not None and all(payload.get(name) == value for name, value in wanted.items())


def _owner_in(payload: Mapping[str, Any]) -> UUID | None:
    try:
        return UUID(payload["user_id"])
    except (KeyError, TypeError, ValueError):
        return None


def _note(projection: Projection, drift: ProjectionDrift) -> None:
    with in_role(WORKER_ROLE):
        Projection.objects.filter(pk=projection.pk).update(
            missing=drift.missing, surplus=drift.surplus, compared_at=timezone.now()
        )
    for side, count in (("missing", drift.missing), ("surplus", drift.surplus)):
        PROJECTION_DRIFT.labels(projection=projection.name, side=side).set(count)
    projection.refresh_from_db()
