"""Seed A §10.4 line by line for tables that do not exist yet: threads, drift log, training candidates, tasks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.db import connection, models
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from consent import purge, retention
from consent.checks import every_personal_model_declares_itself
from consent.services import permit_for, withdraw_consent
from consent.types import WithdrawalEffects
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from foundation.telemetry.metrics import RETENTION_DELETED
from tests.consent.made import TASK_CONTEXTS_STAY, add_row, made_tables, rows
from tests.support.cast import A_MONDAY, allow

Tables = dict[str, type[models.Model]]


@pytest.fixture(scope="module")
def tables(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[Tables]:
    with django_db_blocker.unblock(), made_tables() as made:  # type: ignore[attr-defined]
        yield made


@pytest.fixture
def full(tables: Tables, alice: User, bob: User) -> Tables:
    """Two rows of Alice's and one of Bob's in each table, everything allowed."""
    for user, count in ((alice, 2), (bob, 1)):
        allow(user)
        for model in tables.values():
            for _ in range(count):
                add_row(user, model)
    return tables


def withdrawn(user: User, *scopes: ConsentScope) -> WithdrawalEffects:
    with acting_as(user.pk):
        consent_id = permit_for(user).consent_id
        assert consent_id is not None
        return withdraw_consent(user, consent_id, scopes, source="web")[1]


def counts(user: User, tables: Tables) -> dict[str, int]:
    return {name: len(rows(user, model)) for name, model in tables.items()}


def test_they_declare_themselves_well(tables: Tables) -> None:
    assert every_personal_model_declares_itself() == []


def test_thread_contexts_stay_and_are_blocked_at_once(full: Tables, alice: User) -> None:
    effects = withdrawn(alice, ConsentScope.SAVE_TO_THREAD)

    assert effects == WithdrawalEffects(0, 2, 0, 0, None)
    assert [row["consent_blocked"] for row in rows(alice, full["MadeThreadContext"])] == [True, True]


def test_granting_again_unblocks_nothing_and_what_is_blocked_is_not_counted_twice(full: Tables, alice: User) -> None:
    withdrawn(alice, ConsentScope.SAVE_TO_THREAD)
    allow(alice)
    add_row(alice, full["MadeThreadContext"])
    assert [row["consent_blocked"] for row in rows(alice, full["MadeThreadContext"])] == [True, True, False]

    assert withdrawn(alice, ConsentScope.SAVE_TO_THREAD).thread_contexts_blocked == 1


def test_training_candidates_are_revoked_at_once(full: Tables, alice: User) -> None:
    effects = withdrawn(alice, ConsentScope.TRAINING_USE)

    assert effects == WithdrawalEffects(0, 0, 2, 0, None)
    assert [row["withdrawal_status"] for row in rows(alice, full["MadeCandidate"])] == ["revoked", "revoked"]
    allow(alice)
    assert withdrawn(alice, ConsentScope.TRAINING_USE).training_candidates_revoked == 0


def test_the_drift_log_is_purged_within_48_hours_although_the_application_cannot_delete_it(
    full: Tables, alice: User
) -> None:
    effects = withdrawn(alice, ConsentScope.SAVE_TO_PROFILE)

    assert effects.purge_due_at is not None
    assert effects.purge_due_at <= timezone.now() + timedelta(hours=48)
    drain()
    assert rows(alice, full["MadeDrift"]) == []


def test_task_contexts_are_left_to_their_24_hours(full: Tables, alice: User) -> None:
    withdrawn(alice)
    drain()

    assert len(rows(alice, full["MadeTaskContext"])) == 2


def test_a_withdrawal_touches_only_the_tables_of_its_scope_and_nobody_elses_rows(
    full: Tables, alice: User, bob: User
) -> None:
    for scope in ConsentScope:
        before = counts(bob, full)
        withdrawn(alice, scope)
        drain()
        assert counts(bob, full) == before
    assert [row["consent_blocked"] for row in rows(bob, full["MadeThreadContext"])] == [False]
    assert [row["withdrawal_status"] for row in rows(bob, full["MadeCandidate"])] == ["none"]
    assert counts(alice, full) == {"MadeThreadContext": 2, "MadeDrift": 0, "MadeCandidate": 2, "MadeTaskContext": 2}


def test_withdrawing_everything_does_all_of_it_at_once(full: Tables, alice: User) -> None:
    effects = withdrawn(alice)

    assert (effects.thread_contexts_blocked, effects.training_candidates_revoked) == (2, 2)
    assert effects.purge_due_at is not None


def test_the_sweep_finds_what_a_lost_purge_left_in_any_table(full: Tables, alice: User) -> None:
    withdrawn(alice, ConsentScope.SAVE_TO_PROFILE)
    with acting_as(alice.pk):
        OutboxMessage.objects.filter(topic=purge.PURGE_TOPIC).delete()

    assert purge.requeue_lost_purges() == 1
    assert purge.requeue_lost_purges() == 0
    drain()
    assert rows(alice, full["MadeDrift"]) == []
    assert purge.requeue_lost_purges() == 0


def test_rows_go_when_their_time_is_over_and_not_before(tables: Tables, alice: User, bob: User) -> None:
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        old = add_row(alice, tables["MadeTaskContext"])
        add_row(bob, tables["MadeTaskContext"])
        add_row(alice, tables["MadeDrift"])  # without a retention of its own
        clock.shift(timedelta(hours=1))
        add_row(alice, tables["MadeTaskContext"])
        clock.move_to(A_MONDAY + TASK_CONTEXTS_STAY)
        assert retention.delete_outdated_rows() == 0
        before = _metered(tables)
        clock.shift(timedelta(seconds=1))
        assert retention.delete_outdated_rows() == 2
        assert _metered(tables) == before + 2
        assert retention.delete_outdated_rows() == 0

    assert old.pk not in [row["id"] for row in rows(alice, tables["MadeTaskContext"])]
    assert len(rows(alice, tables["MadeTaskContext"])) == 1
    assert rows(bob, tables["MadeTaskContext"]) == []
    assert len(rows(alice, tables["MadeDrift"])) == 1


def test_a_sweep_of_many_rows_goes_in_batches(tables: Tables, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(purge, "BATCH", 2)
    with time_machine.travel(A_MONDAY):
        for _ in range(5):
            add_row(alice, tables["MadeTaskContext"])

    with CaptureQueriesContext(connection) as captured:
        assert retention.delete_outdated_rows() == 5
    assert sum(query["sql"].startswith("DELETE") for query in captured) == 3
    assert rows(alice, tables["MadeTaskContext"]) == []


def _metered(tables: Tables) -> float:
    return float(RETENTION_DELETED.labels(model=tables["MadeTaskContext"]._meta.label)._value.get())
