"""A long conversation goes on: its beginning in short, its topics found again, its summaries never outliving words."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import partial

import pytest
from django.test import override_settings

from consent.exceptions import ErasureInProgress
from consent.models import ErasureScope, Sources
from finclaw.brain import turn
from finclaw.brain.answers import model_answers
from finclaw.brain.answers.types import PreparedTurn
from finclaw.brain.recall import window
from finclaw.brain.records.turn_storage import store_turn
from finclaw.brain.types import TurnRequest
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.llm import configured_model
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.sanitization.types import SafeText
from memory.models import Receipt, Session
from memory.services import turn_leases
from memory.services.summaries import SHOWN, SUMMARIZE_TOPIC, summarize_later
from tests.support.cast import allow, allow_nothing, group_with
from tests.support.model_server import ModelServer, Says
from tests.support.talk import open_session, permit_of, say

FILLER = ("The weather is fine.", "Trains run on time.", "今天天气不错。")


@pytest.fixture(autouse=True)
def _small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "ACTIVE_WINDOW", 120)
    monkeypatch.setattr(model_answers, "active_window", partial(window.active_window, room=120))


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    with (
        ModelServer(default=Says(("Noted.",))) as server,
        override_settings(
            OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="k", MODEL_SMALL="small", MODEL_LARGE="large",
            MODEL_MAX_RETRIES=0, EMBEDDINGS_BASE_URL="",
        ),
    ):  # fmt: skip
        yield server


def talk(user: User, session: Session, *texts: str) -> None:
    """Whole turns, each with the worker's part of it."""
    for text in texts:
        turn.reply(user, TurnRequest(session.pk, ({"type": "text", "text": text},)))
        drain()


def prepared(user: User, session: Session, text: str) -> PreparedTurn:
    return turn.prepare(user, TurnRequest(session.pk, ({"type": "text", "text": text},)))


def shown(prepared_turn: PreparedTurn) -> str:
    return " ".join(message.content for message in prepared_turn.prompt.messages[:-1])


@pytest.mark.parametrize(
    "said", ["My supplier Kestrel raised prices by 12%.", "我的供应商红隼涨价了12%。"], ids=["English", "Chinese"]
)
def test_what_left_the_window_stands_in_the_summary(alice: User, said: str) -> None:
    allow_nothing(alice)
    session = open_session(alice)
    talk(alice, session, said, *FILLER * 2)
    going_on = prepared(alice, session, "And now?")
    assert said not in shown(going_on)
    summaries = [html.unescape(one) for one in re.findall(r"<summary>([^<]*)</summary>", going_on.prompt.opening)]
    assert any(f"Alice: “{said}”" in summary for summary in summaries)
    result = store_turn(going_on, configured_model(None).call(going_on.prompt, "offline", kind="answer"))
    with acting_as(alice.pk):
        budget = Receipt.objects.get(pk=result.receipt_id).budget
    assert budget[SHOWN] == window.summary_tokens(map(SafeText, summaries))


def test_the_small_models_summary_stands_in_the_prompt(alice: User, model_server: ModelServer) -> None:
    allow_nothing(alice)
    session = open_session(alice)
    talk(alice, session, "My supplier Kestrel raised prices by 12%.", *FILLER * 4)
    assert "<summary>Noted.</summary>" in prepared(alice, session, "And now?").prompt.opening


def test_a_short_conversation_asks_for_no_summary(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    turn.reply(alice, TurnRequest(session.pk, ({"type": "text", "text": "Hello."},)))
    with acting_as(alice.pk):
        assert not OutboxMessage.objects.filter(topic=SUMMARIZE_TOPIC).exists()


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("The charter rate of the Orinoco was 18,400 dollars.", "What was the charter rate of the Orinoco?"),
        ("奥里诺科号的租金是一万八千美元。", "奥里诺科号的租金是多少？"),
    ],
    ids=["English", "Chinese"],
)
def test_a_topic_from_before_the_window_is_found_again_in_the_same_conversation(
    alice: User, said: str, asked: str
) -> None:
    allow(alice)
    session = open_session(alice)
    talk(alice, session, said)
    assert [one for one in prepared_again(alice, session, asked) if said in one] == []  # still in the window
    talk(alice, session, *FILLER * 5)
    assert any(said in one for one in prepared_again(alice, session, asked))


def prepared_again(user: User, session: Session, text: str) -> list[str]:
    """The earlier turns that a message brings back; the turn itself is given up."""
    going_on = prepared(user, session, text)
    with acting_as(user.pk):
        turn_leases.end_turn(going_on.context.session)
    return [one.text for one in going_on.assembly.injected if one.kind == "turn"]


def test_what_may_not_be_learned_from_does_not_return(alice: User) -> None:
    allow_nothing(alice)
    session = open_session(alice)
    talk(alice, session, "The charter rate of the Orinoco was 18,400 dollars.", *FILLER * 5)
    assert prepared_again(alice, session, "What was the charter rate of the Orinoco?") == []


def test_an_answer_beside_a_summary_of_words_that_another_erased_is_not_stored(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    talk(bob, session, "My supplier Kestrel raised prices by 12%.")
    talk(alice, session, *FILLER * 5)
    going_on = prepared(alice, session, "And now?")
    assert "Kestrel" in going_on.prompt.opening
    with acting_as(bob.pk):
        forget(bob, ErasureScope.SESSION, str(session.pk), Sources.REDACT, source="api")
    with pytest.raises(ErasureInProgress):
        store_turn(going_on, configured_model(None).call(going_on.prompt, "offline", kind="answer"))


def test_a_summary_that_grew_meanwhile_disturbs_no_answer(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    talk(alice, session, *FILLER * 5)
    going_on = prepared(alice, session, "And now?")
    before = going_on.window.summaries_since
    last = say(alice, session, *FILLER)[-1].seq
    with acting_as(alice.pk):
        summarize_later(permit_of(alice), going_on.context.session, last, last)
    drain()
    store_turn(going_on, configured_model(None).call(going_on.prompt, "offline", kind="answer"))
    with in_role(OPERATOR_ROLE):
        after = Session.objects.get(pk=session.pk)
    assert after.summaries_since == before != ""
    assert after.summarized_seq == last
