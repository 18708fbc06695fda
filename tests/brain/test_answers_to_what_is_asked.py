"""What somebody said is found again by whatever words they ask for it, and no earlier question is taken for it."""

from __future__ import annotations

import pytest

from finclaw.web.chat_end import build_end_input
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.historian.services import end
from memory.models import Session
from memory.services.item_decisions import add_stated
from tests.support.cast import allow
from tests.support.speaking import ask
from tests.support.talk import open_session, permit_of, say


def answered(user: User, session: Session, question: str) -> str:
    text = ask(user, session, question).reply
    drain()
    return text


def finish(user: User, session: Session) -> None:
    with acting_as(user.pk):
        permit = permit_of(user)
        end(permit, user, session, build_end_input(permit, user, session))
    drain()


DRINK = "What do I like to drink?"


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        (["I like coffee", "I like to drink tea", "No, I like to drink juice"], DRINK, "Likes coffee"),
        (["I like coffee", "I like jazz", "No, I like blues", "I like red", "No, I like blue"], DRINK, "Likes coffee"),
        (["我喜欢咖啡", "我喜欢喝茶", "不对，我喜欢喝果汁"], "我喜欢喝什么？", "喜欢咖啡"),
        (["我喜欢茶"], "我爱喝什么", "喜欢茶"),
        (["I moved to Singapore"], "Where do I live?", "Moved to Singapore"),
        (["I moved to Singapore"], "我住在哪里？", "Moved to Singapore"),
        (["我上个月搬到了新加坡"], "我住在哪里?", "住在新加坡"),
        (["我搬到新加坡了"], "Where do I live?", "住在新加坡"),
    ],
)
def test_in_one_chat_it_is_quoted_from_memory(alice: User, said: list[str], question: str, answer: str) -> None:
    allow(alice)
    session = open_session(alice)
    for text in said:
        say(alice, session, text)
    assert f"“{answer}”" in answered(alice, session, question)


@pytest.mark.parametrize(
    ("stated", "question"),
    [
        ("Moved to Singapore", "Where do I live?"),
        ("Alice lives in Singapore", "Which city is my home?"),
        ("搬到新加坡了", "我住在哪里？"),
        ("用户住在新加坡", "我家在哪里？"),
    ],
)
def test_a_memory_that_was_handed_in_answers_what_it_tells(alice: User, stated: str, question: str) -> None:
    allow(alice)
    with acting_as(alice.pk):
        add_stated(permit_of(alice), stated)
    drain()
    assert f"“{stated}”" in answered(alice, open_session(alice), question)


@pytest.mark.parametrize(
    ("said", "question"), [("I follow gold", "What do I like to drink?"), ("我关注黄金", "我喜欢喝什么？")]
)
def test_an_ended_chats_question_never_answers_itself(alice: User, said: str, question: str) -> None:
    allow(alice)
    for texts in ([question], [said, question]):
        session = open_session(alice)
        for text in texts:
            say(alice, session, text)
        finish(alice, session)
    assert question not in answered(alice, open_session(alice), question)


MANNER, MANNER_ZH = "I like long, detailed answers with charts", "我喜欢详细的回答"


@pytest.mark.parametrize(
    ("said", "question", "answer", "manner"),
    [
        ([MANNER, "我喜欢喝乌龙茶"], DRINK, "喜欢喝乌龙茶", "charts"),
        ([MANNER, "我喜欢喝乌龙茶"], "What do I like?", "喜欢喝乌龙茶", "charts"),
        ([MANNER_ZH, "I like to drink oolong tea"], "我喜欢喝什么？", "Likes to drink oolong tea", "回答"),
        ([MANNER, "I like to drink oolong tea"], DRINK, "Likes to drink oolong tea", "charts"),
        ([MANNER], "What kind of answers do I like?", "Likes long, detailed answers with charts", "我的记忆里"),
    ],
)
def test_how_to_be_answered_is_no_answer_to_what_is_liked(
    alice: User, said: list[str], question: str, answer: str, manner: str
) -> None:
    allow(alice)
    session = open_session(alice)
    for text in said:
        say(alice, session, text)
    for place in (session, open_session(alice)):
        told = answered(alice, place, question)
        assert f"“{answer}”" in told
        assert manner not in told
