"""Operators draft, start, watch and stop an experiment on the server."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from consent.experiments import running_experiments
from consent.models import Experiment
from finclaw import operator_sign_in
from foundation.accounts.models import User
from tests.console.test_roles import make_operator
from tests.support.cast import PASSWORD
from tests.support.experiments import VARIANTS, nearly_all_treated

NAME = "Sooner research"
OF_WORDS = nearly_all_treated(prompt_version="7")
GIVEN = {
    "name": NAME,
    "purpose": "Whether research is begun when it is wanted.",
    "dimension": "brain_routing",
    "variants": VARIANTS,
}
Run = Callable[..., str]


@pytest.fixture
def run(operator: User, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Run:
    """Runs the command as Olivia, who types what is asked."""
    settings.OPERATOR_SECOND_FACTOR = False
    monkeypatch.setattr(operator_sign_in, "getpass", lambda prompt: PASSWORD)
    monkeypatch.setattr("builtins.input", lambda prompt: NAME)

    def called(*arguments: str, by: str = "olivia") -> str:
        out = StringIO()
        call_command("experiment", *arguments, "--operator", by, stdout=out)
        return out.getvalue()

    return called


@pytest.fixture
def described(tmp_path: Path) -> Callable[[Any], str]:
    """Writes a file that describes an experiment; its name."""

    def write(given: object) -> str:
        path = tmp_path / "experiment.json"
        path.write_text(given if isinstance(given, str) else json.dumps(given))
        return str(path)

    return write


def test_it_is_drafted_started_shown_and_stopped(run: Run, described: Callable[[Any], str]) -> None:
    assert "takes nobody yet" in run(described(GIVEN), "--draft")
    assert run() == f"{NAME}: Draft, 0 %, How a message is routed, and what enters the prompt\n"
    assert run(NAME, "--show") == f"{NAME}: Draft, 0 %\n"
    with pytest.raises(CommandError, match="the next is 1 %"):
        run(NAME, "--grow", "10")
    assert run(NAME, "--grow", "1") == f"{NAME}: Running, 1 %.\n"
    assert run(NAME, "--grow", "10") == f"{NAME}: Running, 10 %.\n"
    shown = run(NAME, "--show")
    assert "users: control 0, warm 0; as their weights (p = 1)" in shown
    assert "injection_quality, warm: nothing to measure" in shown
    assert "verdict on warm: too_few" in shown
    with pytest.raises(CommandError, match="only grows"):
        run(NAME, "--grow", "1")
    assert run(NAME, "--stop") == f"{NAME}: Stopped, 10 %.\n"
    assert list(running_experiments()) == []


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("{", "no file of JSON"),
        ([], "is an object with dimension, name, purpose, variants"),
        (GIVEN | {"share": 100}, "is an object with"),
        ({"name": NAME}, "is an object with"),
        (GIVEN | {"dimension": "mood"}, "one of brain_routing, prompt_version"),
        (GIVEN | {"dimension": "prompt_version", "variants": OF_WORDS}, "There is no version 7 of the prompt"),
        (GIVEN | {"variants": nearly_all_treated(slot_tokens={"mood": 7})}, "The parts of the prompt that may vary"),
        (
            GIVEN | {"variants": nearly_all_treated(slot_tokens={"personal_context": 9_000})},
            "personal_context has from 2000 to 8000 tokens",
        ),
        (GIVEN | {"floor": "high"}, "floor has a value of the wrong type"),
        (GIVEN | {"name": 7}, "name has a value of the wrong type"),
        (GIVEN | {"floor": 2}, "floor: "),
        (GIVEN | {"purpose": "Ask alice@example.com"}, "Nothing of this was saved"),
        (
            GIVEN | {"variants": [VARIANTS[0], VARIANTS[1] | {"parameters": {"skill_weights": {"juggling": 1}}}]},
            "no skill juggling",
        ),
    ],
)
def test_what_is_wrong_with_a_draft_is_said(run: Run, described: Callable[[Any], str], given: object, why: str) -> None:
    with pytest.raises(CommandError, match=why):
        run(described(given), "--draft")
    assert list(Experiment.objects.values()) == []


def test_nobody_starts_one_without_the_right_or_the_word(
    run: Run, described: Callable[[Any], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(described(GIVEN), "--draft")
    viewer = make_operator("viewer")

    with pytest.raises(CommandError, match="You may not do this"):
        run(NAME, "--grow", "1", by=viewer.username)
    monkeypatch.setattr("builtins.input", lambda prompt: "yes")
    with pytest.raises(CommandError, match="Not confirmed"):
        run(NAME, "--grow", "1")
    with pytest.raises(CommandError, match="no experiment called Another"):
        run("Another", "--stop")
    with pytest.raises(CommandError, match="Say what to do"):
        run(NAME)
    assert list(running_experiments()) == []
