"""A question about oneself lists what is in force: by rule, in the asker's language, and nobody else's."""

from __future__ import annotations

import pytest

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.confidence import EXPLICIT_CONFIDENCE
from memory.models import MemoryItem, ReceiptLine
from memory.services import item_decisions
from memory.services.versions import ItemDraft
from tests.support.cast import allow, allow_all_but_learning, group_with
from tests.support.items import add_item
from tests.support.speaking import ask
from tests.support.talk import memories, open_session, permit_of, say


def keep(user: User, *texts: str) -> list[MemoryItem]:
    """The user adds each text by hand."""
    with acting_as(user.pk):
        return [item_decisions.add_stated(permit_of(user), text) for text in texts]


@pytest.mark.parametrize("question", ["What do you remember about me?", "who am I?", "hi! what have you got on me"])
def test_everything_in_force_is_listed(alice: User, question: str) -> None:
    allow(alice)
    keep(alice, "I work as a nurse in York", "I have two kids, Tom and Ida", "I am allergic to peanuts")

    reply = ask(alice, open_session(alice), question).reply

    assert all(words in reply for words in ("nurse in York", "Tom and Ida", "allergic to peanuts", "added by you"))


@pytest.mark.parametrize("question", ["你对我了解多少？", "我是谁？", "你都记得我什么，谢谢"])
def test_a_chinese_question_is_answered_in_chinese(alice: User, question: str) -> None:
    allow(alice)
    keep(alice, "我在杭州做产品经理")

    reply = ask(alice, open_session(alice), question).reply

    assert "关于你，我记得这些" in reply
    assert "我在杭州做产品经理" in reply


def test_a_topic_leaves_the_others_out(alice: User) -> None:
    allow(alice)
    keep(alice, "I work as a nurse", "I have a dog called Rex", "My sister works as a teacher")

    reply = ask(alice, open_session(alice), "What do you know about my work?").reply

    assert "nurse" in reply
    assert "Rex" not in reply
    assert "teacher" not in reply


def test_what_was_replaced_is_not_listed(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I live in Leeds")
    say(alice, session, "I moved to York")

    reply = ask(alice, session, "what do you know about where I live?").reply

    assert "York" in reply
    assert "Leeds" not in reply


def test_what_waits_for_a_yes_is_listed_as_unsure(alice: User) -> None:
    allow(alice)
    draft = ItemDraft(
        content="I have asthma", memory_type="observation", epistemic_type="fact", provenance="observation",
        confidence=0.4, quarantined=True,
    )  # fmt: skip
    with acting_as(alice.pk):
        add_item(permit_of(alice), draft)

    reply = ask(alice, open_session(alice), "what do you remember about me").reply

    assert "Not sure yet" in reply
    assert "I have asthma" in reply


def test_nobody_elses_statements_are_listed(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    keep(alice, "I live in Leeds")
    keep(bob, "I live in Sydney")

    reply = ask(alice, open_session(alice), "who am I?").reply

    assert "Leeds" in reply
    assert "Sydney" not in reply


def test_in_a_group_only_what_was_told_there_is_listed(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    keep(alice, "I am allergic to peanuts")
    session = open_session(alice, group_id=group.pk)
    say(alice, session, "I live in Leeds")

    reply = ask(alice, session, "what do you remember about me?").reply

    assert "peanuts" not in reply
    assert "Leeds" in reply


def test_without_consent_to_memory_the_answer_says_so(alice: User) -> None:
    allow_all_but_learning(alice)

    result = ask(alice, open_session(alice), "what do you remember about me?")

    assert "you have not allowed me to learn" in result.reply
    assert "/privacy/" in result.reply
    assert result.memories_used == ()


def test_an_empty_memory_says_what_to_do_next(alice: User) -> None:
    allow(alice)

    assert "add it yourself" in ask(alice, open_session(alice), "what do you remember about me?").reply
    assert "自己添加" in ask(alice, open_session(alice), "你记得我什么？").reply


def test_a_topic_without_statements_says_so(alice: User) -> None:
    allow(alice)
    keep(alice, "I live in Leeds")

    reply = ask(alice, open_session(alice), "what do you know about my pets?").reply

    assert reply.startswith("I don’t remember anything about your pets.")


def test_a_long_list_is_cut_and_leads_on(alice: User) -> None:
    allow(alice)
    keep(alice, *(f"I like dish number {number}" for number in range(60)))

    result = ask(alice, open_session(alice), "what do you remember about me?")

    assert "[and " in result.reply
    assert "(/memories/)" in result.reply
    assert len(result.memories_used) < 60


def test_the_receipt_tells_what_was_quoted_and_an_erasure_finds_it(alice: User) -> None:
    allow(alice)
    [item] = keep(alice, "I have two kids, Tom and Ida")

    result = ask(alice, open_session(alice), "what do you know about my family?")

    assert [used.id for used in result.memories_used] == [item.pk]
    with acting_as(alice.pk):
        line = ReceiptLine.objects.get(receipt_id=result.receipt_id)
    assert (line.ref_id, line.utilized, line.status) == (item.pk, True, "accepted")


def test_the_answer_teaches_nothing(alice: User) -> None:
    allow(alice)
    keep(alice, "I live in Leeds")
    ask(alice, open_session(alice), "who am I?")
    drain()

    assert [item.content for item in memories(alice)] == ["I live in Leeds"]


def test_a_statement_says_where_it_is_from_and_how_certain(alice: User) -> None:
    allow(alice)
    say(alice, open_session(alice), "I live in Leeds")
    [item] = memories(alice)

    reply = ask(alice, open_session(alice), "who am I?").reply

    assert "you told me, " in reply or "from a chat, " in reply
    assert ("not certain" in reply) == (item.confidence < EXPLICIT_CONFIDENCE and item.confidence < 0.8)
