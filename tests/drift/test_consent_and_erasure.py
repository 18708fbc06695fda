"""The drift log follows its scope: purged within 48 hours, erased with what it speaks of, always in the export."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from consent.models import ErasureScope, Sources
from consent.purge import PURGE_WITHIN
from consent.services import permit_for, withdraw_consent
from drift.models import DriftSignal, Feedback
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.research.types import CognitionObject, StatementSource
from memory.services.item_decisions import add_stated
from tests.consent.export.support import exported, manifest_of, rows_of, text_of
from tests.drift.support import kinds, log_of, rate, turn_round
from tests.support.cast import A_MONDAY, allow
from tests.support.needles import dump
from tests.support.research import SOL, snapshot_made, thread_kept
from tests.support.talk import open_session, say


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(A_MONDAY) as coordinates:
        yield coordinates


@pytest.fixture
def ref(clock: time_machine.Traveller, alice: User) -> str:
    """A snapshot whose rating Alice turned round twice."""
    allow(alice)
    ref = f"snapshot:{snapshot_made(alice).pk}"
    turn_round(alice, ref, times=2)
    clock.shift(timedelta(hours=1))
    return ref


def _withdraw(user: User, *scopes: ConsentScope) -> None:
    with acting_as(user.pk):
        consent_id = permit_for(user).consent_id
        assert consent_id is not None
        withdraw_consent(user, consent_id, scopes, source="web")


def _rows(user: User) -> tuple[int, int]:
    """Feedback and signals of the user that the database still holds and shows to operators."""
    with in_role(OPERATOR_ROLE):
        return (Feedback.objects.filter(user=user).count(), DriftSignal.objects.filter(user=user).count())


def _forget(user: User, scope: ErasureScope, target: str = "", sources: Sources = Sources.REDACT) -> None:
    with acting_as(user.pk):
        forget(user, scope, target, sources, source="api")
    drain()


@pytest.mark.parametrize("scopes", [(), (ConsentScope.SAVE_TO_PROFILE,)])
def test_a_withdrawal_purges_it_within_48_hours_and_keeps_the_feedback(
    scopes: tuple[ConsentScope, ...], alice: User, ref: str, clock: time_machine.Traveller
) -> None:
    assert _rows(alice) == (3, 2)
    _withdraw(alice, *scopes)
    clock.shift(PURGE_WITHIN - timedelta(minutes=1))
    drain()

    assert _rows(alice) == (3, 0)


@pytest.mark.parametrize("scope", sorted(set(ConsentScope) - {ConsentScope.SAVE_TO_PROFILE}))
def test_the_withdrawal_of_another_scope_leaves_it(scope: ConsentScope, alice: User, ref: str) -> None:
    _withdraw(alice, scope)
    drain()

    assert _rows(alice) == (3, 2)


def test_a_name_that_was_learned_goes_with_the_consent_to_learn(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        learned = StatementSource("item", str(add_stated(permit, "I follow Zqndl").pk))
    about = CognitionObject("asset", "Zqndl", sources=(learned,))
    refs = [f"snapshot:{snapshot_made(alice, object=one).pk}" for one in (about, SOL)]
    for ref in refs:
        turn_round(alice, ref, at=timezone.now())
    assert [signal.cognition_object["name"] for signal in log_of(alice)] == ["Zqndl", "SOL"]

    _withdraw(alice, ConsentScope.MEMORY_LEARNING)
    drain()

    assert [signal.cognition_object.get("name") for signal in log_of(alice)] == [None, "SOL"]
    with acting_as(alice.pk):
        assert set(Feedback.objects.values_list("object_ref", "object_name")) == {(refs[0], ""), (refs[1], "SOL")}
    assert "Zqndl" not in dump()


def test_a_later_grant_brings_nothing_back_and_compares_with_nothing_from_before(alice: User, ref: str) -> None:
    _withdraw(alice)
    allow(alice)
    rate(alice, ref, "not_helpful", "My earlier judgement of this was wrong.")
    drain()
    assert kinds(alice) == []

    rate(alice, ref, "helpful")
    assert kinds(alice) == ["grade_reversal"]


def test_erasing_the_account_takes_it_and_nobody_elses(alice: User, bob: User, ref: str) -> None:
    allow(bob)
    turn_round(bob, f"snapshot:{snapshot_made(bob).pk}", at=timezone.now())

    _forget(alice, ErasureScope.ACCOUNT)

    assert _rows(alice) == (0, 0)
    assert _rows(bob) == (2, 1)


def test_erasing_what_was_stated_takes_it_and_hides_it_at_once(alice: User, ref: str) -> None:
    with acting_as(alice.pk):
        forget(alice, ErasureScope.PROFILE, "", Sources.REDACT, source="api")
    assert _rows(alice) == (3, 0)
    drain()

    assert kinds(alice) == []


def test_a_thread_takes_along_what_was_said_of_it_and_observed_in_that(alice: User, ref: str) -> None:
    thread = thread_kept(alice)
    turn_round(alice, f"thread:{thread.pk}", at=timezone.now())
    assert _rows(alice) == (5, 3)

    _forget(alice, ErasureScope.THREAD, str(thread.pk))

    assert _rows(alice) == (3, 2)


def test_a_memory_takes_along_what_was_said_of_it(alice: User, ref: str) -> None:
    with acting_as(alice.pk):
        item = add_stated(permit_for(alice), "Prefers index funds.")
    turn_round(alice, f"memory:{item.pk}", at=timezone.now())

    _forget(alice, ErasureScope.ITEM, str(item.pk))

    assert _rows(alice) == (3, 2)


@pytest.mark.parametrize(("sources", "left"), [(Sources.REDACT, (3, 2)), (Sources.KEEP, (5, 3))])
def test_everything_learned_takes_along_what_was_said_of_any_of_it(
    sources: Sources, left: tuple[int, int], alice: User, ref: str
) -> None:
    (message,) = say(alice, open_session(alice), "I prefer index funds.")
    with acting_as(alice.pk):
        item = add_stated(permit_for(alice), "Prefers index funds.")
    for spoken_of in (f"memory:{item.pk}", f"message:{message.pk}"):
        turn_round(alice, spoken_of, at=timezone.now() - timedelta(minutes=10))
    assert _rows(alice) == (7, 4)

    _forget(alice, ErasureScope.MEMORIES, sources=sources)

    assert _rows(alice) == left


def test_the_export_holds_every_signal_whole_and_the_feedback(alice: User, bob: User, ref: str) -> None:
    allow(bob)
    turn_round(bob, f"snapshot:{snapshot_made(bob).pk}")

    archive = exported(alice)

    signals = log_of(alice)
    files = {file.path for file in manifest_of(archive, alice).files if file.path.startswith("persona_drift/")}
    assert files == {f"persona_drift/{signal.drift_id}.json" for signal in signals}
    for signal in signals:
        written = json.loads(text_of(archive, alice, f"persona_drift/{signal.drift_id}.json"))
        for name in ("drift_id", "signal_kind", "prior_signal", "current_signal", "delta_summary", "triggers_alert"):
            assert written[name] == getattr(signal, name)
    said = rows_of(archive, alice, "feedback/feedback.jsonl")
    assert [row["rating"] for row in said] == ["thumbs_up", "thumbs_down", "thumbs_up"]
