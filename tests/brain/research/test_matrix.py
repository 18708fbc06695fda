"""The matrix of routes and slices, cell by cell and scope by scope, written out here once more: the table in the code
must say the same.
"""

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
from foundation.llm import Prompt
from foundation.personal_data import ConsentScope
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
    "thread_refresh":      (ALWAYS, ALWAYS, ALWAYS, ALWAYS, ALWAYS, NEVER, MAY,   MAY,   MAY),
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
STATED = ("S1", "S2", "S3", "S4", "S5", "S7", "S8")
FIELDS_OF = {name: dict(line.split(": ", 1) for line in TEXT[name].splitlines()) for name in STATED}
SCOPES = ("task", "thread", "profile")
SCOPED_CELLS = [(route, name, cell, scope) for route, name, cell in CELLS if name in STATED for scope in SCOPES]
CLOSED = {"thread": ConsentScope.SAVE_TO_PROFILE, "profile": ConsentScope.SAVE_TO_THREAD}  # what is left without it
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


@pytest.mark.parametrize("route", MATRIX)
def test_cells(alice: User, thread: Thread, route: str) -> None:
    given = loaded(alice, with_everything(route, thread))

    texts = {one.slice: one.text for one in given.slices}
    for name, cell in zip(get_args(SliceName), MATRIX[route], strict=True):
        if cell == NEVER:
            assert name not in {*given.loaded_names, *given.skipped_missing, *given.blocked_by_consent}
            assert TEXT[name] not in "\n".join(texts.values())
        else:
            assert texts[name] == TEXT[name]


def stated_in(scope: str, user: User, route: str, name: str) -> TaskDraft:
    """A task of the route for a thread, after its person stated the slice in that scope, and nothing else anywhere."""
    fields = FIELDS_OF[name]
    if scope == "profile":
        state(user, fields, financial=True)
    thread = follow(user)
    if scope == "thread":
        state_for(user, thread, financial_confirmed=True, **fields)
    return TaskDraft(route, "How does NVDA stand?", fields if scope == "task" else {}, thread.pk)


@pytest.mark.parametrize(
    ("route", "name", "cell", "scope"),
    SCOPED_CELLS,
    ids=[f"{route}-{name}-{scope}" for route, name, _, scope in SCOPED_CELLS],
)
def test_cell_in_each_scope(alice: User, route: str, name: SliceName, cell: str, scope: str) -> None:
    allow(alice)

    given = loaded(alice, stated_in(scope, alice, route, name))

    texts = {one.slice: (one.text, one.scopes) for one in given.slices}
    if cell == NEVER:
        assert name not in given.read_from
        assert TEXT[name] not in {text for text, _ in texts.values()}
    else:
        assert texts[name] == (TEXT[name], (scope,))


CONSENTED = [one for one in SCOPED_CELLS if one[2] != NEVER and one[3] in CLOSED]


@pytest.mark.parametrize(
    ("route", "name", "cell", "scope"),
    CONSENTED,
    ids=[f"{route}-{name}-{scope}" for route, name, _, scope in CONSENTED],
)
def test_cell_in_a_scope_whose_consent_is_withdrawn(
    alice: User, route: str, name: SliceName, cell: str, scope: str
) -> None:
    allow(alice)
    asked = stated_in(scope, alice, route, name)
    allow(alice, CLOSED[scope])

    given = loaded(alice, asked)

    assert TEXT[name] not in {one.text for one in given.slices}
    assert (name in given.blocked_by_consent) != (name in given.loaded_names)
    assert name not in given.skipped_missing


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("route", MATRIX)
def test_what_a_route_is_given_reaches_the_prompt_of_its_personal_part_and_no_other(
    alice: User, thread: Thread, monkeypatch: pytest.MonkeyPatch, route: str
) -> None:
    model = RecordingModel(answered)
    monkeypatch.setattr(task_execution, "configured_model", lambda *_: model)
    asked = with_everything(route, thread)
    done = run(alice, asked.prompt, route, overrides=asked.overrides, thread_id=asked.thread_id)
    assert done.state == "completed", done.error_code
    personal = [one for one in model.prompts if is_personal(one)]
    impersonal = [one for one in model.prompts if not is_personal(one)]
    given = {name for name, cell in zip(TEXT, MATRIX[route], strict=True) if cell != NEVER}

    assert len(list(filter(is_for_a_part, impersonal))) == len(ROUTES[Route(route)].parts)
    noted = {"S7", "S8"} & given if ROUTES[route].personal_part == "thesis" else set()
    written = {"thesis": [False], "note": [True], None: []}[ROUTES[route].personal_part]
    assert list(map(is_a_note, personal)) == written + [True] * bool(noted)
    for prompt in personal:
        in_prompt = {name for name, text in TEXT.items() if text in prompt.context}
        assert in_prompt == (given if is_a_note(prompt) else given - noted)
        assert not [text for text in TEXT.values() if text in prompt.system + prompt.messages[-1].content]
    assert not [text for text in TEXT.values() for one in impersonal if text in "\n".join(one.texts)]


def is_a_note(prompt: Prompt) -> bool:
    """Whether a personal part is the note, which is kept for a day; a thesis stays."""
    return "Say in at most" in prompt.system


OPTIONAL = [(route, name) for route, name, cell in CELLS if cell == MAY]


@pytest.mark.parametrize(("route", "name"), OPTIONAL, ids=[f"{route}-{name}" for route, name in OPTIONAL])
def test_optional_cell_without_its_condition(bob: User, route: str, name: SliceName) -> None:
    allow(bob)

    given = loaded(bob, task(route))

    assert name not in given.loaded_names
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

    context = build_prompt(parts).context

    assert [line.split(":")[0] for line in context.splitlines()[1:-1]] == list(stated_fields_of(CHAT))


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
