"""Has the people's searches ask the vector store, and looks through what is left in it."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.tasks import drain
from memory.models import SearchEntry
from memory.projection.points import ProjectedPoints
from memory.projection.registry import begin_projection, projections, switch_to
from memory.retrieval import formula
from tests.support.projection import all_points, forget_stores

asked: list[int] = []
"""How many points each search through the store was answered with."""


def search_through_store(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is written into a store of this process, and every search asks it; its answers name the asker's alone."""
    forget_stores()
    settings.QDRANT_URL, settings.QDRANT_PATH, settings.MEMORY_PROJECTION = "", ":memory:", "searched"
    monkeypatch.setattr(formula, "FEW", 0)
    switch_to(begin_projection())
    ask = ProjectedPoints.nearest

    def watched(points: ProjectedPoints, user_id: object, *rest: object) -> object:
        found = ask(points, user_id, *rest)  # type: ignore[arg-type]
        payloads = points.payloads([key for key, _ in found])
        assert {payload["user_id"] for payload in payloads.values()} <= {str(user_id)}
        asked.append(len(found))
        return found

    monkeypatch.setattr(ProjectedPoints, "nearest", watched)


def require_points_of_entries_alone() -> None:
    """Searches were answered by the store, and once all work is done it holds a point for existing entries only."""
    drain()
    assert len(projections()) == 1
    assert sum(map(bool, asked)) > 0
    owners = {key: payload["user_id"] for key, payload in all_points().items()}
    with in_role(OPERATOR_ROLE):
        entries = {key: str(owner) for key, owner in SearchEntry.objects.values_list("pk", "user_id")}
    assert owners.items() <= entries.items()
    forget_stores()
