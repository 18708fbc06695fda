"""A projection is filled from PostgreSQL by a command that goes on where it was killed."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from foundation.accounts.models import User
from foundation.ids import new_id
from foundation.qdrant.client import close_clients
from memory.models import Projection
from memory.projection import registry, walk
from memory.projection.comparison import compare
from memory.projection.points import EntryPoint, ProjectedPoints
from memory.projection.registry import begin_projection, prepare_projections, projections
from memory.projection.upkeep import keep_up
from memory.projection.walk import walk_on
from tests.support.cast import allow
from tests.support.embedders import WordsEmbedder
from tests.support.projection import all_points, entries_of, owned_points
from tests.support.talk import open_session, say

SAID = tuple(f"I like tea number {number}." for number in range(5))


@pytest.fixture
def told(alice: User, bob: User) -> set[object]:
    """Alice and Bob, who said something before there was a projection; the ids of their entries."""
    for person in (alice, bob):
        allow(person)
        say(person, open_session(person), *SAID)
    return {*entries_of(alice), *entries_of(bob)}


def _run(*arguments: str) -> str:
    out = StringIO()
    call_command("project_memory", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_fills_compares_and_has_it_searched(told: set[object]) -> None:
    said = _run()
    assert set(all_points()) == told
    assert f"of {len(told)} entries" in said
    assert "0 were missing, 0 were surplus" in said
    assert [each.state for each in projections()] == ["serving"]
    assert "Searched" in _run("--status")


def test_the_schedule_does_the_same(told: set[object]) -> None:
    assert keep_up() == 0
    assert set(all_points()) == told
    assert [each.state for each in projections()] == ["serving"]


def test_page_by_page_it_goes_on_where_it_was(told: set[object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "PAGE", 3)
    begin_projection()
    counts = []
    while walk_on(Projection.objects.get()):  # each time as another process would
        counts.append(len(all_points()))
    assert counts == sorted(set(counts))
    assert max(right - left for left, right in zip([0, *counts], counts, strict=False)) <= 3
    assert set(all_points()) == told


@pytest.mark.parametrize("find_out", [begin_projection, prepare_projections])
def test_a_collection_that_the_store_lost_is_whole_before_it_is_searched_again(
    told: set[object], find_out: Callable[[], object]
) -> None:
    keep_up()
    close_clients()  # of a store that lives in memory nothing is left
    find_out()
    (lost,) = projections()
    assert (lost.state, lost.walked_to, lost.walked_at, lost.compared_at) == ("building", None, None, None)

    keep_up()
    assert set(all_points()) == told
    assert [each.state for each in projections()] == ["serving"]


def test_a_loss_is_found_out_again_where_the_process_that_found_it_was_killed(
    told: set[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_up()
    close_clients()

    def killed(_: Projection) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as killing:
        killing.setattr(registry, "_fill_anew", killed)
        with pytest.raises(KeyboardInterrupt):
            begin_projection()
    assert begin_projection().state == "building"


@pytest.mark.parametrize("find_out", [begin_projection, prepare_projections])
def test_a_collection_that_is_there_goes_on_being_searched(told: set[object], find_out: Callable[[], object]) -> None:
    keep_up()
    before = [vars(each) | {"_state": None} for each in projections()]
    find_out()
    assert [vars(each) | {"_state": None} for each in projections()] == before


def test_dropped_it_is_gone_and_nothing_is_queued(alice: User, told: set[object]) -> None:
    _run()
    assert "Nothing is projected" in _run("--drop")
    say(alice, open_session(alice), "I like coffee.")
    assert projections() == []
    assert "0 jobs" in _run("--status")


@pytest.mark.parametrize(("name", "value"), [("QDRANT_PATH", ""), ("MEMORY_PROJECTION", "off")])
def test_without_settings_it_says_what_is_missing(settings: Settings, db: None, name: str, value: str) -> None:
    setattr(settings, name, value)
    with pytest.raises(CommandError, match=name):
        _run()


def test_drift_is_counted_and_repaired(alice: User, told: set[object], model: WordsEmbedder) -> None:
    _run()
    (projection,) = projections()
    points = ProjectedPoints(projection)
    lost, nobodys, wrong = sorted(entries_of(alice))[0], new_id(), sorted(entries_of(alice))[1]
    vector = np.full(model.dimensions, 0.1, dtype=np.float32)
    points.remove(alice.pk, [lost])
    points.write([EntryPoint(nobodys, new_id(), None, "item", vector)])
    points.write([EntryPoint(wrong, new_id(), None, "turn", vector)])

    found = compare(projection)
    assert (found.missing, found.surplus) == (2, 1)
    assert (projection.missing, projection.surplus) == (2, 1)
    assert compare(projection).total == 0
    assert set(all_points()) == told
    assert wrong in owned_points(alice)


def test_drift_may_be_counted_alone(alice: User, told: set[object]) -> None:
    _run()
    (projection,) = projections()
    ProjectedPoints(projection).remove_all(alice.pk)
    counted = [compare(projection, repair=False).missing for _ in range(2)]
    assert counted == [len(entries_of(alice))] * 2
