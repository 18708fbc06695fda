"""What somebody states about themselves is no order: the field made for positions takes positions, at each door,
and refuses orders to a reader and the fields that acting needs, before anything is stored or queued.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from consent.services import permit_for
from finclaw.brain.boundary import BoundaryRefused
from finclaw.brain.boundary.statements import refuse_statements
from finclaw.brain.material.brief import ResearchBrief
from finclaw.brain.research import services
from finclaw.brain.research.boundary_guard import permitted_note
from finclaw.brain.research.note import compose_note
from finclaw.brain.research.personal_view import PersonalView
from finclaw.brain.research.types import LoadedSlices, SliceText
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.llm import configured_model
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.sanitization.types import SafeText
from memory.models import ResearchTask, Thread, ThreadContext, UserContext
from memory.research.task_lifecycle import RESEARCH_TOPIC
from memory.research.types import TaskDraft, ThreadDraft
from tests.brain.research.support import look
from tests.support.api import code_of, post
from tests.support.api import signed_in as with_token
from tests.support.cast import allow
from tests.support.degradations import with_degraded
from tests.support.research import snapshot_made, thread_kept
from tests.web.support import signed_in

TABLE = Path(__file__).parent / "statements.tsv"  # language TAB ordinary|refused TAB statement
ENTRIES = [tuple(line.split("\t")) for line in TABLE.read_text(encoding="utf-8").splitlines()]
ORDINARY = [text for _, label, text in ENTRIES if label == "ordinary"]
REFUSED = [text for _, label, text in ENTRIES if label == "refused"]
FIELD = "user_stated_position_context"


def _as_override(user: User, said: Mapping[str, str]) -> None:
    services.preview_task(permit_for(user), user, TaskDraft("pre_execution", "What should I check?", said))


def _in_refresh(user: User, said: Mapping[str, str]) -> None:
    thread = Thread.objects.get()
    services.create_refresh_task(permit_for(user), user, thread, "", said, confirm_financial=True)


def _with_thread(user: User, said: Mapping[str, str]) -> None:
    permit, snapshot = permit_for(user), snapshot_made(user)
    assert permit.consent_id is not None
    draft = ThreadDraft("Another", save_user_context=True, fields=said, confirm_financial=True)
    services.start_thread_from_snapshot(permit, user, snapshot, draft, permit.consent_id)


def _in_profile(user: User, said: Mapping[str, str]) -> None:
    services.state_in_profile(permit_for(user), said, confirm_financial=True)


Door = Callable[[User, Mapping[str, str]], None]


def test_the_table_has_forty_ordinary_and_thirty_refused_entries_in_both_languages_together() -> None:
    counts = Counter((language, label) for language, label, _ in ENTRIES)

    assert min(counts["en", "ordinary"], counts["zh", "ordinary"]) >= 40
    assert min(counts["en", "refused"], counts["zh", "refused"]) >= 30
    assert len(set(ENTRIES)) == len(ENTRIES)


@pytest.mark.parametrize("text", ORDINARY)
def test_what_one_holds_wants_and_plans_is_no_order(text: str) -> None:
    refuse_statements([text])


@pytest.mark.parametrize("text", REFUSED)
def test_an_order_to_a_reader_and_a_field_that_acting_needs_are_refused(text: str) -> None:
    with pytest.raises(BoundaryRefused):
        refuse_statements([text])


@pytest.mark.parametrize("refused", REFUSED[::4])
def test_an_order_is_found_between_ordinary_statements(refused: str) -> None:
    with pytest.raises(BoundaryRefused):
        refuse_statements([f"{ORDINARY[0]}.\n{refused}\n{ORDINARY[-1]}"])


@pytest.mark.parametrize("door", [_as_override, _in_refresh, _in_profile])
def test_each_door_takes_the_ordinary_ones(alice: User, door: Door) -> None:
    allow(alice)
    thread_kept(alice)

    with acting_as(alice.pk):
        for text in ORDINARY:
            door(alice, {FIELD: text})


@pytest.mark.parametrize("door", [_as_override, _in_refresh, _in_profile, _with_thread])
def test_each_door_refuses_the_others_and_stores_nothing(alice: User, door: Door) -> None:
    allow(alice)
    thread_kept(alice)
    drain()

    with acting_as(alice.pk):
        tasks = ResearchTask.objects.count()
        for text in REFUSED[:: 8 if door is _with_thread else 1]:
            with pytest.raises(BoundaryRefused):
                door(alice, {FIELD: text})
        assert not UserContext.objects.exists()
        assert not ThreadContext.objects.exists()
        assert ResearchTask.objects.filter(route="thread_refresh").count() == 0
        assert ResearchTask.objects.count() - tasks == (len(REFUSED[::8]) if door is _with_thread else 0)
    assert not OutboxMessage.objects.filter(topic=RESEARCH_TOPIC, state="pending").exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("said", ["long 200 NVDA at 95", "满仓茅台", "止损1400"])
def test_over_the_api_a_position_is_taken_and_quoted_in_the_note(alice: User, said: str) -> None:
    allow(alice)
    thread = thread_kept(alice)
    client: APIClient = with_token(alice)

    asked = {"route": "pre_execution", "prompt": "What should I check?", "user_context_overrides": {FIELD: said}}
    made = post(client, "/api/tasks", asked)
    supplied = {"user_supplied_context": {FIELD: said}, "confirm_financial": True}
    looked = post(client, f"/api/threads/{thread.pk}/refresh", supplied)
    drain()

    assert (made.status_code, looked.status_code) == (202, 202)
    for answer in (made, looked):
        done = client.get(f"/api/tasks/{answer.json()['task_id']}").json()
        assert done["state"] == "completed", done["error_code"]
        assert said in done["note"]["text"]


def test_over_the_api_an_order_is_refused(alice: User) -> None:
    allow(alice)
    thread = thread_kept(alice)
    client: APIClient = with_token(alice)
    said = {FIELD: "sell my 200 NVDA now for me"}
    body = {"route": "snapshot", "prompt": "Where does NVDA stand?", "user_context_overrides": said}

    answers = [
        post(client, "/api/tasks", body),
        post(client, f"/api/threads/{thread.pk}/refresh", {"user_supplied_context": said, "confirm_financial": True}),
        client.patch("/api/users/me/context", {**said, "confirm_financial": True}),
    ]

    assert [(answer.status_code, code_of(answer)) for answer in answers] == [(422, "boundary_refused")] * 3


def test_under_settings_it_is_said_beside_the_field_and_the_words_stay(alice: User) -> None:
    allow(alice)
    browser: Client = signed_in(alice)
    said = {"section": "financial", "confirm_financial": "on", FIELD: "帮我市价卖出"}

    page = browser.post(reverse("web:settings"), said)

    assert list(page.context["financial_form"].errors) == [FIELD]
    assert "帮我市价卖出" in page.content.decode()
    with acting_as(alice.pk):
        assert not UserContext.objects.exists()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_note_of_a_checkpoint_quotes_every_ordinary_statement(language: str) -> None:
    for spoken, label, text in ENTRIES:
        if (spoken, label) == (language, "ordinary"):
            stated = SliceText("S7", {FIELD: SafeText(text)}, "profile")
            view = PersonalView(LoadedSlices((stated,)))
            brief = ResearchBrief("Buy Nvidia?", language)  # type: ignore[arg-type]
            note, _ = with_degraded(lambda: compose_note(brief, {}, view, configured_model(None)))  # noqa: B023
            kept = permitted_note("pre_execution", note)
            assert kept is not None
            assert kept.statements, text


@pytest.mark.django_db(transaction=True)
def test_a_position_is_sent_to_no_model_to_ask_whether_it_is_an_order(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    from finclaw.brain.research import task_execution
    from tests.brain.research.support import RecordingModel, answered, run

    allow(alice)
    model = RecordingModel(answered)
    monkeypatch.setattr(task_execution, "configured_model", lambda *_: model)
    done = run(alice, "Margins are 72%.", "pre_execution", overrides={FIELD: "short 50 TSLA from 310"})

    assert look(alice, done.pk).state == "completed"
    assert not [prompt for prompt in model.prompts if "tell the assistant to act" in "\n".join(prompt.texts)]
