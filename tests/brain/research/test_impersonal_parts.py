"""What personalization may not touch is byte-identical for whoever asks the same (M-6, seed A §7.2).

Two people of one language and opposite preferences, personas, feedback and memories ask the same thing: every prompt
for evidence, counter-thesis, invalidators, risks and conditions, every data quality note, the boundary's and the
sensitive classifier's word are the same bytes. Small in the suite, 500 pairs in ``make prove``.
"""

from __future__ import annotations

import os
import random
from itertools import product
from typing import Any

import pytest

from consent.sensitive.services import screened
from consent.services import permit_for
from drift.services import give_feedback
from finclaw.brain.research import running
from finclaw.brain.research.boundary import asks_to_execute
from foundation.accounts.models import User
from foundation.database.acting import acting_as
from foundation.llm import Prompt
from memory.models import Route
from memory.services.contexts import save_profile_context
from personas.services.documents import write_user_document
from tests.brain.research.support import MOUTAI, NVDA, RecordingModel, run
from tests.support.cast import allow, make_person
from tests.support.talk import open_session, say

PAIRS = int(os.environ.get("METAMORPHIC_PAIRS", "6"))
ROUTES = [route for route in Route if route != Route.THREAD_REFRESH]
SIDES: tuple[dict[str, Any], ...] = (
    {
        "risk_prompt_preference": "risk_first",
        "research_depth": "quick",
        "says": {"en": "I love Nvidia and will never sell it.", "zh": "我特别看好茅台,永远不会卖。"},
        "persona": "Be warm and agree with me.",
        "rating": "thumbs_up",
    },
    {
        "risk_prompt_preference": "counter_first",
        "research_depth": "deep",
        "says": {"en": "I hate Nvidia and want it to fall.", "zh": "我非常看空茅台,希望它下跌。"},
        "persona": "Be strict and contradict me.",
        "rating": "thumbs_down",
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


def _impersonal(prompts: list[Prompt]) -> list[list[str]]:
    """Everything of the prompts for parts that a model reads; the thesis is the one that may be personal."""
    return sorted(one.texts for one in prompts if "State in at most" not in one.system)


@pytest.mark.parametrize("number", range(PAIRS))
def test_two_opposites_who_ask_the_same_get_the_same_bytes(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(number)
    language, route = list(product(("en", "zh"), ROUTES))[number % (2 * len(ROUTES))]
    lines = (NVDA if language == "en" else MOUTAI).splitlines()
    prompt = "\n".join([lines[0], *chance.sample(lines[1:], k=chance.randint(2, len(lines) - 1))])
    heard, notes = [], []
    for place, side in enumerate(SIDES):
        user = _somebody(f"pair{number}side{place}", language, side)
        model = RecordingModel(
            lambda asked: (
                {"thesis": "A thesis.", "watch_questions": []}
                if "State in at most" in asked.system
                else {"statements": [{"text": "A finding."}]}
            )
        )
        monkeypatch.setattr(running, "configured_model", lambda model=model: model)
        task = run(user, prompt, route)
        assert task.state == "completed", task.error_code
        heard.append(_impersonal(model.prompts))
        monkeypatch.undo()
        offline = run(user, prompt, route)
        notes.append((_protected(offline, user), asks_to_execute(prompt), screened("prompt", prompt).text))
    assert heard[0] == heard[1]
    assert heard[0]
    assert notes[0] == notes[1]


def _protected(task: Any, user: User) -> Any:
    """Everything of what the offline builder made but the thesis, its questions and what was told."""
    from memory.models import Checkpoint, Snapshot

    told = ("What you told me", "您告诉过我的")
    if task.result_kind == "report":
        # In which order the advisors speak is theirs to choose (seed A §7.3).
        sections = {one["heading"]: one["statements"] for one in task.report["sections"] if one["heading"] not in told}
        return sections, task.report["data_quality_note"]
    with acting_as(user.pk):
        if task.result_kind == "snapshot":
            made = Snapshot.objects.get(pk=task.result_id)
            return made.evidence, made.counter_thesis, made.invalidators, made.data_quality_note
        check = Checkpoint.objects.get(pk=task.result_id)
        return check.conditions, check.risks, check.invalidators, check.data_quality_note
