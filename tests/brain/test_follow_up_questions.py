"""A question below an answer: at most one, from one's own threads, and never where it is unwanted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.test import override_settings
from django.utils import timezone

from finclaw.brain import turn
from finclaw.brain.records.follow_ups import declines, refuses
from finclaw.brain.types import TurnRequest
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import Session, Thread, WatchQuestion
from memory.research.threads import close_thread
from memory.research.watch_questions import questions_of, resolve_question
from memory.services.follow_ups import ASKED_AGAIN_AFTER, FollowUpQuestion
from memory.services.reply_traces import traces_of
from tests.support.cast import allow, group_with
from tests.support.model_server import ModelServer, Says
from tests.support.research import thread_kept
from tests.support.talk import open_session, permit_of

ASKS = "I hear that SOL moved a lot this week."


@pytest.fixture(autouse=True)
def server() -> Iterator[ModelServer]:
    """A model that answers without asking anything."""
    with (
        ModelServer(Says(("SOL had a good week.",))) as started,
        override_settings(OPENAI_BASE_URL=started.base_url, OPENAI_API_KEY="k", MODEL_MAX_RETRIES=0),
    ):
        yield started


@pytest.fixture
def thread(alice: User) -> Thread:
    """Alice's thread on SOL, which leaves one question open."""
    allow(alice)
    return thread_kept(alice)


def _followed_by(user: User, text: str = ASKS, session: Session | None = None) -> FollowUpQuestion | None:
    """The question below the answer to a message, as the trace of the answer tells it."""
    wanted = TurnRequest((session or open_session(user)).pk, ({"type": "text", "text": text},))
    result = turn.reply(user, wanted)
    with acting_as(user.pk):
        shown = traces_of(permit_of(user), [result.message_id])[result.message_id].follow_up
    assert result.is_followed_up == (shown is not None)
    return shown


def _only_question(user: User, thread: Thread) -> WatchQuestion:
    with acting_as(user.pk):
        return questions_of(permit_of(user), thread).get()


@pytest.mark.django_db(transaction=True)
class TestAfterAnAnswer:
    """Turns are stored by transactions of their own."""

    def test_the_question_of_a_thread_on_what_was_named_is_asked(self, alice: User, thread: Thread) -> None:
        asked = _followed_by(alice)
        assert asked == FollowUpQuestion(_only_question(alice, thread).pk, thread.pk, "SOL", "Do fees hold?")

    def test_nobody_is_asked_what_anothers_thread_leaves_open(self, bob: User, thread: Thread) -> None:
        allow(bob)
        assert _followed_by(bob) is None

    def test_nothing_is_asked_about_anything_else(self, alice: User, thread: Thread) -> None:
        assert _followed_by(alice, "I hear that NVDA moved a lot this week.") is None
        assert _followed_by(alice, "I slept well last night.") is None

    def test_a_question_is_asked_once_a_week(self, alice: User, thread: Thread) -> None:
        assert _followed_by(alice)
        assert _followed_by(alice) is None
        with time_machine.travel(timezone.now() + ASKED_AGAIN_AFTER + timedelta(minutes=1)):
            assert _followed_by(alice)

    def test_who_switched_it_off_is_asked_nothing(self, alice: User, thread: Thread) -> None:
        User.objects.filter(pk=alice.pk).update(asks_follow_ups=False)
        alice.refresh_from_db()
        assert _followed_by(alice) is None

    @pytest.mark.parametrize(
        "answer",
        [
            "SOL rose. What do you make of it?",
            "I can't tell you that.",
            "SOL 上周涨了。你怎么看？",
            "抱歉，我不能回答。",
        ],
    )
    def test_nothing_follows_an_answer_that_asks_or_refuses(
        self, alice: User, thread: Thread, server: ModelServer, answer: str
    ) -> None:
        server.default = Says((answer,))
        assert _followed_by(alice) is None

    def test_nothing_follows_a_refusal_to_act(self, alice: User, thread: Thread) -> None:
        assert _followed_by(alice, "Buy 10 SOL for me now.") is None

    def test_two_answers_in_a_row_do_not_both_ask(self, alice: User, thread: Thread, server: ModelServer) -> None:
        session = open_session(alice)
        server.default = Says(("What moved it, do you think?",))
        assert _followed_by(alice, session=session) is None
        server.default = Says(("SOL had a good week.",))
        assert _followed_by(alice, session=session) is None

    def test_a_group_is_asked_nothing(self, alice: User, bob: User, thread: Thread) -> None:
        session = open_session(alice, group_id=group_with(alice, [bob]).pk)
        assert _followed_by(alice, session=session) is None

    def test_a_resolved_question_and_a_closed_thread_ask_nothing(self, alice: User, thread: Thread) -> None:
        with acting_as(alice.pk):
            resolve_question(permit_of(alice), thread, _only_question(alice, thread).pk)
        assert _followed_by(alice) is None

    def test_what_was_forgotten_or_closed_since_is_shown_no_more(self, alice: User, thread: Thread) -> None:
        wanted = TurnRequest(open_session(alice).pk, ({"type": "text", "text": ASKS},))
        reply = turn.reply(alice, wanted).message_id
        with acting_as(alice.pk):
            permit = permit_of(alice)
            assert traces_of(permit, [reply])[reply].follow_up
            close_thread(permit, thread)
            assert traces_of(permit, [reply])[reply].follow_up is None


@pytest.mark.parametrize("message", ["No.", "no thanks", "Not now", "不用了。", "算了", "别问了！"])
def test_a_plain_no_declines(message: str) -> None:
    assert declines(message)


@pytest.mark.parametrize("message", ["No, SOL fell.", "Not now but tomorrow: what about SOL?", "不用担心 SOL", ""])
def test_a_message_that_says_more_does_not(message: str) -> None:
    assert not declines(message)


@pytest.mark.parametrize("answer", ["I’m sorry, but I can't. Ask your bank.", "Hm. I cannot say.", "我无法判断。"])
def test_a_refusal_is_recognised_by_how_a_sentence_begins(answer: str) -> None:
    assert refuses(answer)
    assert not refuses("Fees rose, and it can't last. 有人说不能持续。")
