"""The matrix of seed A §6.3, cell by cell, written out here once more: the table in the code must say the same."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any, get_args

import pytest
from django.core.management import CommandError, call_command

from finclaw.brain.context_slices import CHAT, SLICES, SliceName, stated_fields, stated_fields_of
from finclaw.brain.management.commands.document_routes import PATH, rendered_page
from finclaw.brain.prompt.layers import PromptParts, build_prompt
from finclaw.brain.research import task_execution
from finclaw.brain.research.parts import PARTS
from finclaw.brain.research.routes import ROUTES
from finclaw.brain.research.types import LoadedSlices
from finclaw.brain.types import Intent
from foundation.accounts.models import User
from foundation.sanitization.types import SafeText
from memory.models import Route, Thread, UserContext
from memory.research.profile_context import FIELDS
from memory.research.types import TaskDraft
from tests.brain.research.support import RecordingModel, answered, is_for_a_part, is_personal, run
from tests.brain.research.told import drift, follow, loaded, state, state_for, task
from tests.support.cast import allow

ALWAYS, MAY, NEVER = "always", "may", "never"
MATRIX = {
    #                        S1      S2      S3      S4      S5      S6     S7     S8     S9
    "snapshot":            (ALWAYS, ALWAYS, ALWAYS, NEVER,  NEVER,  MAY,   NEVER, NEVER, NEVER),
    "thread_refresh":      (ALWAYS, ALWAYS, ALWAYS, ALWAYS, ALWAYS, NEVER, NEVER, NEVER, MAY),
    "risk_challenge":      (ALWAYS, NEVER,  ALWAYS, NEVER,  MAY,    NEVER, NEVER, NEVER, NEVER),
    "pre_execution":       (ALWAYS, ALWAYS, ALWAYS, NEVER,  NEVER,  NEVER, MAY,   MAY,   NEVER),
    "evidence_audit":      (ALWAYS, NEVER,  NEVER,  NEVER,  NEVER,  NEVER, NEVER, NEVER, NEVER),
    "narrative_mapper":    (ALWAYS, ALWAYS, NEVER,  NEVER,  NEVER,  MAY,   NEVER, NEVER, NEVER),
    "event_impact_reader": (ALWAYS, ALWAYS, NEVER,  NEVER,  NEVER,  MAY,   NEVER, NEVER, NEVER),
}  # fmt: skip
TEXT = {
    "S1": "language_preference: zh",
    "S2": "research_depth: deep",
    "S3": "risk_prompt_preference: risk_first",
    "S4": "user_focus_reason: The moat",
    "S5": "research_style: Bottom up",
    "S6": "recent_active_threads: NVDA margins (asset NVDA)",
    "S7": "user_stated_position_context: 100 shares at 80",
    "S8": "constraints: No leverage\ntime_horizon: Two years",
    "S9": "persona_drift_recent: 2",
}
CELLS = [(route, name, cell) for route, row in MATRIX.items() for name, cell in zip(TEXT, row, strict=True)]
FOR_THIS_TASK: dict[str, Any] = {
    "user_stated_position_context": "100 shares at 80",
    "constraints": "No leverage",
    "time_horizon": "Two years",
}


@pytest.fixture
def thread(alice: User) -> Thread:
    """Alice stated everything that any slice holds."""
    allow(alice)
    state(alice)
    thread = follow(alice)
    state_for(alice, thread, research_style="Bottom up", user_focus_reason="The moat")
    drift(alice, 2)
    return thread


def with_everything(route: str, thread: Thread) -> TaskDraft:
    return task(route, "How do my threads bear on NVDA?", thread=thread, **FOR_THIS_TASK)


@pytest.mark.parametrize(("route", "name", "cell"), CELLS, ids=[f"{route}-{name}" for route, name, _ in CELLS])
def test_cell(alice: User, thread: Thread, route: str, name: SliceName, cell: str) -> None:
    given = loaded(alice, with_everything(route, thread))

    texts = {one.slice: one.text for one in given.slices}
    if cell == NEVER:
        assert name not in {*given.loaded, *given.skipped_missing, *given.blocked_by_consent}
        assert TEXT[name] not in "\n".join(texts.values())
    else:
        assert texts[name] == TEXT[name]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("route", MATRIX)
def test_what_a_route_is_given_reaches_the_prompt_of_its_personal_part_and_no_other(
    alice: User, thread: Thread, monkeypatch: pytest.MonkeyPatch, route: str
) -> None:
    model = RecordingModel(answered)
    monkeypatch.setattr(task_execution, "configured_model", lambda: model)
    asked = with_everything(route, thread)
    done = run(alice, asked.prompt, route, overrides=asked.overrides, thread_id=asked.thread_id)
    assert done.state == "completed", done.error_code
    personal = [one for one in model.prompts if is_personal(one)]
    impersonal = [one for one in model.prompts if not is_personal(one)]
    given = {name for name, cell in zip(TEXT, MATRIX[route], strict=True) if cell != NEVER}

    assert len(list(filter(is_for_a_part, impersonal))) == len(ROUTES[Route(route)].parts)
    assert len(personal) == (0 if route == "evidence_audit" else 1)
    for prompt in personal:
        assert {name for name, text in TEXT.items() if text in prompt.closing} == given
        assert not [text for text in TEXT.values() if text in prompt.system + prompt.messages[-1].content]
    assert not [text for text in TEXT.values() for one in impersonal if text in "\n".join(one.texts)]


OPTIONAL = [(route, name) for route, name, cell in CELLS if cell == MAY]


@pytest.mark.parametrize(("route", "name"), OPTIONAL, ids=[f"{route}-{name}" for route, name in OPTIONAL])
def test_optional_cell_without_its_condition(bob: User, route: str, name: SliceName) -> None:
    allow(bob)

    given = loaded(bob, task(route))

    assert name not in given.loaded
    assert given.blocked_by_consent == ()


@pytest.mark.parametrize("name", TEXT)
def test_cell_of_plain_chat(name: SliceName) -> None:
    everything = UserContext(**dict.fromkeys(FIELDS, "stated"))

    context = stated_fields(everything)

    assert [field in context for field in SLICES[name].fields] == [name in CHAT] * len(SLICES[name].fields)


def test_plain_chat_and_routes_share_what_a_slice_is() -> None:
    parts = PromptParts(
        "Hi", Intent("chat", 0.4), (), {"language_preference": SafeText("zh"), "constraints": SafeText("x")}, {}, (), ()
    )

    closing = build_prompt(parts).closing

    assert [line.split(":")[0] for line in closing.splitlines()[1:-1]] == list(stated_fields_of(CHAT))


def test_the_table_names_every_route_and_every_slice() -> None:
    assert set(ROUTES) == set(Route.values) == set(MATRIX)
    assert set(SLICES) == set(get_args(SliceName)) == set(TEXT)
    assert set(stated_fields_of(SLICES)) == set(FIELDS)


@pytest.mark.parametrize("route", Route.values)
def test_the_advisors_of_a_route_are_those_whose_parts_it_asks_for(route: str) -> None:
    asked = {PARTS[part].advisor for part in ROUTES[Route(route)].parts}

    assert set(ROUTES[route].advisors) == asked


def test_a_portion_of_nothing_takes_no_tokens() -> None:
    assert LoadedSlices(()).tokens == 0


def test_the_page_on_routes_says_what_the_code_does() -> None:
    assert PATH.read_text(encoding="utf-8") == rendered_page()


def test_a_page_that_says_something_else_fails_the_check(tmp_path: Path) -> None:
    page = tmp_path / "routes.md"
    with pytest.raises(CommandError, match=r"routes\.md"):
        call_command("document_routes", "--check", path=page, stdout=StringIO())
    call_command("document_routes", path=page, stdout=StringIO())
    call_command("document_routes", "--check", path=page, stdout=StringIO())
    page.write_text(page.read_text(encoding="utf-8").replace("always", "never", 1), encoding="utf-8")
    with pytest.raises(CommandError, match=r"routes\.md"):
        call_command("document_routes", "--check", path=page, stdout=StringIO())
