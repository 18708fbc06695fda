"""A model that says what its turn came to, by the tool ``end``: what is stored of it, and when nothing is."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from finclaw.brain import turn
from finclaw.brain.tools.turn_end import MAX_FIELD_CHARS
from finclaw.brain.types import TurnRequest, TurnResult
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.historian.automatic_ends import end_resting_sessions, turn_request_id
from memory.models import CognitiveEvent, CognitiveJob, ConversationEvent, Session
from tests.brain.test_looking_up import LargeModel, RefusesTools, asks, served, tell
from tests.support.cast import allow, allow_nothing, group_with
from tests.support.model_server import AsksFor, Refuses, Says
from tests.support.talk import open_session

pytestmark = pytest.mark.django_db
SAID = "I moved to York last week, what do you think of the city?"


def ends(said: str = "", **fields: Any) -> AsksFor:
    return AsksFor((("end", json.dumps(fields)),), said=said)


def ask(user: User, session: Session | None = None, text: str = SAID) -> TurnResult:
    session = session or open_session(user)
    return turn.reply(user, TurnRequest(session.pk, ({"type": "text", "text": text},)))


def jobs(user: User) -> list[CognitiveJob]:
    with acting_as(user.pk):
        return list(CognitiveJob.objects.order_by("created_at"))


def message_of(user: User) -> ConversationEvent:
    with acting_as(user.pk):
        return ConversationEvent.objects.get(role="user")


def test_what_a_turn_came_to_is_handed_to_the_historian_with_the_turn(alice: User) -> None:
    allow(alice)
    model = LargeModel(ends("A fine city.", action_summary="I praised York.", new_info="I moved to York last week."))

    with served(model):
        result = ask(alice)

    assert result.reply == "A fine city."
    assert len(model.asked) == 1  # an answer beside it is the answer
    [job] = jobs(alice)
    said = message_of(alice)
    assert (job.action_summary, job.new_info) == ("I praised York.", "I moved to York last week.")
    assert job.request_id == turn_request_id(said.pk)
    assert (job.message_ids, job.occurred_at) == ([said.pk, result.message_id], said.occurred_at)
    drain()
    with acting_as(alice.pk):
        assert "York" in CognitiveEvent.objects.filter(new_info__gt="").first().new_info  # type: ignore[union-attr]


def test_a_model_that_only_ends_is_asked_for_its_answer(alice: User) -> None:
    allow(alice)
    model = LargeModel(ends(new_info="I moved to York."), then=Says(("A fine city.",)))

    with served(model):
        prepared = turn.prepare(alice, TurnRequest(open_session(alice).pk, ({"type": "text", "text": SAID},)))
        *pieces, result = turn.stream(prepared)

    assert pieces == ["A fine city."]
    assert isinstance(result, TurnResult)
    [job] = jobs(alice)
    assert job.new_info == "I moved to York."
    assert job.message_ids == [message_of(alice).pk]


def test_it_may_look_things_up_and_end_at_once(alice: User) -> None:
    allow(alice)
    tell(alice, "r", "Alice bought ASML shares.")
    both = AsksFor(
        (("end", '{"new_info": "I moved to York."}'), ("cognitive_search_events", '{"query": "ASML"}')), said="Well."
    )
    model = LargeModel(both, then=Says(("You hold ASML.",)))

    with served(model):
        result = ask(alice)

    assert result.reply == "Well.\n\nYou hold ASML."
    assert "ASML" in model.told[1]
    assert [job.new_info for job in jobs(alice)[1:]] == ["I moved to York."]


def test_a_message_has_one_new_info_however_often_the_model_ends(alice: User) -> None:
    allow(alice)
    twice = AsksFor((("end", '{"new_info": "I moved to York."}'), ("end", '{"new_info": "York city"}')))

    with served(LargeModel(twice, ends("So.", new_info="moved last week"))):
        ask(alice)

    assert [job.new_info for job in jobs(alice)] == ["I moved to York."]


def test_an_empty_end_stores_nothing(alice: User) -> None:
    allow(alice)
    with served(LargeModel(ends("Hello.", action_summary="", new_info=""))):
        assert ask(alice, text="What would bonds do then?").reply == "Hello."
    assert not jobs(alice)


@pytest.mark.parametrize(
    "arguments",
    [
        "{", "[]", '{"new_info": 3}', '{"summary": "York"}', '{"new_info": "%s"}' % ("York " * MAX_FIELD_CHARS),
        '{"new_info": "I am afraid of spiders."}',  # not what the message tells
        '{"new_info": "I moved to York, key sk-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"}',
    ],
)  # fmt: skip
def test_what_cannot_be_stored_is_refused_to_the_model_and_it_answers_all_the_same(alice: User, arguments: str) -> None:
    allow(alice)
    model = LargeModel(AsksFor((("end", arguments),)))

    with served(model):
        result = ask(alice)

    assert result.reply == "Done."
    assert model.told[0].startswith("<tool_error>")
    assert not jobs(alice)


def test_a_turn_that_fails_stores_no_end(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)

    def fails(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("finclaw.brain.records.turn_storage.queue_summary", fails)
    with served(LargeModel(ends("A fine city.", new_info="I moved to York."))), pytest.raises(RuntimeError):
        ask(alice)
    assert not jobs(alice)


def test_in_a_group_the_end_names_the_speakers_own_message(alice: User, bob: User) -> None:
    for person in (alice, bob):
        allow(person)
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    with served(LargeModel(ends("A fine city.", new_info="I moved to York."))):
        ask(bob, session)
    assert not jobs(alice)
    [job] = jobs(bob)
    assert job.message_ids == [message_of(bob).pk]


def offered(model: LargeModel) -> list[str]:
    return [one["function"]["name"] for one in model.asked[-1].get("tools", [])]


def prompt(model: LargeModel) -> str:
    return str(model.asked[-1]["messages"][0]["content"])


def test_the_rules_stand_in_the_prompt_where_the_tool_is_offered(alice: User) -> None:
    allow(alice)
    with served(model := LargeModel()):
        ask(alice)
    assert "end" in offered(model)
    assert "<end_of_turn_guide>" in prompt(model)


@pytest.mark.parametrize("case", ["no consent", "temporary", "switched off", "no tools"])
def test_it_is_not_offered_where_nothing_may_be_learned_and_a_call_for_it_is_refused(alice: User, case: str) -> None:
    allow_nothing(alice) if case == "no consent" else allow(alice)
    off = {"switched off": {"COGNITIVE_ENABLED": False}, "no tools": {"MODEL_CALLS_TOOLS": False}}.get(case, {})
    model = LargeModel(then=Says(("Done.",)))
    if case == "temporary":
        model = LargeModel(ends(new_info="I moved to York."))
    with served(model, **off):
        assert ask(alice, open_session(alice, remember=case != "temporary")).reply == "Done."
    assert "end" not in offered(model)
    assert "<end_of_turn_guide>" not in prompt(model)
    assert all(told.startswith("<tool_error>") for told in model.told)
    assert not jobs(alice)


def test_a_server_that_refuses_tools_ends_nothing(alice: User) -> None:
    allow(alice)
    with served(LargeModel(then=RefusesTools())):
        assert ask(alice).reply == "Without."
    assert not jobs(alice)


def test_what_was_ended_before_the_server_failed_is_kept(alice: User) -> None:
    allow(alice)
    calls = AsksFor((("end", '{"new_info": "I moved to York."}'), ("cognitive_search_events", '{"query": "ASML"}')))
    with served(LargeModel(calls, asks(query="ASML"), asks(query="x"), asks(query="y"))):
        ask(alice)
    assert [job.new_info for job in jobs(alice)] == ["I moved to York."]


def test_what_an_end_told_while_the_model_was_down_is_not_told_again(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    with served(LargeModel(then=Refuses(503))):
        failed = ask(alice, session)
    with acting_as(alice.pk):
        Session.objects.filter(pk=session.pk).update(last_active_at=F("last_active_at") - timedelta(days=1))
    assert end_resting_sessions() == 1

    with served(LargeModel(ends("A fine city.", action_summary="I praised York.", new_info="I moved to York."))):
        turn.reply(alice, turn.repeated_request(alice, failed.message_id))

    told, praised = jobs(alice)
    said = message_of(alice)
    assert said.pk in told.message_ids
    assert (praised.action_summary, praised.new_info) == ("I praised York.", "")
    assert said.pk not in praised.message_ids


def test_what_nothing_told_meanwhile_is_told_by_the_second_answer(alice: User) -> None:
    allow(alice)
    with served(LargeModel(then=Refuses(503))):
        failed = ask(alice)

    with served(LargeModel(ends("A fine city.", new_info="I moved to York."))):
        turn.reply(alice, turn.repeated_request(alice, failed.message_id))

    [job] = jobs(alice)
    assert (job.new_info, job.message_ids) == ("I moved to York.", [message_of(alice).pk])


def test_a_second_answer_looks_nothing_up_that_was_said_after_the_message(alice: User) -> None:
    allow(alice)
    with served(LargeModel(then=Refuses(503))):
        failed = ask(alice)
    tell(alice, "r", "Alice bought ASML shares.")
    model = LargeModel(asks(query="ASML"), then=Says(("A fine city.",)))

    with served(model):
        turn.reply(alice, turn.repeated_request(alice, failed.message_id))

    assert [offered["function"]["name"] for offered in model.asked[0]["tools"]] == ["end"]
    assert "ASML" not in "".join(model.told)
