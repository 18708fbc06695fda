"""What personalization may not touch is byte-identical for whoever asks the same (M-6, seed A §7.2).

Two people of one language and opposite preferences, personas, feedback, memories, threads and words for this task alone
ask the same thing, now or as of a day: every prompt for evidence, counter-thesis, invalidators, risks and conditions,
every data quality note, the boundary's and the sensitive classifier's word are the same bytes. Small in the suite, 500
pairs in ``make prove``.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Collection
from typing import Any

import pytest

from consent.sensitive.services import screen_text
from consent.services import permit_for
from drift.services import give_feedback
from finclaw.brain.boundary import asks_to_execute
from finclaw.brain.boundary.second_look import INSTRUCTION
from finclaw.brain.research import task_execution
from finclaw.brain.research.routes import ROUTES as POLICIES
from finclaw.brain.research.services import create_refresh_task
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.llm import Prompt
from foundation.llm.text_picking import picking_prompt
from foundation.outbox.tasks import drain
from memory.models import Checkpoint, Refresh, Route, Snapshot, Thread
from memory.research.profile_context import save_profile_context
from memory.research.threads import change_thread
from memory.research.types import ThreadChange
from personas.services.documents import write_user_document
from tests.brain.research.support import (
    MOUTAI,
    NVDA,
    RecordingModel,
    answered,
    day,
    is_for_a_part,
    is_personal,
    look,
    run,
    snapshot,
)
from tests.support.cast import allow, make_person
from tests.support.research import thread_kept
from tests.support.talk import open_session, say

PAIRS = int(os.environ.get("METAMORPHIC_PAIRS", "7"))
LANGUAGES = ("en", "zh")
MATERIAL = {"en": NVDA, "zh": MOUTAI}
ROUTES = list(Route)  # as many as have no divisor in common with the languages
DAYS = (None, None, day("2025-09-15"), day("2025-12-01"))
MINE = {"en": "How does it compare with my threads?", "zh": "和我的线程相比如何?"}
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ACTED = {"en": "Insiders sold shares in May.", "zh": "高管五月卖出股份。"}  # a model looks at such words once more
SIDES: tuple[dict[str, Any], ...] = (
    {
        "risk_prompt_preference": "risk_first",
        "research_depth": "quick",
        "says": {"en": "I love Nvidia and will never sell it.", "zh": "我特别看好茅台,永远不会卖。"},
        "persona": "Be warm and agree with me.",
        "rating": "thumbs_up",
        "title": {"en": "Why Nvidia always wins", "zh": "茅台为何永远会赢"},
        "renamed": {"en": "Nvidia is the future", "zh": "茅台就是未来"},
        "context": {"user_focus_reason": "I want it to rise.", "research_style": "只看利好,自上而下。"},
        "overrides": {"research_style": "Only good news.", "constraints": "永不卖出。", "time_horizon": "Ten years"},
    },
    {
        "risk_prompt_preference": "counter_first",
        "research_depth": "deep",
        "says": {"en": "I hate Nvidia and want it to fall.", "zh": "我非常看空茅台,希望它下跌。"},
        "persona": "Be strict and contradict me.",
        "rating": "thumbs_down",
        "title": {"en": "Nvidia is doomed", "zh": "茅台注定下跌"},
        "renamed": {"en": "The end of Nvidia", "zh": "茅台的终局"},
        "context": {"user_focus_reason": "I want it to fall.", "research_style": "只看利空,自下而上。"},
        "overrides": {"research_style": "Only bad news.", "constraints": "随时离场。", "time_horizon": "One week"},
    },
)

pytestmark = pytest.mark.django_db


def _somebody(name: str, language: str, side: dict[str, Any]) -> User:
    user = make_person(name)
    allow(user)
    with acting_as(user.pk):
        permit = permit_for(user)
        stated = {key: side[key] for key in ("risk_prompt_preference", "research_depth")}
        save_profile_context(permit, stated | {"language_preference": language})
        write_user_document(permit, user, side["persona"])
    events = say(user, open_session(user), side["says"][language])
    with acting_as(user.pk):
        give_feedback(permit_for(user), user, f"message:{events[0].pk}", side["rating"], "")
    return user


def _thread_of(user: User, language: str, side: dict[str, Any]) -> Thread:
    """A thread of what both were told alike, called and looked at in opposite ways."""
    kept = snapshot(user, run(user, MATERIAL[language]))
    return thread_kept(user, kept, title=side["title"][language], save_user_context=True, fields=side["context"])


def _impersonal(prompts: list[Prompt], own: Collection[str]) -> list[list[str]]:
    """Everything of the prompts for parts that a model reads, and of those that guard them; a thesis or a note is what
    may be personal. A person's own words for this task are guarded as such, and left out.
    """
    told = (one for one in prompts if not is_personal(one))
    return sorted(one.texts for one in told if is_for_a_part(one) or not any(word in str(one.texts) for word in own))


def _recorded(monkeypatch: pytest.MonkeyPatch) -> RecordingModel:
    model = RecordingModel(answered)
    monkeypatch.setattr(task_execution, "configured_model", lambda *_: model)
    return model


@pytest.mark.parametrize("number", range(PAIRS))
def test_two_opposites_who_ask_the_same_get_the_same_bytes(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(number)
    language, route = LANGUAGES[number % 2], ROUTES[number % len(ROUTES)]
    lines = MATERIAL[language].splitlines()
    mine = [MINE[language]] if chance.random() < 0.5 else []
    prompt = "\n".join([lines[0], *chance.sample(lines[1:], k=chance.randint(2, len(lines) - 1)), *mine])
    is_refresh = route == Route.THREAD_REFRESH
    in_thread, stated = is_refresh or chance.random() < 0.5, chance.random() < 0.5
    as_of = None if is_refresh else chance.choice(DAYS)
    heard, notes = [], []
    for place, side in enumerate(SIDES):
        user = _somebody(f"pair{number}side{place}", language, side)
        thread = _thread_of(user, language, side)
        asked: dict[str, Any] = {"as_of": as_of, "overrides": side["overrides"] if stated else {}}
        asked["thread_id"] = thread.pk if in_thread else None
        model = _recorded(monkeypatch)
        task = run(user, prompt, route, **asked)
        assert task.state == "completed", task.error_code
        heard.append(_impersonal(model.prompts, side["overrides"].values()))
        monkeypatch.undo()
        offline = run(user, prompt, route, **asked)
        guards = (
            asks_to_execute(prompt),
            picking_prompt([prompt], INSTRUCTION).texts,
            screen_text("prompt", prompt).text,
        )
        notes.append((_protected(offline, user), *guards))
    assert heard[0] == heard[1]
    assert len(heard[0]) >= len(POLICIES[route].parts)
    assert notes[0] == notes[1]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("is_renamed", [False, True])
def test_what_a_thread_is_called_enters_no_part_of_another_look_without_a_word(
    language: str, is_renamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard, notes = [], []
    for place, side in enumerate(SIDES):
        user = _somebody(f"silent{place}", language, side)
        thread = _thread_of(user, language, side)
        with acting_as(user.pk):
            task = create_refresh_task(permit_for(user), user, thread, "", {}, confirm_financial=False)
            if is_renamed:
                change_thread(permit_for(user), thread, ThreadChange(title=side["renamed"][language]))
        model = _recorded(monkeypatch)
        drain()
        monkeypatch.undo()
        names = (side["title"][language], side["renamed"][language])
        assert not any(name in str(one.texts) for name in names for one in model.prompts if is_for_a_part(one))
        heard.append(_impersonal(model.prompts, names))
        notes.append(_protected(look(user, task.pk), user))
    assert heard[0] == heard[1]
    assert len(heard[0]) >= len(POLICIES[Route.THREAD_REFRESH].parts)
    assert notes[0] == notes[1]


def _protected(task: Any, user: User) -> Any:
    """Everything of what was made but the thesis, its questions and what was told; whatever ids it cites."""
    assert task.state == "completed", task.error_code
    told = ("What you told me", "你告诉过我的")
    if task.result_kind == "report":
        # In which order the advisors speak is theirs to choose (seed A §7.3).
        sections = [
            (one["heading"], one["statements"]) for one in task.report["sections"] if one["heading"] not in told
        ]
        return _without_ids(sorted(sections)), task.report["data_quality_note"]
    with acting_as(user.pk):
        if task.result_kind == "checkpoint":
            check = Checkpoint.objects.get(pk=task.result_id)
            return _without_ids(check.conditions, check.risks, check.invalidators), check.data_quality_note
        made = (
            Refresh.objects.get(pk=task.result_id).snapshot
            if task.result_kind == "refresh"
            else Snapshot.objects.get(pk=task.result_id)
        )
        return _without_ids(made.evidence, made.counter_thesis, made.invalidators), made.data_quality_note


def _without_ids(*made: Any) -> str:
    return _ID.sub("id", str(made))
