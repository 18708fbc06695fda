"""What somebody said of their money under an explicit yes is used where they were told it would be, and the page says
where it was read.
"""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from consent.services import permit_for
from finclaw.brain.research import task_execution
from finclaw.brain.research.services import create_refresh_task
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.llm import Prompt
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.models import ResearchTask, ThreadContext, UserContext
from memory.research.contexts import note_of
from memory.research.results import snapshot_of
from memory.research.threads import refreshes_of
from tests.brain.research.support import RecordingModel, answered, is_personal, look, run
from tests.brain.research.told import loaded, state, task
from tests.support.api import post
from tests.support.api import signed_in as with_token
from tests.support.cast import allow
from tests.support.research import snapshot_made, thread_kept
from tests.web.support import signed_in

MONEY = {
    "user_stated_position_context": "long 200 NVDA at 95",
    "time_horizon": "ten years",
    "constraints": "no options",
}
ASKED = "Before I add to NVDA: margins are 72%. Export rules are a risk."


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> RecordingModel:
    recording = RecordingModel(answered)
    monkeypatch.setattr(task_execution, "configured_model", lambda *_: recording)
    return recording


def _personal(model: RecordingModel) -> list[Prompt]:
    return [prompt for prompt in model.prompts if is_personal(prompt)]


def _note(user: User, done: ResearchTask) -> str:
    with acting_as(user.pk):
        kept = note_of(permit_for(user), done)
    return "\n".join(kept.lines) if kept else ""


def _settings_filled_in(user: User) -> Client:
    browser = signed_in(user)
    saved = browser.post(reverse("web:settings"), {"section": "financial", "confirm_financial": "on", **MONEY})
    assert saved.status_code == 302
    return browser


# --- Settings, then a check before acting ----------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_what_settings_keep_of_my_money_is_in_the_check_before_i_act(alice: User, model: RecordingModel) -> None:
    allow(alice)
    browser = _settings_filled_in(alice)

    previewed = browser.post(reverse("web:ask"), {"prompt": ASKED, "route": "pre_execution"}).content.decode()
    done = run(alice, ASKED, "pre_execution")
    page = browser.get(reverse("web:task", args=[done.pk])).content.decode()

    [prompt] = _personal(model)
    assert all(said in prompt.context for said in MONEY.values())
    for shown in (previewed, page):
        assert "You have not told me" not in shown
        assert shown.count("because you set it under Settings") == 2
    assert done.context["slices_read_from"] == {
        "S1": ["default"], "S2": ["default"], "S3": ["default"], "S7": ["profile"], "S8": ["profile"],
    }  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_without_a_model_it_stands_beside_the_findings(alice: User) -> None:
    allow(alice)
    _settings_filled_in(alice)

    note = _note(alice, run(alice, ASKED, "pre_execution"))

    assert all(said in note for said in MONEY.values())


def test_over_the_api_the_preview_says_where_it_was_read(alice: User) -> None:
    allow(alice)
    state(alice, MONEY, financial=True)
    asked = {"prompt": ASKED, "route": "pre_execution", "user_context_overrides": {"constraints": "no shorts"}}

    slices = post(with_token(alice), "/api/tasks/preview", asked).json()["slices"]

    assert slices["read_from"] == {
        "S1": ["default"], "S2": ["default"], "S3": ["default"], "S7": ["profile"], "S8": ["task", "profile"],
    }  # fmt: skip


def test_each_field_comes_from_the_nearest_scope_that_states_it(alice: User) -> None:
    allow(alice)
    state(alice, MONEY, financial=True)
    thread = thread_kept(alice, save_user_context=True, fields={"constraints": "no shorts"}, confirm_financial=True)

    given = loaded(alice, task("pre_execution", thread=thread, time_horizon="a year"))

    assert {name: given.values[name] for name in MONEY} == {
        "user_stated_position_context": "long 200 NVDA at 95",
        "time_horizon": "a year",
        "constraints": "no shorts",
    }
    assert given.read_from["S8"] == ("task", "thread")


# --- consent and confirmation ----------------------------------------------------------------------------------------


def test_what_nobody_confirmed_is_not_read(alice: User) -> None:
    allow(alice)
    state(alice, MONEY, financial=True)
    thread = thread_kept(alice, save_user_context=True, fields=MONEY, confirm_financial=True)
    with acting_as(alice.pk):
        UserContext.objects.update(financial_confirmed=False)
        ThreadContext.objects.update(financial_confirmed=False)

    given = loaded(alice, task("pre_execution", thread=thread))

    assert given.skipped_missing == ("S7", "S8")
    assert given.blocked_by_consent == ()


