"""The evaluation's arithmetic, by hand, and its reading of data sets. No database."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.evaluation.retrieval.datasets import evidence_of, located_sentences, read_dataset, recognized_format
from memory.evaluation.retrieval.metrics import RankedAnswer, by_category, percentile, ranks_of, summarize


def test_ranks_count_from_one_and_say_where_nothing_was_found() -> None:
    assert ranks_of(["b", "a", "c"], ["a", "x", "b"]) == (2, None, 1)


def test_the_means_of_three_questions_computed_by_hand() -> None:
    answers = [
        RankedAnswer("one", (1, 7), 10.0),  # R@5 1/2, R@10 1, reciprocal 1
        RankedAnswer("one", (4, None, None), 30.0),  # R@5 1/3, R@10 1/3, reciprocal 1/4
        RankedAnswer("two", (15,), 20.0),  # R@20 1, no hit, reciprocal 1/15
    ]

    summary = summarize(answers)

    assert summary.questions == 3
    assert summary.recall == {
        5: pytest.approx((1 / 2 + 1 / 3) / 3), 10: pytest.approx((1 + 1 / 3) / 3), 20: pytest.approx((2 + 1 / 3) / 3)
    }  # fmt: skip
    assert summary.hit == pytest.approx(2 / 3)
    assert summary.mrr == pytest.approx((1 + 1 / 4 + 1 / 15) / 3)
    assert (summary.p50_ms, summary.p95_ms) == (20.0, 30.0)


def test_every_category_has_its_row_and_so_has_the_whole() -> None:
    answers = [RankedAnswer("b", (1,), 1.0), RankedAnswer("a", (None,), 1.0)]

    summaries = by_category(answers)

    assert {name: summary.mrr for name, summary in summaries.items()} == {"a": 0.0, "b": 1.0, "overall": 0.5}


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(1, 100))
def test_a_percentile_is_a_value_that_so_many_do_not_pass(values: list[float], percent: float) -> None:
    found = percentile(values, percent)

    assert found in values
    assert sum(value <= found for value in values) >= len(values) * percent / 100 - 1e-9


def test_evidence_is_read_from_untidy_strings_once_and_only_where_it_exists() -> None:
    known = {"D1:3", "D2:1", "D8:6"}

    assert evidence_of(["D8:6; D1:03", "D:2:1", "D1:3", "D30:5", "D"], known) == ("D8:6", "D1:3", "D2:1")


def test_chinese_sentences_are_found_again_where_they_stand() -> None:
    text = "今天下雨。 明天呢？明天呢？晴。"

    located = list(located_sentences(text))

    assert [sentence for _, sentence in located] == ["今天下雨。", "明天呢？", "明天呢？", "晴。"]
    assert all(text[start : start + len(sentence)] == sentence for start, sentence in located)
    assert len({start for start, _ in located}) == 4


def test_a_reading_question_is_asked_for_the_sentence_with_its_answer() -> None:
    passage = {
        "id": "P1",
        "context": "白鹭住在河边。它吃小鱼。",
        "qas": [
            {"question": "白鹭吃什么？", "answers": [{"text": "小鱼", "answer_start": 9}]},
            {"question": "在哪？", "answers": [{"text": "无", "answer_start": 99}]},
        ],
    }

    (memory,) = read_dataset({"data": [{"paragraphs": [passage]}]}, "cmrc")

    assert [turn.ref for turn in memory.parts[0].turns] == ["P1:0", "P1:1"]
    assert [(question.text, question.evidence) for question in memory.questions] == [("白鹭吃什么？", ("P1:1",))]


def test_a_turn_that_cannot_be_imported_is_evidence_all_the_same() -> None:
    turns = [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I planted tomatoes."},
        {"speaker": "Ann", "dia_id": "D1:2", "text": ""},
    ]
    conversation = {
        "speaker_a": "Ann", "speaker_b": "Ben", "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": turns,
    }  # fmt: skip
    asked = [
        {"question": "Adversarial?", "category": 5, "evidence": ["D1:1"]},
        {"question": "What?", "category": 4, "evidence": ["D1:1", "D1:2", "D9:9"]},
    ]

    (memory,) = read_dataset([{"sample_id": "t", "conversation": conversation, "qa": asked}], "locomo")

    assert [turn.ref for part in memory.parts for turn in part.turns] == ["D1:1"]
    assert [(question.number, question.evidence) for question in memory.questions] == [(2, ("D1:1", "D1:2"))]
    assert memory.refused_turns == 1


@pytest.mark.parametrize(
    ("document", "form"),
    [
        ([{"sample_id": "t", "conversation": {}, "qa": []}], "locomo"),
        ({"sample_id": "t", "conversation": {}, "qa": []}, "locomo"),
        ({"version": "1", "data": []}, "cmrc"),
        ([], None), ({}, None), ([1], None), ("text", None), ({"data": 1}, None), ([{"qa": []}], None),
    ],
)  # fmt: skip
def test_the_format_is_recognised_from_the_document(document: Any, form: str | None) -> None:
    assert recognized_format(document) == form
