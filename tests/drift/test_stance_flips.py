"""A refresh that turns a thread's thesis round is written down with it, of its own person alone (seed A §9.1, §9.2)."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
import time_machine

from consent.services import permit_for
from drift.models import DriftSignal
from drift.services import record_thesis_reversal
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from memory.models import Refresh, Thread
from memory.research.types import ChangedInference
from tests.drift.support import CHANGES, FALLS, GROWS, log_of
from tests.support.cast import A_MONDAY, allow, allow_nothing
from tests.support.organisation import employ
from tests.support.research import refreshed, snapshot_made, thread_kept

IN_TIME = A_MONDAY + timedelta(days=20)


def _thread(user: User, thesis: str = GROWS) -> Thread:
    with time_machine.travel(A_MONDAY, tick=False):
        return thread_kept(user, snapshot_made(user, thesis))


def _refresh(user: User, thread: Thread, thesis: str, *changes: ChangedInference, at: datetime = IN_TIME) -> Refresh:
    with time_machine.travel(at, tick=False):
        refresh = refreshed(user, thread, thesis, *changes)
        with acting_as(user.pk):
            record_thesis_reversal(permit_for(user), thread, refresh)
    return refresh


def test_9_1_refresh_stance_flip_is_six_changed_inferences_and_other_words(alice: User) -> None:
    allow(alice)
    thread = _thread(alice)

    refresh = _refresh(alice, thread, FALLS, *CHANGES)

    (signal,) = log_of(alice)
    assert signal.signal_kind == "refresh_stance_flip"
    assert signal.triggers_alert
    assert signal.object_ref == f"thread:{thread.pk}"
    assert signal.current_signal["captured_in_object_ref"] == f"snapshot:{refresh.snapshot_id}"
    assert signal.prior_signal["captured_at"] == A_MONDAY.isoformat()
    assert "6 inferences changed" in signal.delta_summary
    assert "outages" not in str(vars(signal))


def test_9_4_a_refresh_stance_flip_is_warned_of_each_time(alice: User) -> None:
    allow(alice)

    with structlog.testing.capture_logs() as lines:
        _refresh(alice, _thread(alice), FALLS, *CHANGES)

    assert [line["log_level"] for line in lines if line["event"] == "persona_drift_detected"] == ["warning"]


def test_five_changed_inferences_are_not(alice: User) -> None:
    allow(alice)

    _refresh(alice, _thread(alice), FALLS, *CHANGES[:5])

    assert log_of(alice) == []


def test_the_same_thesis_in_other_words_is_not(alice: User) -> None:
    allow(alice)
    thread = _thread(alice, "以太坊网络手续费收入持续增长，机构需求上升。")

    _refresh(alice, thread, "机构需求在上升，以太坊网络的手续费收入也持续增长。", *CHANGES)

    assert log_of(alice) == []


def test_without_the_profile_scope_nothing_is_observed(alice: User) -> None:
    allow_nothing(alice)

    _refresh(alice, _thread(alice), FALLS, *CHANGES)

    assert log_of(alice) == []


def test_a_thesis_from_before_the_scope_was_granted_is_compared_with_nothing(alice: User) -> None:
    allow_nothing(alice)
    thread = _thread(alice)
    allow(alice)

    _refresh(alice, thread, FALLS, *CHANGES)

    assert log_of(alice) == []


def test_an_organisation_may_ask_for_more_changes(alice: User) -> None:
    employ(Tenant.objects.create(name="Slow to judge", settings={"drift": {"stance_flip_changes_over": 6}}), alice)
    allow(alice)

    _refresh(alice, _thread(alice), FALLS, *CHANGES)

    assert log_of(alice) == []


def test_asked_again_of_the_same_refresh_it_is_written_once(alice: User) -> None:
    allow(alice)
    thread = _thread(alice)
    refresh = _refresh(alice, thread, FALLS, *CHANGES)

    with acting_as(alice.pk):
        again: DriftSignal | None = record_thesis_reversal(permit_for(alice), thread, refresh)

    assert again is None
    assert len(log_of(alice)) == 1
