"""An erasure removes points, looks for them afterwards, and its certificate names the store."""

from __future__ import annotations

import socket
from collections.abc import Collection
from uuid import UUID

import numpy as np
import pytest
from django.utils import timezone
from pytest_django import Settings

from consent.erasure.services import erasure_of
from consent.models import ErasureScope, ErasureStep, Sources, Tombstone
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.ids import new_id
from foundation.outbox.models import OutboxMessage
from foundation.outbox.suspension import MOST_UNANSWERED
from foundation.outbox.tasks import drain
from foundation.qdrant import QdrantUnavailable
from memory.models import Projection
from memory.projection import points as points_module
from memory.projection.points import EntryPoint, ProjectedPoints
from tests.support.cast import allow
from tests.support.projection import all_points, entries_of, owned_points
from tests.support.talk import memories, open_session, say

OBOES, TEA = "I prefer concise answers about oboes.", "I like green tea with lemon."


def _request(user: User, scope: ErasureScope, target: str = "", sources: Sources = Sources.REDACT) -> Tombstone:
    with acting_as(user.pk):
        return forget(user, scope, target, sources, source="api")


def _erased(user: User, tombstone: Tombstone) -> Tombstone:
    drain()
    with acting_as(user.pk):
        return erasure_of(user.pk, tombstone.pk)


@pytest.fixture
def place(projection: Projection) -> str:
    """What certificates call the store."""
    return f"Qdrant {projection.name}"


@pytest.mark.parametrize("sources", [Sources.REDACT, Sources.KEEP])
def test_one_memory_forgotten_takes_its_points_alone(alice: User, bob: User, place: str, sources: Sources) -> None:
    for person in (alice, bob):
        allow(person)
        say(person, open_session(person), OBOES)
        say(person, open_session(person), TEA)
    bobs = owned_points(bob)
    before = owned_points(alice)
    memory = next(item for item in memories(alice) if "oboe" in item.content)

    done = _erased(alice, _request(alice, ErasureScope.ITEM, str(memory.pk), sources))

    assert done.state == "completed"
    assert done.certificate is not None
    assert done.certificate["deleted"][place] == 2  # the memory, and the message that taught it
    assert place in done.certificate["verification"]["checked"]
    assert done.certificate["verification"]["residual"] == 0
    assert owned_points(alice) == entries_of(alice) < before
    assert owned_points(bob) == bobs


def test_a_conversation_forgotten_leaves_no_point_of_it(alice: User, place: str) -> None:
    allow(alice)
    gone, kept = open_session(alice), open_session(alice)
    say(alice, gone, OBOES)
    say(alice, kept, TEA)
    done = _erased(alice, _request(alice, ErasureScope.SESSION, str(gone.pk)))
    assert done.state == "completed"
    assert done.deleted[place] > 0
    assert owned_points(alice) == entries_of(alice) != set()


@pytest.mark.parametrize("scope", [ErasureScope.MEMORIES, ErasureScope.ACCOUNT])
def test_everything_forgotten_leaves_no_point_and_queues_nothing(
    alice: User, bob: User, place: str, scope: ErasureScope
) -> None:
    for person in (alice, bob):
        allow(person)
        say(person, open_session(person), OBOES)
    points = len(owned_points(alice))
    done = _erased(alice, _request(alice, scope))
    assert done.deleted[place] == points
    assert owned_points(alice) == set()
    assert owned_points(bob) == entries_of(bob) != set()
    with in_role(WORKER_ROLE):
        assert not OutboxMessage.objects.filter(topic="memory.project", state="pending").exists()


