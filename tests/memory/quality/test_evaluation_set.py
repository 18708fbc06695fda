"""The labelled set keeps what it promises, and its figures are what they are called. No database."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from memory.evaluation.dataset import HELD_OUT, EvaluationQuestion, read_personas
from memory.evaluation.recall_scores import K, RecallAnswer, RecalledStatement, RecallGate, summarize

PERSONAS = read_personas()
QUESTIONS = [(persona, question) for persona in PERSONAS for question in persona.questions]
INTENTS = {
    "small_talk", "research", "correction", "knowledge_question", "memory_check", "statement", "chat",
}  # fmt: skip
CATEGORIES = {
    "fact", "preference", "list", "update", "as_of", "negation", "others", "group", "private", "uncertain",
    "small_talk", "absent", "statement", "correction",
}  # fmt: skip


def test_it_is_large_and_half_in_each_language() -> None:
    languages = Counter(persona.language for persona, _ in QUESTIONS)

    assert len(QUESTIONS) >= 300
    assert set(languages) == {"en", "zh"}
    assert abs(languages["en"] - languages["zh"]) <= len(QUESTIONS) * 0.05


def test_every_intent_and_category_is_asked_in_both_languages() -> None:
    for language in ("en", "zh"):
        asked = [question for persona, question in QUESTIONS if persona.language == language]
        assert {question.intent for question in asked} == INTENTS
        assert {question.category for question in asked} == CATEGORIES


def test_updates_and_the_past_forbid_the_other_value() -> None:
    updates = [question for _, question in QUESTIONS if question.category == "update"]

    assert len(updates) >= 30
    assert sum(bool(question.forbidden) for question in updates) >= len(updates) * 0.9
    assert all(question.is_about_the_past for _, question in QUESTIONS if question.category == "as_of")


def test_no_question_is_asked_twice_of_a_person_at_the_same_time() -> None:
    for persona in PERSONAS:
        asked = Counter(
            (one.text, one.place, one.valid_at, one.known_after) for one in persona.questions
        )  # fmt: skip
        assert max(asked.values()) == 1, persona.name


def test_nobody_of_the_held_out_part_is_in_the_set() -> None:
    held_out = read_personas(HELD_OUT)
    told = {statement.text for persona in PERSONAS for statement in persona.statements}

    assert sum(len(persona.questions) for persona in held_out) >= 40
    assert {persona.language for persona in held_out} == {"en", "zh"}
    assert not {persona.name for persona in held_out} & {persona.name for persona in PERSONAS}
    assert not {statement.text for persona in held_out for statement in persona.statements} & told


def test_a_question_that_names_what_nobody_said_is_refused(tmp_path: Path) -> None:
    header = "persona\tkind\tid\tat\twhere\twho\ttext\tcategory\tintent\texpected\tforbidden\tas_of\n"
    row = "en.x.y\task\tq1\t\tprivate\t\tWhy?\tfact\tchat\ts9\t\t\n"
    (tmp_path / "bad.tsv").write_text(header + row, encoding="utf-8")

    with pytest.raises(ValueError, match=r"en\.x\.y q1"):
        read_personas(tmp_path)


def _answer(recalled: str, expected: str = "", forbidden: str = "", known_after: str = "") -> RecallAnswer:
    """``recalled`` as "item:s1 turn:s2"."""
    question = EvaluationQuestion(
        "q1", "private", "?", "fact", "chat", tuple(expected.split()), tuple(forbidden.split()), None, known_after
    )
    found = tuple(
        RecalledStatement(kind, statement) for kind, _, statement in (one.partition(":") for one in recalled.split())
    )
    return RecallAnswer("en.x.y", "en", question, found, "chat")


def test_precision_and_recall_count_each_statement_once() -> None:
    answer = _answer("item:s1 turn:s1 turn:s3 item:", expected="s1 s2")

    assert answer.precision == pytest.approx(1 / 3)  # s1, s3, and something that none of the set's statements is
    assert answer.recall == 0.5
    assert answer.missed == ("s2",)


def test_what_stands_beyond_the_cut_was_not_recalled() -> None:
    recalled = " ".join(f"item:s{number}" for number in range(1, K + 3))

    assert _answer(recalled, expected=f"s{K + 1}").recall == 0.0
    assert _answer(recalled, forbidden=f"s{K + 1}").forbidden_hits() == (f"s{K + 1}",)  # it stood in the prompt


def test_nothing_expected_says_nothing_of_precision_or_recall() -> None:
    summary = summarize([_answer("item:s1", forbidden="s2"), _answer("", expected="s1"), _answer("item:s2")])

    assert (summary.precision, summary.recall) == (None, 0.0)


def test_a_question_about_the_past_counts_for_recall_alone() -> None:
    answer = _answer("item:s1 item:s2", expected="s1", known_after="s1")

    assert (answer.precision, answer.recall) == (None, 1.0)


def test_forbidden_counts_questions_that_forbid() -> None:
    answers = [
        _answer("item:s2", forbidden="s2 s3"), _answer("turn:s2", forbidden="s2"), _answer("item:s1", forbidden="s2"),
        _answer("item:s2"),
    ]  # fmt: skip

    summary = summarize(answers)

    assert summary.forbidden == pytest.approx(2 / 3)
    assert summary.forbidden_memories == pytest.approx(1 / 3)


def test_the_gate_asks_for_every_figure_at_once() -> None:
    gate = RecallGate(min_precision=0.5, min_recall=0.5, max_forbidden=0.5, max_forbidden_memories=0.2)
    good = [_answer("item:s1", expected="s1", forbidden="s2")]

    assert gate.objections(summarize(good)) == ()
    assert gate.objections(summarize([_answer("item:s2", expected="s1", forbidden="s2")])) == (
        "precision", "recall", "forbidden", "forbidden_memories",
    )  # fmt: skip


def test_what_is_marked_as_past_or_supposed_was_not_recalled_as_true() -> None:
    question = EvaluationQuestion("q1", "private", "?", "update", "chat", (), ("s1", "s2"), None, "")
    recalled = (RecalledStatement("turn", "s1", marked=True), RecalledStatement("turn", "s2"))
    answer = RecallAnswer("en.x.y", "en", question, recalled, "chat")

    assert answer.forbidden_hits() == ("s2",)
    assert answer.statements == ("s1", "s2")  # marked or not, it takes its room
