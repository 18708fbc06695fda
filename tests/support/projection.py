"""A projection in the client's local mode, and what stands in it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.qdrant.client import close_clients
from memory.models import SearchEntry
from memory.projection.nearest import ask_again
from memory.projection.points import ProjectedPoints
from memory.projection.registry import forget_searched, projections


def all_points() -> dict[UUID, dict[str, Any]]:
    """Every point of every projection, with its payload."""
    found: dict[UUID, dict[str, Any]] = {}
    for projection in projections():
        for page in ProjectedPoints(projection).pages(100):
            found |= {key: dict(payload) for key, payload in page.items()}
    return found


def owned_points(user: User) -> set[UUID]:
    """The ids of the user's points."""
    return {key for key, payload in all_points().items() if payload["user_id"] == str(user.pk)}


def entries_of(user: User) -> set[UUID]:
    """The ids of the user's visible search entries."""
    with acting_as(user.pk):
        return set(SearchEntry.objects.filter(user=user).values_list("pk", flat=True))


def forget_stores() -> None:
    """Close every client, and forget what this process knows of projections."""
    close_clients()
    forget_searched()
    ask_again()
