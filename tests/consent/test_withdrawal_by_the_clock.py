"""What was learned is gone within 48 hours of a withdrawal, whatever happens to the queue (seed A §10.4)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NoReturn

import pytest
import time_machine
from django.conf import settings

from consent import purge
from consent.exceptions import ProfileConsentRequired
from consent.models import ProfileConsent
from consent.purge import PURGE_TOPIC, purge_due_at
from consent.services import consent_versions, permit_for, withdraw_consent
from drift.models import DriftSignal
from drift.services import give_feedback
from finclaw.brain import turn
from finclaw.brain.records.turn_storage import store_turn
from finclaw.brain.types import TurnRequest
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.llm import configured_model, model_id_for
from foundation.outbox import tasks as worker
from foundation.outbox.job_run import run
from foundation.outbox.leases import claim
from foundation.outbox.models import OutboxMessage
from foundation.personal_data import ConsentScope
from foundation.telemetry.metrics import PURGES_BOOKED_AGAIN
from memory.learning.services import observe
from memory.models import ThreadContext, TrainingAssetCandidate
from memory.research.profile_context import save_profile_context
from tests.consent.support import NOTHING_LEARNED, contexts, learned, live_a_little, messages
from tests.support.cast import A_MONDAY, allow
from tests.support.research import thread_kept
from tests.support.talk import open_session, say

LEARNING = ConsentScope.MEMORY_LEARNING
IN_TIME = timedelta(hours=48)


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(A_MONDAY) as coordinates:
        yield coordinates


@pytest.fixture
def withdrawn(clock: time_machine.Traveller, alice: User) -> User:
    """Alice, who taught something and took her consent back on Monday; no worker has run since."""
    allow(alice)
    live_a_little(alice)
    clock.move_to(A_MONDAY + timedelta(minutes=5))
    _withdraw(alice)
    assert all(learned(alice).values())
    return alice


def _withdraw(user: User, *scopes: ConsentScope) -> None:
    with acting_as(user.pk):
        consent_id = permit_for(user).consent_id
        assert consent_id is not None
        withdraw_consent(user, consent_id, scopes, source="web")


def _purges(user: User) -> list[str]:
    with acting_as(user.pk):
        purges = OutboxMessage.objects.filter(topic=PURGE_TOPIC, payload__scope=LEARNING.value)
        found = purges.order_by("created_at")
        return list(found.values_list("state", flat=True))


def _due(user: User) -> datetime | None:
    with acting_as(user.pk):
        return purge_due_at(user)


def _fail(*_: object) -> NoReturn:
    raise OSError


def _work_until_it_gives_up(clock: time_machine.Traveller) -> None:
    for _ in range(settings.OUTBOX_MAX_ATTEMPTS):
        worker.drain()
        clock.shift(timedelta(minutes=5))


def test_a_worker_that_comes_back_in_the_last_hour_leaves_nothing(
    withdrawn: User, clock: time_machine.Traveller
) -> None:
    clock.move_to(A_MONDAY + IN_TIME - timedelta(hours=1))
    assert purge.requeue_lost_purges() == 0  # it waits: nothing is lost
    worker.sweep()

    assert learned(withdrawn) == NOTHING_LEARNED


def test_the_promise_counts_from_the_withdrawal_and_ends_with_the_purge(
    withdrawn: User, clock: time_machine.Traveller
) -> None:
    due = _due(withdrawn)
    assert due is not None
    assert A_MONDAY + IN_TIME <= due <= A_MONDAY + IN_TIME + timedelta(minutes=6)
    clock.shift(timedelta(hours=20))
    with acting_as(withdrawn.pk):
        OutboxMessage.objects.filter(topic=PURGE_TOPIC).delete()
    assert purge.requeue_lost_purges() == 1
    assert _due(withdrawn) == due
    worker.drain()
    assert _due(withdrawn) is None


def test_a_purge_that_gave_up_is_booked_again_within_the_hour(
    withdrawn: User, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("memory.tasks.purge_rows", _fail)
        _work_until_it_gives_up(clock)
    assert _purges(withdrawn) == ["failed"]
    assert all(learned(withdrawn).values())
    metered = PURGES_BOOKED_AGAIN.labels(scope=LEARNING.value)
    before = metered._value.get()

    clock.shift(timedelta(hours=1))
    assert purge.requeue_lost_purges() == 1
    assert purge.requeue_lost_purges() == 0
    worker.drain()

    assert metered._value.get() == before + 1
    assert _purges(withdrawn) == ["failed", "done"]
    assert learned(withdrawn) == NOTHING_LEARNED
    assert purge.requeue_lost_purges() == 0


def test_a_lost_purge_takes_nothing_that_was_learned_after_a_new_grant(
    withdrawn: User, bob: User, clock: time_machine.Traveller
) -> None:
    with acting_as(withdrawn.pk):
        OutboxMessage.objects.filter(topic=PURGE_TOPIC).delete()
    allow(bob)
    live_a_little(bob)
    clock.shift(timedelta(hours=1))
    allow(withdrawn)
    live_a_little(withdrawn)
    both = learned(withdrawn)
    bobs = learned(bob)

    assert purge.requeue_lost_purges() == 1
    worker.drain()

    later = learned(withdrawn)
    assert all(0 < later[kind] < both[kind] for kind in both)
    assert learned(bob) == bobs
    assert purge.requeue_lost_purges() == 0


def test_who_never_withdrew_is_never_swept(clock: time_machine.Traveller, alice: User) -> None:
    allow(alice, ConsentScope.SAVE_TO_PROFILE)  # learning was off at first
    clock.shift(timedelta(minutes=1))
    allow(alice)
    live_a_little(alice)
    clock.shift(timedelta(days=30))

    assert purge.requeue_lost_purges() == 0
    assert all(learned(alice).values())


def test_work_that_runs_while_its_scope_is_withdrawn_writes_nothing(alice: User) -> None:
    allow(alice)
    said = say(alice, open_session(alice), "I live in Bonn.", learn=False)
    with acting_as(alice.pk):
        observe(permit_for(alice), said)
    running = claim()
    assert running is not None
    _withdraw(alice, LEARNING)
    run(running)

    with acting_as(alice.pk):
        assert OutboxMessage.objects.get(pk=running.pk).state == OutboxMessage.State.DONE
    assert learned(alice) == NOTHING_LEARNED
    assert messages(alice) == 1


def test_a_model_that_is_speaking_may_finish_and_the_next_turn_knows_nothing(alice: User) -> None:
    permit = allow(alice)
    live_a_little(alice)
    with acting_as(alice.pk):
        save_profile_context(permit, {"research_depth": "deep"})
    session = open_session(alice)
    question = ({"type": "text", "text": "Do I use a spreadsheet?"},)
    speaking = turn.prepare(alice, TurnRequest(session.pk, question))
    assert "spreadsheet for everything" in str(speaking.prompt.texts)

    _withdraw(alice)
    store_turn(speaking, configured_model(None).call(speaking.prompt, model_id_for("large"), kind="answer"))

    following = turn.prepare(alice, TurnRequest(open_session(alice).pk, question))
    assert following.recall_result.candidates == ()
    assert following.recall_result.context is None
    assert contexts(alice) == (0, 0)
    worker.drain()
    assert learned(alice) == NOTHING_LEARNED


def test_research_is_blocked_and_revoked_at_once_its_drift_log_goes_within_48_hours_and_a_grant_restores_none(
    clock: time_machine.Traveller, alice: User
) -> None:
    allow(alice)
    thread = thread_kept(alice, save_user_context=True, fields={"user_focus_reason": "Fees"})
    ref = f"thread:{thread.pk}"
    for rating in ("thumbs_up", "not_helpful"):
        with acting_as(alice.pk):
            give_feedback(permit_for(alice), alice, ref, rating)
    clock.shift(timedelta(days=7))
    assert _research(alice) == {"blocked": [False], "revoked": ["none"], "drift": 1}

    _withdraw(alice)

    assert _research(alice) == {"blocked": [True], "revoked": ["revoked"], "drift": 1}
    with pytest.raises(ProfileConsentRequired):
        thread_kept(alice)
    clock.shift(timedelta(hours=1))
    allow(alice)
    clock.shift(IN_TIME - timedelta(hours=2))
    worker.drain()
    assert _research(alice) == {"blocked": [True], "revoked": ["revoked"], "drift": 0}


def _research(user: User) -> dict[str, object]:
    with acting_as(user.pk):
        candidates = TrainingAssetCandidate.objects.order_by("created_at")
        return {
            "blocked": list(ThreadContext.objects.values_list("consent_blocked", flat=True)),
            "revoked": list(candidates.values_list("withdrawal_status", flat=True)),
            "drift": DriftSignal.objects.count(),
        }


def test_the_revocation_is_a_version_more_and_the_earlier_ones_stay(clock: time_machine.Traveller, alice: User) -> None:
    allow(alice)
    clock.move_to(A_MONDAY + timedelta(days=1))
    _withdraw(alice)

    with acting_as(alice.pk):
        latest, first = consent_versions(alice)
        current = ProfileConsent.objects.get()
    assert (latest.version, latest.revoked_at) == (2, current.revoked_at)
    assert latest.revoked_at - first.granted_at >= timedelta(hours=23)
    assert first.revoked_at is None
    assert all(getattr(first, scope.value) for scope in ConsentScope)