def test_a_yes_stands_until_the_fields_are_emptied(alice: User) -> None:
    allow(alice)
    state(alice, MONEY, financial=True)
    state(alice, {"research_depth": "deep"})
    with acting_as(alice.pk):
        assert UserContext.objects.get().financial_confirmed
    state(alice, dict.fromkeys(MONEY, ""))
    with acting_as(alice.pk):
        assert not UserContext.objects.get().financial_confirmed


@pytest.mark.parametrize(
    ("left", "read"),
    [
        (ConsentScope.SAVE_TO_PROFILE, "in the profile"),
        (ConsentScope.SAVE_TO_THREAD, "in the thread"),
        (ConsentScope.MEMORY_LEARNING, None),
    ],
)
def test_each_scope_is_read_under_its_own_consent_alone(alice: User, left: ConsentScope, read: str | None) -> None:
    allow(alice)
    state(alice, {"constraints": "in the profile"}, financial=True)
    thread = thread_kept(alice, save_user_context=True, fields={"constraints": "in the thread"}, confirm_financial=True)
    allow(alice, left)

    given = loaded(alice, task("pre_execution", thread=thread))

    assert given.values.get("constraints") == read
    assert ("S8" in given.blocked_by_consent) == (read is None)


# --- a thread, then another look at it -------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("offline", [False, True], ids=["by a model", "by rule"])
def test_what_a_thread_keeps_is_gone_by_when_i_look_again(
    alice: User, monkeypatch: pytest.MonkeyPatch, offline: bool
) -> None:
    allow(alice)
    thread = thread_kept(
        alice, save_user_context=True, confirm_financial=True,
        fields={"user_stated_position_context": MONEY["user_stated_position_context"], "research_style": "Bottom up",
                "user_focus_reason": "Fees"},
    )  # fmt: skip
    recording = RecordingModel(answered)
    if not offline:
        monkeypatch.setattr(task_execution, "configured_model", lambda *_: recording)
    with acting_as(alice.pk):
        asked = create_refresh_task(
            permit_for(alice), alice, thread, "Fees fell by 3% in June.", {}, confirm_financial=False
        )
    drain()
    done = look(alice, asked.pk)

    assert done.state == "completed", done.error_code
    assert done.context["slices_read_from"]["S7"] == ["thread"]
    if offline:
        note = _note(alice, done)
        assert all(said in note for said in ("long 200 NVDA at 95", "Bottom up", "Fees"))
    else:
        thesis, note_prompt = sorted(_personal(recording), key=lambda prompt: "Say in at most" in prompt.system)
        assert "long 200 NVDA at 95" in note_prompt.context
        assert all("Bottom up" in prompt.context for prompt in (thesis, note_prompt))
        assert "long 200 NVDA at 95" not in "\n".join(thesis.texts)
        assert _note(alice, done) == "A note."


@pytest.mark.django_db(transaction=True)
def test_what_is_kept_of_another_look_never_holds_my_money(alice: User) -> None:
    allow(alice)
    thread = thread_kept(
        alice, save_user_context=True, fields={"user_stated_position_context": "kumquat"}, confirm_financial=True
    )
    with acting_as(alice.pk):
        create_refresh_task(permit_for(alice), alice, thread, "Fees fell.", {}, confirm_financial=False)
    drain()

    with acting_as(alice.pk):
        [refresh] = refreshes_of(permit_for(alice), thread)
        made = snapshot_of(permit_for(alice), refresh.snapshot_id)
        assert "kumquat" not in f"{made.__dict__}{refresh.__dict__}"


# --- how one likes to do research ------------------------------------------------------------------------------------


def test_the_style_set_under_settings_reaches_a_thread(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    browser.post(reverse("web:settings"), {"section": "preferences", "research_style": "Numbers first"})
    assert "Numbers first" in browser.get(reverse("web:settings")).content.decode()
    thread = thread_kept(alice, snapshot_made(alice))

    for route in ("thread_refresh", "risk_challenge"):
        given = loaded(alice, task(route, thread=thread))
        assert given.values["research_style"] == "Numbers first"
        assert given.read_from["S5"] == ("profile",)