def test_a_point_that_the_store_keeps_fails_the_erasure(
    alice: User, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(alice)
    say(alice, open_session(alice), OBOES)
    tombstone = _request(alice, ErasureScope.MEMORIES)
    monkeypatch.setattr(ProjectedPoints, "remove_all", lambda *_: None)
    undone = _erased(alice, tombstone)
    assert (undone.state, undone.certificate) != ("completed", None)
    assert undone.certificate is None


def test_an_erasure_waits_for_a_store_that_is_down(alice: User, place: str, settings: Settings) -> None:
    allow(alice)
    say(alice, open_session(alice), OBOES)
    tombstone = _request(alice, ErasureScope.MEMORIES)
    settings.QDRANT_URL = "http://127.0.0.1:9"
    waiting = _erased(alice, tombstone)
    assert (waiting.state, waiting.certificate) == ("queued", None)
    assert entries_of(alice) == set()  # hidden all the while

    settings.QDRANT_URL = ""
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(pk=tombstone.pk).update(available_at=timezone.now())
    assert _erased(alice, tombstone).state == "completed"
    assert owned_points(alice) == set()


def test_however_often_a_silent_store_keeps_it_waiting_an_erasure_is_not_given_up(
    alice: User, place: str, settings: Settings, listening: socket.socket
) -> None:
    allow(alice)
    say(alice, open_session(alice), OBOES)
    tombstone = _request(alice, ErasureScope.MEMORIES)
    tried = {"attempts": MOST_UNANSWERED - 1, "max_attempts": MOST_UNANSWERED}
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(pk=tombstone.pk).update(**tried)
    settings.QDRANT_URL, settings.QDRANT_TIMEOUT_SECONDS = f"http://127.0.0.1:{listening.getsockname()[1]}", 0.05
    assert _erased(alice, tombstone).state == "queued"
    with in_role(WORKER_ROLE):
        job = OutboxMessage.objects.get(pk=tombstone.pk)
    assert (job.state, job.attempts) == ("pending", MOST_UNANSWERED - 1)


def test_a_store_that_goes_away_meanwhile_is_told_from_a_worker_that_died(
    alice: User, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(alice)
    say(alice, open_session(alice), OBOES)
    tombstone = _request(alice, ErasureScope.MEMORIES)

    def silent(*_: object) -> None:
        raise QdrantUnavailable(details={"reason": "timeout"})

    with monkeypatch.context() as patch:
        patch.setattr(ProjectedPoints, "remove_all", silent)
        assert _erased(alice, tombstone).state == "retry_pending"
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(pk=tombstone.pk).update(available_at=timezone.now())
    assert _erased(alice, tombstone).state == "completed"
    with acting_as(alice.pk):
        failures = ErasureStep.objects.filter(tombstone=tombstone.pk, state="failed")
        assert list(failures.values_list("reason", flat=True)) == ["QdrantUnavailable"]


def test_a_stray_point_of_an_erased_row_is_found_by_its_id(alice: User, bob: User, projection: Projection) -> None:
    """Even one that claims to be somebody else's."""
    allow(alice)
    say(alice, open_session(alice), OBOES)
    memory = memories(alice)[0]
    points = ProjectedPoints(projection)
    stray = EntryPoint(memory.pk, bob.pk, None, "item", np.full(48, 0.1, dtype=np.float32))
    points.write([stray])
    undone = _erased(alice, _request(alice, ErasureScope.ITEM, str(memory.pk)))
    assert undone.certificate is None
    assert memory.pk in all_points()


def test_no_request_names_more_points_than_one_may(
    alice: User, projection: Projection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(points_module, "MOST_NAMED", 2)
    named: list[int] = []

    def counted(keys: Collection[UUID]) -> list[str]:
        named.append(len(keys))
        return [str(key) for key in keys]

    monkeypatch.setattr(points_module, "_strings", counted)
    keys, points = [new_id() for _ in range(5)], ProjectedPoints(projection)
    points.write([EntryPoint(key, alice.pk, None, "item", np.full(48, 0.1, dtype=np.float32)) for key in keys])

    assert set(points.payloads(keys)) == set(keys)
    assert points.count_named(keys) == points.count(alice.pk) == 5
    points.remove(alice.pk, keys[:3])
    points.remove_ownerless(keys[3:])
    assert (points.count_named(keys), points.count_named([]), max(named)) == (0, 0, 2)
