"""Experiments and the operators who run them, for tests."""

from __future__ import annotations

from typing import Any, Final

from django.contrib.auth.models import Group

from consent.experiments import ExperimentDraft, draft_experiment, grow_experiment, stop_experiment
from consent.models import Experiment
from consent.services import turn_permit
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from tests.support.cast import PASSWORD

VARIANTS: Final = [
    {"name": "control", "weight": 50},
    {"name": "warm", "weight": 50, "parameters": {"skill_threshold": 0.2}},
]


def make_staff(username: str, role: str) -> User:
    """Somebody of the staff with one role, or none for ""."""
    user = User.objects.create_user(username=username, password=PASSWORD, is_staff=True)
    user.groups.set(Group.objects.filter(name=role))
    return user


def draft(operator: User, **given: Any) -> Experiment:
    """An experiment that varies how messages are routed, unless ``given`` says otherwise."""
    usual = {
        "name": "Sooner research",
        "purpose": "Whether research is begun when it is wanted.",
        "dimension": Experiment.Dimension.BRAIN_ROUTING,
        "variants": VARIANTS,
    }
    return draft_experiment(operator, ExperimentDraft(**(usual | given)))


def run(operator: User, share: Experiment.Share = Experiment.Share.ALL, **given: Any) -> Experiment:
    """An experiment that runs with this share of the users, to which it has grown step by step."""
    experiment = draft(operator, **given)
    for step in Experiment.Share:
        if 0 < step <= share:
            experiment = grow_experiment(experiment.pk, step, operator)
    return experiment


def nearly_all_treated(weight: int = 99, **parameters: Any) -> list[dict[str, Any]]:
    """Nearly everybody is treated; one whom chance left in control would fail the test for ever, not now and then."""
    return [
        {"name": "control", "weight": 100 - weight},
        {"name": "warm", "weight": weight, "parameters": parameters},
    ]


def treat(
    user: User,
    operator: User,
    dimension: Experiment.Dimension = Experiment.Dimension.BRAIN_ROUTING,
    **parameters: Any,
) -> str:
    """Run an experiment in which the user is treated, drafted anew until they are; its id."""
    for number in range(20):
        variants = nearly_all_treated(**parameters)
        experiment = run(operator, name=f"Try {number}", dimension=dimension, variants=variants)
        with acting_as(user.pk):
            if turn_permit(user).assignments()[0].variant.name == "warm":
                return str(experiment.pk)
        stop_experiment(experiment.pk, operator)
    raise AssertionError("nobody was treated in twenty tries of 99 in 100")
