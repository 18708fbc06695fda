"""Operators draft, start, grow and stop experiments; the roles, the layers and the record hold them to the rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from consent.experiments import (
    ExperimentDraft,
    ExperimentNotAllowed,
    grow_experiment,
    roll_back,
    running_experiments,
    stop_experiment,
)
from consent.models import AuditEvent, Experiment
from consent.sensitive.exceptions import SensitiveInput
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import NotFound, ValidationFailed
from tests.support.experiments import VARIANTS, draft, make_staff, run

ROUTING, WORDING = Experiment.Dimension
SHARE = Experiment.Share


@pytest.fixture
def olga(db: None) -> User:
    """An operator who may run experiments."""
    return make_staff("olga", "operator")


def _treated(**parameters: Any) -> list[dict[str, Any]]:
    return [{"name": "control", "weight": 50}, {"name": "warm", "weight": 50, "parameters": parameters}]


# Who may not, and what is malformed.


@pytest.mark.parametrize("role", ["viewer", "privacy officer", ""])
def test_other_roles_neither_draft_nor_start_nor_stop(olga: User, role: str) -> None:
    vera, experiment = make_staff("vera", role), draft(olga)

    with pytest.raises(ExperimentNotAllowed):
        draft(vera, name="Another")
    with pytest.raises(ExperimentNotAllowed):
        grow_experiment(experiment.pk, SHARE.ONE, vera)
    with pytest.raises(ExperimentNotAllowed):
        stop_experiment(experiment.pk, vera)


def test_a_former_operator_does_nothing(olga: User) -> None:
    olga.is_staff = False

    with pytest.raises(ExperimentNotAllowed):
        draft(olga)


@pytest.mark.parametrize(
    "variants",
    [
        None,
        "control",
        [],
        [{"name": "control", "weight": 99}],
        [{"name": "control", "weight": 50}, "warm"],
        [{"name": "control", "weight": 50}, {"name": "warm", "weight": 50}],
        [{"name": "control", "weight": 50}, {"name": "warm", "parameters": {"skill_threshold": 0.2}}],
        [{"name": "base", "weight": 50}, {"name": "warm", "weight": 50, "parameters": {"skill_threshold": 0.2}}],
        [{"name": "control", "weight": 50}, {"name": "Warm!", "weight": 50, "parameters": {"skill_threshold": 0.2}}],
        [{"name": "control", "weight": 50}, {"name": "warm", "weight": 40, "parameters": {"skill_threshold": 0.2}}],
        [{"name": "control", "weight": True}, {"name": "warm", "weight": 99, "parameters": {"skill_threshold": 0.2}}],
        [{"name": "control", "weight": 50, "note": ""}, *_treated(skill_threshold=0.2)[1:]],
        [*_treated(skill_threshold=0.2), {"name": "warm", "weight": 1, "parameters": {"skill_threshold": 0.1}}],
        _treated(skill_threshold=1.5),
        _treated(skill_threshold=0),
        _treated(skill_threshold=0.0),
        _treated(skill_threshold=float("nan")),
        _treated(skill_threshold=True),
        _treated(skill_weights={}),
        _treated(skill_weights={"snapshot": -1}),
        _treated(skill_weights={"DROP TABLE": 1}),
        _treated(recall_thresholds={"unknown": 0.5}),
        _treated(recall_thresholds={"cosine": "0.5"}),
        _treated(prompt_version="2"),
        [{"name": "control", "weight": 50}, {"name": "warm", "weight": 50, "parameters": ["skill_threshold"]}],
    ],
)
def test_variants_that_are_no_whole_are_refused(olga: User, variants: object) -> None:
    with pytest.raises(ValidationFailed):
        draft(olga, variants=variants)
    assert list(Experiment.objects.values()) == []


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"name": "  "}, "name"),
        ({"name": "x" * 61}, "name"),
        ({"purpose": ""}, "purpose"),
        ({"layer": "Routing; DROP"}, "layer"),
        ({"layer_start": 50, "layer_end": 50}, "__all__"),
        ({"layer_end": 101}, "__all__"),
        ({"layer_start": -1}, "layer_start"),
        ({"floor": 1.1}, "floor"),
        ({"floor": float("nan")}, "__all__"),
    ],
)
def test_a_field_that_is_wrong_is_named(olga: User, given: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        draft(olga, **given)
    assert list(refused.value.details) == [field]


def test_name_and_purpose_tell_of_nobody(olga: User) -> None:
    with pytest.raises(SensitiveInput):
        draft(olga, purpose="As alice@example.com asked")
    with pytest.raises(SensitiveInput):
        draft(olga, name="For alice@example.com")


def test_a_name_is_given_once(olga: User) -> None:
    draft(olga)
    with pytest.raises(ValidationFailed) as refused:
        draft(olga)
    assert list(refused.value.details) == ["name"]


def test_the_application_itself_writes_no_experiment(olga: User) -> None:
    experiment = draft(olga)

    for forbidden in (
        lambda: Experiment.objects.filter(pk=experiment.pk).update(share=100),
        lambda: Experiment.objects.filter(pk=experiment.pk).delete(),
    ):
        with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
            forbidden()
    with pytest.raises(DatabaseError, match="permission denied"), in_role(OPERATOR_ROLE):
        Experiment.objects.filter(pk=experiment.pk).delete()


# Its life.


def test_it_grows_by_steps_and_ends_for_good(olga: User) -> None:
    experiment = draft(olga)
    assert (experiment.state, experiment.share, experiment.layer) == ("draft", 0, "brain_routing")
    assert list(running_experiments()) == []

    for share in (SHARE.ONE, SHARE.TEN, SHARE.HALF, SHARE.ALL):
        grow_experiment(experiment.pk, share, olga)
        (running,) = running_experiments()
        assert (running.share, running.state) == (share, "running")
    with pytest.raises(ValidationFailed):
        grow_experiment(experiment.pk, SHARE.TEN, olga)
    stop_experiment(experiment.pk, olga)

    assert list(running_experiments()) == []
    with pytest.raises(NotFound):
        grow_experiment(experiment.pk, SHARE.ALL, olga)
    with pytest.raises(NotFound):
        stop_experiment(experiment.pk, olga)
    with pytest.raises(NotFound):
        roll_back(experiment.pk)


@pytest.mark.parametrize(
    ("reached", "wanted", "following"),
    [(SHARE.NONE, SHARE.TEN, "1 %"), (SHARE.NONE, SHARE.ALL, "1 %"), (SHARE.ONE, SHARE.HALF, "10 %"),
     (SHARE.TEN, SHARE.ALL, "50 %")],
)  # fmt: skip
def test_no_step_is_left_out(olga: User, reached: Experiment.Share, wanted: Experiment.Share, following: str) -> None:
    experiment = run(olga, reached)

    with pytest.raises(ValidationFailed, match=f"the next is {following}"):
        grow_experiment(experiment.pk, wanted, olga)
    experiment.refresh_from_db()
    assert experiment.share == reached


def test_every_act_is_on_record_and_one_of_nobody_too(olga: User) -> None:
    stopped = grow_experiment(draft(olga).pk, SHARE.ONE, olga)
    grow_experiment(stopped.pk, SHARE.TEN, olga)
    stop_experiment(stopped.pk, olga)
    failed = grow_experiment(draft(olga, name="Another").pk, SHARE.ONE, olga)
    roll_back(failed.pk)

    with in_role(OPERATOR_ROLE):
        acts = AuditEvent.objects.filter(action__startswith="experiment.").order_by("at", "id")
        told = [(act.action.partition(".")[2], act.subject_id, act.actor_id, act.counts["share"]) for act in acts]
    assert told == [
        ("drafted", stopped.pk, olga.pk, 0),
        ("grown", stopped.pk, olga.pk, 1),
        ("grown", stopped.pk, olga.pk, 10),
        ("stopped", stopped.pk, olga.pk, 10),
        ("drafted", failed.pk, olga.pk, 0),
        ("grown", failed.pk, olga.pk, 1),
        ("rolled_back", failed.pk, None, 1),
    ]


@pytest.mark.parametrize(
    ("given", "may_start"),
    [
        ({}, False),
        ({"layer_start": 49}, False),
        ({"layer_start": 50}, True),
        ({"layer": "another", "layer_start": 50}, False),  # two layers would give a user two values for one thing
        ({"dimension": WORDING, "layer": "another", "variants": _treated(prompt_version="2")}, True),
        ({"dimension": WORDING, "layer": "brain_routing", "variants": _treated(prompt_version="2")}, False),
    ],
)
def test_no_two_give_a_user_two_values_for_one_thing(olga: User, given: dict[str, Any], may_start: bool) -> None:
    grow_experiment(draft(olga, layer_end=50).pk, SHARE.ONE, olga)
    second = draft(olga, name="Another", **given)

    if may_start:
        grow_experiment(second.pk, SHARE.ONE, olga)
    else:
        with pytest.raises(ValidationFailed):
            grow_experiment(second.pk, SHARE.ONE, olga)
    assert len(running_experiments()) == 1 + may_start


def test_the_part_of_one_that_ended_is_free_again(olga: User) -> None:
    first = grow_experiment(draft(olga).pk, SHARE.ONE, olga)
    stop_experiment(first.pk, olga)

    assert grow_experiment(draft(olga, name="Another").pk, SHARE.ONE, olga).share == SHARE.ONE


def test_a_draft_is_dropped_without_having_run(olga: User) -> None:
    dropped = stop_experiment(draft(olga).pk, olga)

    assert (dropped.state, dropped.share, dropped.started_at) == ("stopped", 0, None)


def test_variants_are_stored_as_they_were_read(olga: User) -> None:
    assert draft(olga).variants == [{"parameters": {}} | one for one in VARIANTS]
    assert isinstance(ExperimentDraft("a", "b", ROUTING, VARIANTS), ExperimentDraft)


@pytest.mark.parametrize(
    "act",
    [
        lambda olga, experiment: draft(olga, name="Another"),
        lambda olga, experiment: grow_experiment(experiment.pk, SHARE.ONE, olga),
        lambda olga, experiment: stop_experiment(experiment.pk, olga),
        lambda olga, experiment: roll_back(experiment.pk),
    ],
)
def test_an_act_that_cannot_be_recorded_does_not_happen(
    olga: User, act: Callable[[User, Experiment], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = draft(olga)
    before = [*Experiment.objects.values()]

    def fail(**fields: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(AuditEvent.objects, "create", fail)
    with pytest.raises(DatabaseError):
        act(olga, experiment)

    assert [*Experiment.objects.values()] == before
