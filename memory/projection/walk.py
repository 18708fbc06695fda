"""Fills a projection from PostgreSQL: all search entries in the order of their ids, a page at a time.

The place is kept in the database after each page, so that a killed walk goes on where it was; a page that was written
and not noted is written again.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final
from uuid import UUID

from django.db.models import F, QuerySet
from django.utils import timezone

from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from memory.models import Projection, SearchEntry
from memory.projection.point_writes import project_entries

PAGE: Final = 256
"""How many entries are read and written at a time: about a megabyte with their vectors."""


def walk_on(projection: Projection) -> bool:
    """Write the next page into a projection; returns whether there was one. Raises ``QdrantUnavailable``."""
    with in_role(OPERATOR_ROLE):
        rows = SearchEntry.objects.all() if projection.walked_to is None else _after(projection.walked_to)
        page = list(rows.order_by("pk").values_list("pk", "user_id")[:PAGE])
    owned: dict[UUID, list[UUID]] = defaultdict(list)
    for key, owner in page:
        owned[owner].append(key)
    for owner in sorted(owned):
        with acting_as(owner):
            project_entries(owner, owned[owner], [projection])
    _note_place(projection, page[-1][0] if page else None, len(page))
    return bool(page)


def begin_anew(projection: Projection) -> None:
    """Have the walk begin at the first entry again."""
    with in_role(WORKER_ROLE):
        Projection.objects.filter(pk=projection.pk).update(walked_to=None, walked_at=None, written=0)
    projection.refresh_from_db()


def count_entries() -> int:
    """How many search entries of all users there are."""
    with in_role(OPERATOR_ROLE):
        return SearchEntry.objects.count()


def _after(key: UUID) -> QuerySet[SearchEntry]:
    return SearchEntry.objects.filter(pk__gt=key)


def _note_place(projection: Projection, place: UUID | None, entries: int) -> None:
    """Note how far the walk has come, unless another process has meanwhile."""
    row = Projection.objects.filter(pk=projection.pk, walked_to=projection.walked_to)
    with in_role(WORKER_ROLE):
        if place is None:
            row.filter(walked_at=None).update(walked_at=timezone.now())
        else:
            row.update(walked_to=place, written=F("written") + entries)
    projection.refresh_from_db()
