"""A search of memories finds nothing where nothing that is known bears on the question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from django.test import override_settings

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.retrieval.evidence_floor import bears_on_question, floor_for
from memory.retrieval.services import embed_query, search
from memory.services.item_decisions import add_stated
from memory.types import SearchQuery
from tests.support.cast import allow
from tests.support.talk import permit_of

MEASURED = "multilingual-e5-small-int8-1"
KNOWN = (
    "We have two kids, Leo and Mia",
    "I work as a product manager at a bank in Leeds",
    "I never invest in tobacco companies",
    "我是一家创业公司的产品经理",
    "我对花生过敏",
    "我们家养了一只橘猫叫团子",
)


@pytest.fixture
def alice_tells(alice: User) -> Iterator[User]:
    permit = allow(alice)
    with override_settings(EMBEDDER="e5"):
        with acting_as(alice.pk):
            for content in KNOWN:
                add_stated(permit, content)
        yield alice


def found(person: User, question: str) -> Sequence[str]:
    embedded = embed_query(question)
    with acting_as(person.pk):
        query = SearchQuery(question, ("item",), floored=True)
        return [hit.text for hit in search(permit_of(person), query, embedded).hits]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Do I have children?", KNOWN[0]),
        ("What do I do for a living?", KNOWN[1]),
        ("tobacco", KNOWN[2]),
        ("我做什么工作？", KNOWN[3]),
        ("我有什么不能吃的东西吗", KNOWN[4]),
        ("橘猫", KNOWN[5]),
    ],
)
def test_a_question_in_other_words_is_answered(alice_tells: User, question: str, answer: str) -> None:
    assert answer in found(alice_tells, question)


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Mongolia?",
        "convert 350 fahrenheit to celsius",
        "qwzx vrrp blorf",
        "地球到月亮有多远",
        "怎么把衣服上的圆珠笔印洗掉",
    ],
)
def test_nonsense_and_what_is_not_known_find_nothing(alice_tells: User, question: str) -> None:
    assert found(alice_tells, question) == []


def test_a_model_that_was_not_measured_has_no_floor() -> None:
    assert floor_for("some-other-model", "Do I have children?") is None


def test_without_a_measured_floor_what_holds_no_word_of_nonsense_is_not_found(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        add_stated(permit, KNOWN[2])
    assert found(alice, "tobacco") == [KNOWN[2]]
    assert found(alice, "qwzx vrrp blorf") == []


def test_a_question_about_its_asker_stands_on_a_lower_floor() -> None:
    about_me, about_the_world = floor_for(MEASURED, "Where do I live?"), floor_for(MEASURED, "Where does she live?")

    assert about_me is not None
    assert about_the_world is not None
    assert about_me < about_the_world


def test_without_a_vector_half_of_what_the_words_tell_has_to_be_there() -> None:
    assert bears_on_question(None, 0.5, 0.35)
    assert not bears_on_question(None, 0.49, 0.35)
