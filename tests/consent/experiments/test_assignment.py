"""A user's variant is a pure function: it stays as it is, layers exclude each other, growing moves nobody."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from unittest.mock import Mock
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consent import experiment_assignment
from consent.experiment_assignment import (
    CONTROL,
    ExperimentVariant,
    RunningExperiment,
    assign,
    assigned_variant,
    readable_experiments,
)

STEPS = (1, 10, 50, 100)
PEOPLE = [UUID(int=number * 7_919, version=4) for number in range(10_000)]
HALVES = (ExperimentVariant(CONTROL, 50), ExperimentVariant("warm", 50, {"skill_threshold": 0.2}))


def _experiment(number: int = 1, **given: object) -> RunningExperiment:
    made = RunningExperiment(UUID(int=number), "brain_routing", "routing", 0, 100, 100, HALVES)
    return replace(made, **given)  # type: ignore[arg-type]


def _names(experiment: RunningExperiment) -> list[str | None]:
    found = (assigned_variant(experiment, person) for person in PEOPLE)
    return [variant.name if variant else None for variant in found]


weights = st.lists(st.integers(1, 97), min_size=1, max_size=4).filter(lambda given: sum(given) < 100)


@st.composite
def experiments(draw: st.DrawFn) -> RunningExperiment:
    """Any experiment that may run."""
    treated = draw(weights)
    start = draw(st.integers(0, 99))
    variants = (
        ExperimentVariant(CONTROL, 100 - sum(treated)),
        *(ExperimentVariant(f"v{number}", weight) for number, weight in enumerate(treated)),
    )
    return RunningExperiment(
        draw(st.uuids()), "brain_routing", "routing", start, draw(st.integers(start + 1, 100)),
        draw(st.sampled_from(STEPS)), variants,
    )  # fmt: skip


def test_one_that_cannot_be_read_is_left_out_and_logged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Mock()
    monkeypatch.setattr(experiment_assignment, "log", log)
    row = vars(_experiment()) | {"variants": [{"name": "control", "weight": 100}]}
    broken = row | {"id": uuid4(), "variants": [{"title": "control"}]}

    for _ in range(3):
        (read,) = readable_experiments([broken, row])
        assert read.id == row["id"]
    log.error.assert_called_once_with("experiment_unreadable", experiment=str(broken["id"]), error="KeyError")


def test_it_is_the_same_on_every_machine_and_in_every_release() -> None:
    first = [assigned_variant(_experiment(), UUID(int=number)) for number in range(12)]

    assert "".join(variant.name[0] for variant in first if variant) == "wccwcwcwwwcw"


@given(experiments(), st.uuids())
def test_growing_moves_nobody_to_another_variant(experiment: RunningExperiment, user_id: UUID) -> None:
    found = [assigned_variant(replace(experiment, share=share), user_id) for share in STEPS]
    names = [variant.name if variant else None for variant in found]
    taken = [name for name in names if name is not None]

    assert len(set(taken)) <= 1
    assert names == [None] * (len(STEPS) - len(taken)) + taken


@given(experiments(), st.integers(1, 99), st.uuids())
def test_experiments_of_one_layer_share_nobody(experiment: RunningExperiment, cut: int, user_id: UUID) -> None:
    lower = replace(experiment, layer_start=0, layer_end=cut, share=100)
    upper = replace(experiment, id=UUID(int=2), layer_start=cut, layer_end=100, share=100)

    assert len(assign([lower, upper], user_id)) == 1


@given(experiments(), st.uuids())
def test_what_is_read_from_a_row_is_what_was_written(experiment: RunningExperiment, user_id: UUID) -> None:
    row = vars_of(experiment)

    assert RunningExperiment.of_row(row) == experiment
    assert assign([RunningExperiment.of_row(row)], user_id) == assign([experiment], user_id)


def vars_of(experiment: RunningExperiment) -> dict[str, object]:
    """The columns as a statement answers them: the id as text, the variants as objects."""
    variants = [{"name": one.name, "weight": one.weight, "parameters": one.parameters} for one in experiment.variants]
    fields = ("dimension", "layer", "layer_start", "layer_end", "share")
    return {"id": str(experiment.id), "variants": variants} | {name: getattr(experiment, name) for name in fields}


def test_each_step_takes_its_share_and_each_variant_its_weight() -> None:
    variants = (ExperimentVariant(CONTROL, 20), ExperimentVariant("few", 30), ExperimentVariant("many", 50))
    for share in STEPS:
        counted = Counter(_names(_experiment(share=share, variants=variants)))
        taken = len(PEOPLE) - counted[None]
        # Four standard deviations of a binomial: once in 15,000 tries by chance, and the tries here are fixed.
        assert abs(taken - share * 100) <= 4 * (100 * share * (1 - share / 100)) ** 0.5
        for variant in variants:
            expected, weight = taken * variant.weight / 100, variant.weight / 100
            assert abs(counted[variant.name] - expected) <= 4 * (expected * (1 - weight)) ** 0.5


def test_two_experiments_take_and_divide_users_independently() -> None:
    first, second = _names(_experiment(1)), _names(_experiment(2, layer="wording"))
    together = Counter(zip(first, second, strict=True))

    assert all(abs(count - 2_500) <= 4 * (10_000 * 0.25 * 0.75) ** 0.5 for count in together.values())
    early = [name is not None for name in _names(_experiment(1, share=10))]
    again = [name is not None for name in _names(_experiment(2, share=10))]
    assert sum(both for both in map(all, zip(early, again, strict=True))) < 160  # 100 expected, of 1,000
