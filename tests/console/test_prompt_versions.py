"""Operators write a version of the prompt on a page, see how it differs, and what it changes on the evaluation set."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from consent.models import PromptVersion
from finclaw.brain.prompt.guides import shipped_texts
from finclaw.prompt_drafts import draft_prompt_version
from tests.console.test_roles import make_operator
from tests.support.operators import sign_in_operator

ADD = reverse("admin:consent_promptversion_add")
GIVEN = shipped_texts() | {"note": "Shorter", "based_on": "", "research": "Weigh both sides."}


@pytest.mark.parametrize("role", ["viewer", "privacy officer", ""])
def test_other_roles_have_no_such_form(db: None, client: Client, role: str) -> None:
    assert sign_in_operator(client, make_operator(role)).post(ADD, GIVEN).status_code == 403
    assert not PromptVersion.objects.exists()


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ({"note": ""}, "This field is required."),
        ({"answer": ""}, "This field is required."),
        ({"answer": "<guidance>"}, "Angle brackets are not allowed"),
        ({"memory": "Rely on {memory}."}, "In braces stand only the names of tags"),
        ({"research": GIVEN["research"], "based_on": "7"}, "There is nothing here by that id."),
        ({"research": shipped_texts()["research"]}, "A version changes at least one guide."),
        ({"research": "Ask alice@example.com"}, "Nothing of this was saved"),
        ({"research": "Weigh both sides, and say which. " * 200}, "1000 is the most"),
    ],
)
def test_the_form_says_what_is_wrong(as_operator: Client, change: dict[str, str], answer: str) -> None:
    assert answer in as_operator.post(ADD, GIVEN | change).content.decode()
    assert not PromptVersion.objects.exists()


def test_a_version_is_written_compared_previewed_and_gone_on_from(as_operator: Client) -> None:
    form = as_operator.get(ADD).content.decode()
    assert "{user_memory}" in form
    assert "SAFETY" not in form
    as_operator.post(ADD, {name: text.replace("\n", "\r\n") for name, text in GIVEN.items()})
    version = PromptVersion.objects.get()
    assert version.guides == {"research": "Weigh both sides."}

    page = as_operator.get(reverse("admin:consent_promptversion_change", args=[version.pk])).content.decode()
    assert "+Weigh both sides." in page
    assert "-Advise in the light of their history and preferences." in page
    assert "tokens of all guides" in page
    assert f"{ADD}?based_on=2" in page
    assert "Weigh both sides." in as_operator.get(f"{ADD}?based_on=2").content.decode()
    assert as_operator.get(f"{ADD}?based_on=x").status_code == 200


def test_nobody_edits_or_deletes_one(as_operator: Client) -> None:
    version = draft_prompt_version(make_operator("superuser"), {"answer": "Be brief."}, note="Shorter")
    for verb in ("change", "delete"):
        address = reverse(f"admin:consent_promptversion_{verb}", args=[version.pk])
        assert as_operator.post(address, GIVEN | {"post": "yes"}).status_code == 403
    assert PromptVersion.objects.get().note == "Shorter"


def test_the_command_shows_how_a_version_differs(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    draft_prompt_version(make_operator("superuser"), {"answer": "Be brief."}, note="Shorter")
    call_command("prompt_version")
    call_command("prompt_version", "2")
    told = capsys.readouterr().out

    assert "1: shipped\n2: Shorter" in told
    assert "+Be brief." in told
    assert "guides: 633 shipped" in told
    with pytest.raises(CommandError, match="No model is configured"):
        call_command("prompt_version", "2", answers=1)
    with pytest.raises(CommandError, match="There is no version 3"):
        call_command("prompt_version", "3")
