"""Which replies repeat erased words, where a place of the conversation holds an answer and the one that gave way."""

from __future__ import annotations

from typing import Literal

import pytest

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.erasure.reply_echoes import repeating_replies, words_by_place
from memory.models import ConversationEvent, Session
from memory.services.sessions import RECENT_MESSAGES, record_messages
from memory.types import AnswerPlace, NewMessage
from tests.support.cast import allow
from tests.support.talk import open_session, permit_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(alice: User) -> Session:
    allow(alice)
    return open_session(alice)


def _say(
    alice: User,
    session: Session,
    role: Literal["user", "assistant"],
    text: str,
    former: ConversationEvent | None = None,
) -> ConversationEvent:
    place = AnswerPlace(former.pk, former.seq) if former else None
    return record_messages(permit_of(alice), session, [NewMessage.of_text(role, text, "x", replaces=place)])[0]


def test_an_answer_that_gave_way_adds_nothing_to_the_distance(alice: User, session: Session) -> None:
    with acting_as(alice.pk):
        told = _say(alice, session, "user", "I own a vineyard")
        for _ in range(RECENT_MESSAGES // 2 - 1):
            _say(alice, session, "user", "And then?")
            _say(alice, session, "assistant", "Fine.", _say(alice, session, "assistant", "Well."))
        reply = _say(alice, session, "assistant", "The vineyard is yours.")
        assert set(repeating_replies(words_by_place({told.pk}), {told.pk})) == {reply.pk}


def test_both_answers_of_a_place_are_looked_at(alice: User, session: Session) -> None:
    with acting_as(alice.pk):
        told = _say(alice, session, "user", "I own a vineyard")
        former = _say(alice, session, "assistant", "Beside the orchard.")
        answer = _say(alice, session, "assistant", "A vineyard by the river.", former)
        erased = {told.pk, former.pk}
        assert set(repeating_replies(words_by_place(erased), erased)) == {answer.pk}
        held = words_by_place({former.pk, answer.pk})[session.pk][answer.seq]
    assert {"orchard", "river"} <= held
