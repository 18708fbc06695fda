"""What came of an experiment is read user by user, and one that harms ends by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import time_machine
from django.db import connection
from pytest_django import Settings

from consent.experiments import running_experiments, stop_experiment
from consent.models import AuditEvent, ErasureScope, Experiment, ProfileConsent
from consent.services import withdraw_consent
from drift.models import Feedback
from foundation.accounts.models import User
from foundation.alerts import ALERT_TOPIC
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.exceptions import require_found
from foundation.outbox.models import OutboxMessage
from memory.models import Receipt, ToolReceipt
from memory.quality import experiment_watch
from memory.quality.experiment_readings import (
    GAUGES,
    INJECTION_GAUGE,
    JudgedExperiment,
    VariantGauge,
    has_right_ratio,
    judge_experiment,
    read_report,
    read_sums,
)
from memory.quality.experiment_watch import watch_experiments
from tests.memory.quality.history import DAY, HOUR, MINUTE, NOW, Turns
from tests.support.cast import allow, allow_all_but_learning, allow_nothing, make_person
from tests.support.erasures import ask_to_forget
from tests.support.experiments import make_staff, run
from tests.support.statements import count_statements

USERS = 31  # of each variant: one more than is the least


@pytest.fixture
def olga(db: None) -> User:
    return make_staff("olga", "operator")


@pytest.fixture
def experiment(olga: User) -> Experiment:
    """One that has run for a day."""
    with time_machine.travel(NOW - DAY, tick=False):
        return run(olga)


def _of(experiment: Experiment, variant: str) -> dict[str, Any]:
    return {"generation_metadata": {"experiments": {str(experiment.pk): variant}}}


def _answer(turns: Turns, used: int, left_out: int, **fields: Any) -> None:
    """A turn with so many lines used, and left out for want of room; by default a minute ago."""
    receipt = turns.receipt("injection", **fields)
    turns.lines(receipt, accepted=used)
    turns.lines(receipt, rejected=left_out, decision_reason="budget_exceeded")


def _people(name: str, count: int) -> list[Turns]:
    return [Turns(make_person(f"{name}{number}")) for number in range(count)]


def test_trips_of_the_fuse_count_until_the_experiment_ends(experiment: Experiment, olga: User) -> None:
    (turns,) = _people("p", 1)
    _answer(turns, 3, 0, age=3 * HOUR, **_of(experiment, "warm"))
    turns.fuse(age=2 * HOUR)
    turns.fuse(age=MINUTE)
    with time_machine.travel(NOW - HOUR, tick=False):
        ended = stop_experiment(experiment.pk, olga)

    assert read_sums(ended, INJECTION_GAUGE)["warm"].sums.tolist() == [3, 3, 3, 1]


def _revoke(user: User) -> None:
    with acting_as(user.pk):
        withdraw_consent(user, require_found(ProfileConsent.objects.latest_of(user.pk)).pk, source="api")


def _begin_to_forget(user: User) -> None:
    ask_to_forget(user, NOW, ErasureScope.PROFILE)


def test_counts_are_summed_user_by_user_since_the_experiment_began(experiment: Experiment) -> None:
    (first, second, third), counts = _people("p", 3), []
    for turns, used, left_out, fuses in ((first, 3, 1, 0), (second, 2, 2, 1), (third, 5, 0, 0)):
        _answer(turns, used, left_out, **_of(experiment, "warm"))
        _answer(turns, 1, 0, age=2 * HOUR, **_of(experiment, "warm"))
        for _ in range(fuses):
            turns.fuse()
        counts.append([used + 1, used + left_out + 1, used + 1, fuses])
    _answer(first, 9, 9)  # no part of it
    _answer(first, 9, 9, age=2 * DAY, **_of(experiment, "warm"))  # before it
    _answer(first, 9, 9, generation_metadata={"experiments": {"another": "warm"}})
    third.fuse(age=3 * HOUR)  # before its user took part
    sums = read_sums(experiment, INJECTION_GAUGE)

    assert set(sums) == {"warm"}
    rows = np.array(counts, dtype=float)
    assert sums["warm"].users == 3
    assert sums["warm"].sums.tolist() == rows.sum(axis=0).tolist()
    assert sums["warm"].products.tolist() == (rows.T @ rows).tolist()


@pytest.mark.parametrize("withdraw", [allow_all_but_learning, allow_nothing, _revoke, _begin_to_forget])
def test_who_withdrew_is_not_measured_any_more(experiment: Experiment, withdraw: Callable[[User], object]) -> None:
    stays, leaves = _people("p", 2)
    for turns in (stays, leaves):
        _answer(turns, 1, 1, **_of(experiment, "warm"))
        turns.receipt("retrieval", latency_ms=20.0, **_of(experiment, "warm"))
    assert [_treated(experiment, gauge) for gauge in GAUGES] == [2, 2, 2, 2, 0]
    withdraw(leaves.user)

    assert [_treated(experiment, gauge) for gauge in GAUGES] == [1, 1, 1, 1, 0]


def _treated(experiment: Experiment, gauge: VariantGauge) -> int:
    """How many treated users the gauge counts."""
    sums = read_sums(experiment, gauge)
    return sums["warm"].users if "warm" in sums else 0


@pytest.mark.parametrize("withdraw", [allow_all_but_learning, allow_nothing, _revoke])
def test_who_withdrew_has_no_variant_on_old_receipts(
    experiment: Experiment, withdraw: Callable[[User], object]
) -> None:
    (leaves, stays) = _people("p", 2)
    for turns in (leaves, stays):
        named = _of(experiment, "warm")["generation_metadata"] | {"trace_id": "7", "follow_up": "9"}
        _answer(turns, 1, 1, prompt_version="2", generation_metadata=named)
        _answer(turns, 1, 1, prompt_version="1")
    withdraw(leaves.user)

    assert _named_on_receipts(leaves.user) == [({"follow_up": "9"}, ""), ({}, "1")]
    allow(leaves.user)
    assert _treated(experiment, INJECTION_GAUGE) == 1
    assert _named_on_receipts(stays.user) == [({}, "1"), (named, "2")]


def _named_on_receipts(user: User) -> list[tuple[dict[str, Any], str]]:
    with acting_as(user.pk):
        return sorted(Receipt.objects.values_list("generation_metadata", "prompt_version"), key=lambda named: named[1])


def test_skills_and_ratings_are_gauges_too(experiment: Experiment) -> None:
    (turns,) = _people("p", 1)
    for number, rating in enumerate(["thumbs_up", "disagree", "helpful"]):
        answer = turns.receipt("injection", **_of(experiment, "warm"))
        with acting_as(turns.user.pk):
            Feedback.objects.create(
                user=turns.user, object_ref=f"message:{answer.message_id}", rating=rating, consent_version=1
            )
            if not number:
                ToolReceipt.objects.create(
                    user=turns.user, run_id=answer.message_id, kind="skill", tool="snapshot", skill="snapshot",
                    outcome="done", duration_ms=1.0, consent_version=1,
                )  # fmt: skip
    counts = {gauge.name: read_sums(experiment, gauge)["warm"].sums.tolist() for gauge in GAUGES[-2:]}

    assert counts == {"skill_rate": [1, 3], "liked_rate": [2, 3]}


def test_what_harms_late_is_not_hidden_by_what_came_before(olga: User) -> None:
    with time_machine.travel(NOW - 4 * DAY, tick=False):
        experiment = run(olga)
    for variant, used in (("control", 8), ("warm", 2)):
        for number, turns in enumerate(_people(variant, USERS)):
            for _ in range(6):
                _answer(turns, 14 - number % 3, 2 + number % 3, age=2 * DAY, **_of(experiment, variant))
            _answer(turns, used - number % 2, 8 - used + number % 2, age=HOUR, **_of(experiment, variant))
    with time_machine.travel(NOW, tick=False):
        (judged,) = judge_experiment(experiment).verdicts
        reported = read_report(experiment).verdicts

    assert (judged.verdict.value, judged.lately) == ("below_floor", True)
    assert reported == (judged,)


def test_the_receipts_are_read_once(experiment: Experiment) -> None:
    assert count_statements(lambda: read_report(experiment)) == count_statements(lambda: judge_experiment(experiment))


def test_a_wrong_ratio_of_users_is_told_once_a_day(experiment: Experiment, settings: Settings) -> None:
    settings.ALERT_WEBHOOK_URL = "https://alerts.invalid/"
    for turns in _people("warm", 20):
        _answer(turns, 1, 1, **_of(experiment, "warm"))
    watch_experiments()
    watch_experiments()

    (alert,) = _alerts()
    assert (alert["kind"], alert["level"], alert["experiment"]) == ("experiment_ratio", "ticket", str(experiment.pk))
    assert not has_right_ratio(experiment)


def test_every_gauge_is_read_for_every_variant(experiment: Experiment) -> None:
    slow, quick = _people("p", 2)
    for turns, variant, latency in ((slow, "warm", 900.0), (quick, "control", 20.0)):
        _answer(turns, 1, 1, budget_exceeded=variant == "warm", **_of(experiment, variant))
        turns.receipt("retrieval", latency_ms=latency, **_of(experiment, variant))
    report = read_report(experiment)

    assert report.users == {"control": 1, "warm": 1}
    assert report.is_ratio_right
    assert set(report.readings) == {gauge.name for gauge in GAUGES}
    assert all(set(of_gauge) == {"control", "warm"} for of_gauge in report.readings.values())
    assert [one.verdict.value for one in report.verdicts] == ["too_few"]
    assert watch_experiments() == {f"{experiment.pk}:warm": "too_few"}
    assert list(running_experiments()) == [experiment]


def test_before_anybody_was_answered_there_is_nothing_to_say(experiment: Experiment) -> None:
    report = read_report(experiment)

    assert (report.users, report.ratio) == ({"control": 0, "warm": 0}, 1.0)
    assert {reading.value for of_gauge in report.readings.values() for reading in of_gauge.values()} == {None}


def _answer_all(experiment: Experiment, harm: int) -> None:
    """Users of both variants, of whom each has eight lines, half of them or so used; ``harm`` of them fewer if warm."""
    for variant, fewer in (("control", 0), ("warm", harm)):
        for number, turns in enumerate(_people(variant, USERS)):
            used = 5 + number % 3 - fewer
            _answer(turns, used, 8 - used, age=MINUTE, **_of(experiment, variant))


def test_one_that_harms_ends_by_itself_and_operators_are_told(experiment: Experiment, settings: Settings) -> None:
    settings.ALERT_WEBHOOK_URL = "https://alerts.invalid/"
    _answer_all(experiment, harm=4)
    report = read_report(experiment)
    effect = report.readings["injection_quality"]["warm"].effect
    assert effect is not None
    assert (round(effect.value, 6), effect.high < 0) == (-0.5, True)

    assert watch_experiments() == {f"{experiment.pk}:warm": "below_floor"}
    assert list(running_experiments()) == []
    experiment.refresh_from_db()
    assert (experiment.state, experiment.ended_by) == ("rolled_back", None)
    with in_role(OPERATOR_ROLE):
        assert AuditEvent.objects.get(action="experiment.rolled_back").subject_id == experiment.pk
    with in_role(WORKER_ROLE):
        (alert,) = OutboxMessage.objects.filter(topic=ALERT_TOPIC).values_list("payload", flat=True)
    assert (alert["kind"], alert["level"], alert["variant"]) == ("experiment_rolled_back", "page", "warm")
    assert alert["window"] == "whole"
    assert watch_experiments() == {}


def test_one_that_does_nothing_goes_on(experiment: Experiment, olga: User) -> None:
    _answer_all(experiment, harm=0)

    assert watch_experiments() == {f"{experiment.pk}:warm": "goes_on"}
    stop_experiment(experiment.pk, olga)
    assert watch_experiments() == {}


def _alerts() -> list[dict[str, Any]]:
    with in_role(WORKER_ROLE):
        return list(OutboxMessage.objects.filter(topic=ALERT_TOPIC).values_list("payload", flat=True))


def test_one_that_cannot_be_judged_keeps_no_other_waiting_and_operators_are_told(
    experiment: Experiment, olga: User, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.ALERT_WEBHOOK_URL = "https://alerts.invalid/"
    with time_machine.travel(NOW - HOUR, tick=False):
        stop_experiment(experiment.pk, olga)
        first, second = (run(olga, name=f"Part {n}", layer_start=50 * n, layer_end=50 * n + 50) for n in (0, 1))

    def judge(judged: Experiment) -> JudgedExperiment:
        if judged == first:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1 / 0")
        return judge_experiment(judged)

    monkeypatch.setattr(experiment_watch, "judge_experiment", judge)

    assert watch_experiments() == watch_experiments() == {f"{second.pk}:warm": "too_few"}
    (alert,) = _alerts()
    assert (alert["kind"], alert["level"], alert["experiment"]) == ("experiment_unwatched", "ticket", str(first.pk))
    assert alert["error"] == "DataError"


def test_one_of_whose_users_nobody_is_reminded_ends_by_itself(experiment: Experiment) -> None:
    for turns in _people("control", USERS):
        _answer(turns, 5, 3, **_of(experiment, "control"))
    for turns in _people("warm", USERS):
        turns.receipt("injection", **_of(experiment, "warm"))

    assert read_report(experiment).users == {"control": USERS, "warm": USERS}
    assert watch_experiments() == {f"{experiment.pk}:warm": "starves_prompt"}
    assert list(running_experiments()) == []
