"""Operators draft an experiment on a page, let it grow, read what came of it, and stop it."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from django.urls import reverse

from consent.experiments import running_experiments
from consent.models import Experiment
from tests.console.test_roles import make_operator
from tests.support.experiments import VARIANTS, draft, nearly_all_treated, run
from tests.support.operators import sign_in_operator

OF_WORDS = nearly_all_treated(prompt_version="7")
LIST = reverse("admin:consent_experiment_changelist")
ADD = reverse("admin:consent_experiment_add")
GIVEN = {
    "name": "Sooner research",
    "purpose": "Whether research is begun when it is wanted.",
    "dimension": "brain_routing",
    "variants": json.dumps(VARIANTS),
    "layer": "",
    "layer_start": "0",
    "layer_end": "100",
    "floor": "0.55",
}


@pytest.mark.parametrize("role", ["viewer", "privacy officer", ""])
def test_other_roles_have_no_such_form(db: None, client: Client, role: str) -> None:
    assert sign_in_operator(client, make_operator(role)).post(ADD, GIVEN).status_code == 403
    assert list(Experiment.objects.values()) == []


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ({"variants": "{"}, "Enter a valid JSON."),
        ({"variants": "[]"}, "This field is required."),
        ({"variants": json.dumps(VARIANTS[:1])}, "two to five variants"),
        ({"dimension": "prompt_version", "variants": json.dumps(OF_WORDS)}, "There is no version 7 of the prompt"),
        ({"floor": "2"}, "less than or equal to 1"),
        ({"purpose": "Ask alice@example.com"}, "Nothing of this was saved"),
    ],
)
def test_the_form_says_what_is_wrong(as_operator: Client, change: dict[str, str], answer: str) -> None:
    assert answer in as_operator.post(ADD, GIVEN | change).content.decode()
    assert list(Experiment.objects.values()) == []


def _answered(experiment: Experiment, share: int) -> dict[str, str]:
    """What the page that asks whether it shall grow to this share posts."""
    return {"confirmed": "yes", "stamp": f"{experiment.pk}:{share}"}


def test_an_answer_that_comes_twice_lets_it_grow_by_one_step(as_operator: Client) -> None:
    experiment = run(make_operator("superuser"), Experiment.Share.ONE)
    grow = {"action": "grow", "_selected_action": [str(experiment.pk)]} | _answered(experiment, 10)
    assert "1 experiment has grown." in as_operator.post(LIST, grow, follow=True).content.decode()
    again = as_operator.post(LIST, grow).content.decode()

    assert "What would happen has changed since. Look once more." in again
    assert f'name="stamp" value="{experiment.pk}:50"' in again
    assert running_experiments().get().share == 10


@pytest.mark.parametrize("role", ["operator", "superuser"])
def test_it_is_drafted_grows_step_by_step_and_stops(db: None, client: Client, role: str) -> None:
    operator = make_operator(role)
    sign_in_operator(client, operator).post(ADD, GIVEN)
    experiment = Experiment.objects.get()
    assert (experiment.state, experiment.created_by) == ("draft", operator.pk)

    grow = {"action": "grow", "_selected_action": [str(experiment.pk)]}
    assert "Take more of the users?" in client.post(LIST, grow).content.decode()
    assert list(running_experiments()) == []
    for share in (1, 10, 50, 100):
        answered = _answered(experiment, share)
        assert "1 experiment has grown." in client.post(LIST, grow | answered, follow=True).content.decode()
        assert running_experiments().get().share == share
    assert "None of the selected experiments can grow." in client.post(LIST, grow, follow=True).content.decode()

    page = client.get(reverse("admin:consent_experiment_change", args=[experiment.pk])).content.decode()
    assert "control: 0, warm: 0" in page
    assert "warm: too few answers to tell" in page
    stop = {"action": "stop", "_selected_action": [str(experiment.pk)], "confirmed": "yes"}
    assert "1 experiment is stopped." in client.post(LIST, stop, follow=True).content.decode()
    assert list(running_experiments()) == []


def test_nobody_edits_or_deletes_one(as_operator: Client) -> None:
    experiment = draft(make_operator("superuser"))
    for verb in ("change", "delete"):
        address = reverse(f"admin:consent_experiment_{verb}", args=[experiment.pk])
        assert as_operator.post(address, GIVEN | {"post": "yes", "name": "Another"}).status_code == 403
    assert Experiment.objects.get().name == experiment.name
