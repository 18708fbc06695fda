"""What changes in the search index goes into the vector store, by jobs that wait while the store is down."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from consent.services import withdraw_consent
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.qdrant.client import close_clients
from memory.models import Projection, SearchEntry
from memory.projection.point_writes import PROJECT_TOPIC
from memory.projection.points import NORMALIZER_VERSION
from tests.support.cast import allow
from tests.support.projection import all_points, entries_of, owned_points
from tests.support.talk import open_session, permit_of, say

SAID = "I prefer concise answers about oboes."


def _jobs() -> list[OutboxMessage]:
    with in_role(WORKER_ROLE):
        return list(OutboxMessage.objects.filter(topic=PROJECT_TOPIC).order_by("created_at"))


def test_without_a_projection_nothing_is_queued(alice: User) -> None:
    allow(alice)
    say(alice, open_session(alice), SAID)
    assert entries_of(alice)
    assert _jobs() == []


def test_each_persons_entries_become_that_persons_points(alice: User, bob: User, projection: Projection) -> None:
    for person in (alice, bob):
        allow(person)
        say(person, open_session(person), SAID)
    assert owned_points(alice) == entries_of(alice) != set()
    assert owned_points(bob) == entries_of(bob) != set()


def test_a_point_holds_ids_and_versions_and_no_text(alice: User, projection: Projection) -> None:
    User.objects.filter(pk=alice.pk).update(tenant=Tenant.objects.create(name="Desk"))
    alice.refresh_from_db()
    allow(alice)
    say(alice, open_session(alice), SAID)
    kinds = set()
    for key, payload in all_points().items():
        kinds.add(payload.pop("kind"))
        assert payload == {
            "source_type": "personal_projection",
            "tenant_id": str(alice.tenant_id),
            "user_id": str(alice.pk),
            "memory_id": str(key),
            "memory_item_id": str(key),
            "embedding_model_id": "words-1",
            "normalizer_version": NORMALIZER_VERSION,
        }
    assert kinds == {"turn", "item"}
    assert "oboe" not in json.dumps([dict(payload) for payload in all_points().values()])


def test_many_changes_of_one_person_are_few_jobs(alice: User, projection: Projection) -> None:
    allow(alice)
    say(alice, open_session(alice), *(f"I prefer answers number {number}." for number in range(6)))
    jobs = _jobs()
    assert {job.state for job in jobs} == {"done"}
    assert len(jobs) < sum(len(job.payload["entries"]) for job in jobs)


# An entry as often as is said, under other ids.
_COPIES = """
    INSERT INTO memory_searchentry (id, kind, user_id, occurred_at, live, terms, vector, quantized, model_id,
                                    created_at)
    SELECT gen_random_uuid(), kind, user_id, occurred_at, live, terms, vector, quantized, model_id, created_at
    FROM memory_searchentry CROSS JOIN generate_series(1, %s) WHERE id = %s
