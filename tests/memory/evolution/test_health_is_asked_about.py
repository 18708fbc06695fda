"""What somebody says of their health waits for their word; what only sounds like it does not (M-13)."""

from __future__ import annotations

import pytest

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.evolution import health_statements
from memory.evolution.types import StatementCandidate
from memory.services import item_queries, items
from memory.services.history import undo
from tests.memory.evolution.support import believed, changes, recallable
from tests.support.cast import A_MONDAY, allow
from tests.support.talk import memories, open_session, say

STATEMENTS = pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I have diabetes", "Has diabetes"),
        ("I was diagnosed with depression last year", "Has depression"),
        ("I've got breast cancer", "Has breast cancer"),
        ("I'm diabetic", "Diet: diabetic"),
        ("I'm pregnant", "Is pregnant"),
        ("Actually, I have asthma", "Has asthma"),
        ("I've been living with diabetes for ten years", "Has been living with diabetes for ten years"),
        ("我有糖尿病", "有糖尿病"),
        ("我得了糖尿病", "有糖尿病"),
        ("我患有高血压", "有高血压"),
        ("我被诊断为抑郁症", "有抑郁症"),
        ("我确诊了乳腺癌", "有乳腺癌"),
        ("我是糖尿病患者", "饮食：糖尿病患者"),
        ("我怀孕了", "怀孕"),
        ("其实我有哮喘", "有哮喘"),
        ("I have insomnia", "Has insomnia"),
        ("I take metformin every day", "Takes metformin every day"),
        ("我确诊了焦虑症", "有焦虑症"),
        ("我得了抑郁", "有抑郁"),
        ("我每天打胰岛素", "每天打胰岛素"),
    ],
)


@STATEMENTS
def test_a_statement_about_ones_health_waits_and_is_used_once_accepted(alice: User, text: str, content: str) -> None:
    permit = allow(alice)
    say(alice, open_session(alice), text)
    assert believed(alice) == recallable(alice) == set()
    with acting_as(alice.pk):
        [waiting] = item_queries.review_queue(permit)
    assert waiting.content == content
    assert [(change.action, change.rule) for change in changes(alice)][-1] == ("quarantined", health_statements.RULE)
    with acting_as(alice.pk):
        items.accept(permit, waiting.pk)
    assert believed(alice) == recallable(alice) == {content}
    with acting_as(alice.pk):
        undo(permit, waiting.pk)
    assert believed(alice) == recallable(alice) == set()


@pytest.mark.parametrize("text", ["I have diabetes", "我有糖尿病"])
def test_said_again_it_is_asked_about_once(alice: User, text: str) -> None:
    permit = allow(alice)
    say(alice, open_session(alice), text)
    say(alice, open_session(alice), text)
    with acting_as(alice.pk):
        assert item_queries.review_queue(permit).count() == 1


@pytest.mark.parametrize("text", ["Remember that I have diabetes", "记住我有糖尿病"])
def test_whoever_asks_to_have_it_remembered_is_not_asked(alice: User, text: str) -> None:
    allow(alice)
    say(alice, open_session(alice), text)
    [kept] = memories(alice)
    assert (kept.state, kept.provenance, kept.attributes["slot"]) == (
        "active",
        "confirmed_by_user",
        health_statements.SLOT,
    )


@pytest.mark.parametrize(
    "text",
    [
        "I follow diabetes stocks",
        "I invest in cancer research companies",
        "I hold 200 shares of a diabetes drug maker",
        "I like hay fever remedies",
        "I'm a nurse",
        "I'm allergic to peanuts",
        "I'm left-handed",
        "我关注糖尿病药企",
        "我有200股糖尿病药企",
        "我持有抗癌概念股",
        "我喜欢研究糖尿病",
        "我是医生",
        "我对花生过敏",
        "我有点近视",
    ],
)
def test_what_only_sounds_like_it_is_learned_as_ever(alice: User, text: str) -> None:
    permit = allow(alice)
    say(alice, open_session(alice), text)
    assert believed(alice)
    with acting_as(alice.pk):
        assert not item_queries.review_queue(permit).exists()


COMPLAINTS = pytest.mark.parametrize(
    "text",
    [
        "我失眠了",
        "我有点焦虑",
        "我最近有点失眠",
        "我很焦虑",
        "我抑郁了",
        "我对考试有点焦虑",
        "I had insomnia last night",
        "I have anxiety about the exam",
        "I'm a bit anxious",
        "I couldn't sleep",
        "I have a headache",
        "I'm stressed",
    ],
)


@COMPLAINTS
def test_an_everyday_complaint_is_no_diagnosis_and_nobody_is_asked_about_it(alice: User, text: str) -> None:
    permit = allow(alice)
    say(alice, open_session(alice), text)
    with acting_as(alice.pk):
        assert not item_queries.review_queue(permit).exists()


def _labelled(quote: str) -> StatementCandidate:
    """What a model found in a message and called health."""
    attributes = {"subject": "user", "slot": health_statements.SLOT, "value": quote, "polarity": "positive"}
    return StatementCandidate(
        "observation", quote, "fact", "analysis", 0.8, "health", "model", quote, A_MONDAY, attributes, by_model=True
    )


@COMPLAINTS
def test_nor_where_a_model_calls_it_health(text: str) -> None:
    assert not health_statements.needs_confirmation(_labelled(text))


@pytest.mark.parametrize(
    "text",
    [
        "I have anxiety and take sertraline, so I'm tired",
        "My diabetes makes me tired",
        "I have scoliosis",
        "我有焦虑症，很累",
        "我头疼，在吃降压药",
        "我有脊柱侧弯",
    ],
)
def test_what_a_model_calls_health_is_asked_about_where_it_is_more_than_a_complaint(text: str) -> None:
    assert health_statements.needs_confirmation(_labelled(text))


@pytest.mark.parametrize(("active", "waits"), [("I live in Berlin", "I have diabetes"), ("我住在北京", "我有糖尿病")])
def test_only_that_part_of_a_message_waits(alice: User, active: str, waits: str) -> None:
    allow(alice)
    say(alice, open_session(alice), f"{active}. {waits}.")
    assert [(item.attributes["slot"], item.state) for item in memories(alice)] == [
        ("home", "active"),
        (health_statements.SLOT, "quarantined"),
    ]
