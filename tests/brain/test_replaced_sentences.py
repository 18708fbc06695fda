"""A message of which one sentence was replaced is recalled without it: the others are still so."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.utils import timezone

from finclaw.brain import turn
from finclaw.brain.types import TurnRequest, TurnResult
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import ReceiptLine
from memory.services import item_decisions
from memory.services.items import retire
from tests.memory.evolution.support import draft
from tests.support.cast import allow
from tests.support.items import add_item
from tests.support.speaking import prompt_of
from tests.support.talk import memories, open_session, say

TOLD = [
    (
        "I live in Berlin. Behind the boiler there is a spare key to the bicycle cellar.",
        "I moved to Lisbon.",
        "Where was the spare key to the bicycle cellar again?",
        "Berlin",
        "Behind the boiler there is a spare key to the bicycle cellar.",
    ),
    (
        "我住在上海。热水器后面放着自行车库的备用钥匙。",
        "我搬到杭州了。",
        "自行车库的备用钥匙在哪里？",
        "上海",
        "热水器后面放着自行车库的备用钥匙。",
    ),
]
misled = pytest.mark.parametrize(("before", "after", "question", "replaced", "rest"), TOLD)


def _line_of(user: User, result: TurnResult, message_id: UUID) -> tuple[str, str, str]:
    with acting_as(user.pk):
        line = ReceiptLine.objects.get(receipt_id=result.receipt_id, ref_id=message_id)
    return line.status, line.decision_reason, line.guardrail_hit


def _ask(user: User, text: str) -> TurnResult:
    return turn.reply(user, TurnRequest(open_session(user).pk, ({"type": "text", "text": text},)))


@misled
def test_who_moved_is_still_told_where_the_key_is(
    alice: User, before: str, after: str, question: str, replaced: str, rest: str
) -> None:
    allow(alice)
    say(alice, open_session(alice), before)
    say(alice, open_session(alice), after)
    prompt = prompt_of(alice, question)
    assert rest in prompt
    assert replaced not in prompt


@misled
def test_the_receipt_says_that_something_was_left_out(
    alice: User, before: str, after: str, question: str, replaced: str, rest: str
) -> None:
    allow(alice)
    [message] = say(alice, open_session(alice), before)
    say(alice, open_session(alice), after)
    result = _ask(alice, question)
    assert [used.text for used in result.memories_used if used.id == message.pk] == [rest]
    assert _line_of(alice, result, message.pk) == ("accepted", "relevance", "superseded")


def test_what_only_the_replaced_sentence_answers_is_left_out_whole(alice: User) -> None:
    before, after, *_ = TOLD[0]
    allow(alice)
    [message] = say(alice, open_session(alice), before)
    say(alice, open_session(alice), after)
    result = _ask(alice, "Do I live in Berlin or in Lisbon?")
    assert _line_of(alice, result, message.pk) == ("rejected", "superseded", "")


def test_what_has_no_meaning_without_the_replaced_sentence_goes_with_it(alice: User) -> None:
    allow(alice)
    say(alice, open_session(alice), "I live in Berlin. It is quiet there. A spare key hangs behind our boiler.")
    say(alice, open_session(alice), "I moved to Lisbon.")
    prompt = prompt_of(alice, "Is it quiet where a spare key hangs behind our boiler?")
    assert "A spare key hangs behind our boiler." in prompt
    assert "It is quiet there." not in prompt


def test_what_was_refused_is_left_out_alone(alice: User) -> None:
    before, _, question, replaced, rest = TOLD[0]
    permit = allow(alice)
    say(alice, open_session(alice), before)
    [item] = [item for item in memories(alice) if replaced in item.content]
    with acting_as(alice.pk):
        item_decisions.withdraw_memory(permit, item.pk)
    prompt = prompt_of(alice, question)
    assert rest in prompt
    assert replaced not in prompt


def test_a_message_that_says_it_in_words_that_are_not_found_stays_out_whole(alice: User) -> None:
    before, after, question, _, rest = TOLD[0]
    permit = allow(alice)
    [message] = say(alice, open_session(alice), before)
    say(alice, open_session(alice), after)
    detail = {"rule": "test", "message_ids": [str(message.pk)]}
    with acting_as(alice.pk):
        unspoken = add_item(permit, draft("Pays no rent", detail=detail))
        retire(permit, unspoken, at=timezone.now())
    assert rest not in prompt_of(alice, question)


def test_who_asks_how_things_were_reads_all_of_it(alice: User) -> None:
    before, after, *_ = TOLD[0]
    allow(alice)
    say(alice, open_session(alice), before)
    say(alice, open_session(alice), after)
    assert f", no longer holds] {before}" in prompt_of(alice, "Where did I live before, in Berlin?")