"""
_WRITTEN = "SELECT n_tup_ins, n_tup_upd FROM pg_stat_xact_user_tables WHERE relname = 'outbox_outboxmessage'"


def _outbox_writes(statement: str, *values: Any) -> tuple[int, int]:
    """How many rows of the outbox a statement inserts and how many it changes."""
    with connection.cursor() as cursor:
        cursor.execute(_WRITTEN)
        before = cursor.fetchone()
        cursor.execute(statement, values)
        cursor.execute(_WRITTEN)
        after = cursor.fetchone()
    return after[0] - before[0], after[1] - before[1]


def test_a_thousand_changes_of_one_statement_are_sixteen_jobs_written_once(alice: User, projection: Projection) -> None:
    allow(alice)
    (said,) = say(alice, open_session(alice), SAID)
    with acting_as(alice.pk):
        assert _outbox_writes(_COPIES, 1_000, said.pk) == (16, 0)
        assert _outbox_writes("DELETE FROM memory_searchentry WHERE kind = 'turn' AND id <> %s", said.pk) == (16, 0)
    assert {len(job.payload["entries"]) for job in _jobs() if job.state == "pending"} == {64, 1_000 % 64}
    drain()
    assert owned_points(alice) == entries_of(alice)


def test_a_transaction_gathers_what_it_changes_one_by_one(alice: User, projection: Projection) -> None:
    allow(alice)
    (said,) = say(alice, open_session(alice), SAID)
    with acting_as(alice.pk):
        _outbox_writes(_COPIES, 130, said.pk)
        copies = list(SearchEntry.objects.filter(kind="turn").exclude(pk=said.pk).values_list("pk", flat=True))
    drain()
    with acting_as(alice.pk):
        for key in copies:
            _outbox_writes("UPDATE memory_searchentry SET vector = vector WHERE id = %s", key)
    assert [len(job.payload["entries"]) for job in _jobs() if job.state == "pending"] == [64, 64, 2]


def test_an_entry_that_is_deleted_loses_its_point(alice: User, projection: Projection) -> None:
    allow(alice)
    (said,) = say(alice, open_session(alice), SAID)
    assert said.pk in owned_points(alice)
    with acting_as(alice.pk):
        SearchEntry.objects.filter(pk=said.pk).delete()
    drain()
    assert owned_points(alice) == entries_of(alice)
    assert said.pk not in owned_points(alice)


def test_what_is_withdrawn_leaves_the_store(alice: User, projection: Projection) -> None:
    consent = allow(alice).consent_id
    say(alice, open_session(alice), SAID)
    assert owned_points(alice)
    assert consent is not None
    with acting_as(alice.pk):
        withdraw_consent(alice, consent, source="api")
    drain()
    assert owned_points(alice) == set()


def test_what_was_said_before_a_withdrawal_is_not_written_later(alice: User, projection: Projection) -> None:
    consent = allow(alice).consent_id
    (said,) = say(alice, open_session(alice), SAID)
    assert consent is not None
    with acting_as(alice.pk):
        withdraw_consent(alice, consent, source="api")
    allow(alice)
    with acting_as(alice.pk):  # a job from before, of which its worker died
        OutboxMessage.objects.create(
            topic=PROJECT_TOPIC,
            user=alice,
            payload={"entries": [str(said.pk)]},
            max_attempts=1,
            available_at=timezone.now(),
        )
    drain()
    assert said.pk not in owned_points(alice)
    assert permit_of(alice).scopes


def test_while_the_store_is_down_jobs_wait_and_use_up_no_attempt(
    alice: User, projection: Projection, settings: Settings
) -> None:
    allow(alice)
    settings.QDRANT_URL = "http://127.0.0.1:9"  # where nothing listens
    say(alice, open_session(alice), SAID)
    waiting = _jobs()
    assert {(job.state, job.attempts) for job in waiting} == {("pending", 0)}
    assert any(job.available_at > timezone.now() for job in waiting)

    settings.QDRANT_URL = ""
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(topic=PROJECT_TOPIC).update(available_at=timezone.now())
    drain()
    assert owned_points(alice) == entries_of(alice)


@pytest.mark.parametrize("entries", [["nonsense"], None])
def test_a_malformed_job_fails_alone(alice: User, projection: Projection, entries: object) -> None:
    allow(alice)
    with acting_as(alice.pk):
        OutboxMessage.objects.create(
            topic=PROJECT_TOPIC,
            user=alice,
            payload={"entries": entries},
            max_attempts=1,
            available_at=timezone.now(),
        )
    drain()
    assert [job.state for job in _jobs()] == ["failed"]
    say(alice, open_session(alice), SAID)
    assert owned_points(alice) == entries_of(alice)


def test_a_store_that_lost_everything_is_no_error(alice: User, projection: Projection) -> None:
    allow(alice)
    say(alice, open_session(alice), SAID)
    close_clients()  # of one that lives in memory nothing is left
    from memory.projection.comparison import compare
    from memory.projection.points import ProjectedPoints

    ProjectedPoints(projection).prepare()
    assert compare(projection).missing == len(entries_of(alice))
    assert owned_points(alice) == entries_of(alice)
