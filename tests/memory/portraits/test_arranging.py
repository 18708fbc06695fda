"""A model may put a portrait in order; of what it answers nothing is believed that its lines do not say."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from foundation.ids import new_id
from foundation.llm import SMALL_MODEL_UNAVAILABLE, ModelUnavailable, Prompt
from memory.portraits.lines import events_of, lines_holding
from memory.portraits.model_arrangement import ARRANGEMENT_REFUSED, arrange_lines, believable_lines
from memory.portraits.types import LineSource, PortraitLine
from tests.memory.portraits.support import ScriptedModel
from tests.support.cast import A_MONDAY


def line(text: str, **fields: Any) -> PortraitLine:
    return PortraitLine(
        new_id(),
        text,
        fields.pop("section", "who"),
        A_MONDAY,
        (LineSource("event", new_id(), event_id="r:1"),),
        **fields,
    )


TEA, COFFEE, PEANUTS = line("Alice likes tea."), line("Alice likes coffee."), line("Alice must not eat 3 peanuts.")
LINES = (TEA, COFFEE, PEANUTS)


def says(section: str, text: str, *lines: PortraitLine) -> dict[str, Any]:
    return {"section": section, "text": text, "ids": [str(one.id) for one in lines]}


def test_lines_are_sorted_and_joined_and_still_fall_with_their_events() -> None:
    answer = [
        says("tastes", "Alice likes tea and coffee.", TEA, COFFEE),
        says("health", PEANUTS.text, PEANUTS),
    ]

    found = believable_lines(answer, LINES)

    assert found is not None
    assert [(one.section, one.text) for one in found] == [
        ("tastes", "Alice likes tea and coffee."), ("health", PEANUTS.text),
    ]  # fmt: skip
    assert events_of(found) == events_of(LINES)
    assert lines_holding(found, lambda leaf: leaf.sources != TEA.sources)[0] == COFFEE


def test_chinese_lines_are_joined_too() -> None:
    tea, coffee = line("爱丽丝喜欢喝茶。"), line("爱丽丝喜欢喝咖啡。")

    assert believable_lines([says("tastes", "爱丽丝喜欢喝茶和咖啡。", tea, coffee)], (tea, coffee)) is not None
    assert believable_lines([says("tastes", "爱丽丝喜欢喝茶和牛奶。", tea, coffee)], (tea, coffee)) is None


AS_THEY_ARE = [says("work", one.text, one) for one in LINES]
OTHERS = AS_THEY_ARE[:2]  # beside what becomes of the line about peanuts


@pytest.mark.parametrize(
    "answer",
    [
        [],
        OTHERS,
        [*AS_THEY_ARE, says("work", TEA.text, TEA)],
        [*AS_THEY_ARE, says("work", "Alice lies.", line("Alice lies."))],
        [says("work", "Alice likes tea, coffee and wine.", TEA, COFFEE), AS_THEY_ARE[2]],
        [says("work", "Alice.", TEA, COFFEE), AS_THEY_ARE[2]],
        [*OTHERS, says("work", "Alice must eat 3 peanuts.", PEANUTS)],
        [*OTHERS, says("work", "Alice must not eat peanuts.", PEANUTS)],
    ],
    ids=[
        "nothing", "one left out", "one twice", "one made up", "a word added", "half the words left", "a not lost",
        "a number lost",
    ],
)  # fmt: skip
def test_an_answer_that_says_anything_else_is_refused_whole(answer: list[dict[str, Any]]) -> None:
    assert believable_lines(answer, LINES) is None


def test_what_a_person_wrote_is_left_as_it_is() -> None:
    mine = replace(TEA, stated=True, section="My own heading")

    assert believable_lines([says("tastes", TEA.text, mine)], [mine]) == (mine,)
    assert believable_lines([says("tastes", "Likes tea.", mine)], [mine]) is None
    assert believable_lines([says("tastes", "Alice likes tea and coffee.", mine, COFFEE)], [mine, COFFEE]) is None


def test_where_the_model_cannot_be_had_or_believed_the_rules_order_stands() -> None:
    def fails(prompt: Prompt) -> str:
        raise ModelUnavailable()

    assert arrange_lines(LINES, ScriptedModel(fails)) == (LINES, (SMALL_MODEL_UNAVAILABLE,))
    assert arrange_lines(LINES, ScriptedModel(lambda prompt: '{"lines": []}')) == (LINES, (ARRANGEMENT_REFUSED,))


def test_lines_are_data_to_the_model_and_each_has_its_id() -> None:
    def in_their_order(prompt: Prompt) -> str:
        given = json.loads(prompt.question)
        assert [one["text"] for one in given] == [one.text for one in LINES]
        return json.dumps({"lines": [{"section": "work", "text": one["text"], "ids": [one["id"]]} for one in given]})

    found, degraded = arrange_lines(LINES, ScriptedModel(in_their_order))

    assert degraded == ()
    assert [one.section for one in found] == ["work"] * 3
