"""The command measures through the product's own door and leaves nothing behind."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from foundation.accounts.models import ChatGroup, User
from foundation.outbox.models import OutboxMessage
from memory.models import SearchEntry

pytestmark = pytest.mark.django_db

TALK = ["I planted tomatoes on the balcony.", "My sister bought a telescope.", "We cycled along the canal."]


QUESTIONS = [
    {"question": "Who bought a telescope?", "category": 4, "evidence": ["D1:1"]},
    {"question": "What was planted on the balcony?", "category": 2, "evidence": ["D1:0"]},
    {"question": "Adversarial?", "category": 5, "evidence": ["D1:0"]},
    {"question": "Without evidence?", "category": 1, "evidence": ["D7:1"]},
]
PASSAGE = {
    "id": "P1",
    "context": "白鹭住在河边。它爱吃小鱼。",
    "qas": [{"question": "什么爱吃小鱼？", "answers": [{"text": "小鱼", "answer_start": 10}]}],
}


def locomo_file(folder: Path, questions: list[dict[str, Any]]) -> Path:
    """A conversation of two people in LoCoMo's shape, as ``talk.json``."""
    turns = [
        {"speaker": ("Ann", "Ben")[number % 2], "dia_id": f"D1:{number}", "text": text}
        for number, text in enumerate(TALK)
    ]
    conversation: dict[str, Any] = {
        "speaker_a": "Ann", "speaker_b": "Ben", "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": turns,
    }  # fmt: skip
    path = folder / "talk.json"
    path.write_text(json.dumps([{"sample_id": "t", "conversation": conversation, "qa": questions}]), encoding="utf-8")
    return path


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return locomo_file(tmp_path, QUESTIONS)


@pytest.fixture
def reading(tmp_path: Path) -> Path:
    path = tmp_path / "reading.json"
    path.write_text(json.dumps({"data": [{"paragraphs": [PASSAGE]}]}), encoding="utf-8")
    return path


def evaluated(*paths: Path, **options: Any) -> tuple[str, dict[str, Any]]:
    """What the command prints, and what it writes as JSON."""
    out, report = StringIO(), paths[0].with_suffix(".report")
    call_command("evaluate_retrieval", *paths, json=report, stdout=out, skip_checks=True, **options)
    figures: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return out.getvalue(), figures


def test_what_is_found_first_scores_full_marks_and_nothing_stays_behind(dataset: Path) -> None:
    printed, figures = evaluated(dataset)

    categories = figures["sets"]["talk"]["categories"]
    overall = categories["overall"]["finclaw"]
    assert (overall["questions"], overall["recall@5"], overall["mrr"]) == (2, 1.0, 1.0)
    assert set(categories) == {"single-hop", "temporal", "overall"}
    assert "talk" in printed
    assert not any(model.objects.exists() for model in (User, ChatGroup, SearchEntry, OutboxMessage))


def test_several_sets_of_either_format_share_a_table_with_their_means(dataset: Path, reading: Path) -> None:
    printed, figures = evaluated(dataset, reading)

    assert list(figures["sets"]) == ["talk", "reading"]
    for part in (*(one["categories"]["overall"] for one in figures["sets"].values()), figures["mean"]):
        assert part["finclaw"]["mrr"] == part["bm25"]["mrr"] == part["ratio"]["mrr"] == 1.0
    assert all(name in printed for name in ("talk", "reading", "mean over sets", "BM25", "1.00x"))
    assert not any(model.objects.exists() for model in (User, SearchEntry))


def test_bm25_is_asked_of_the_date_and_the_speaker_too(tmp_path: Path) -> None:
    asked = [{"question": "Ben?", "category": 4, "evidence": ["D1:1"]}]

    _, figures = evaluated(locomo_file(tmp_path, asked))

    assert figures["sets"]["talk"]["categories"]["overall"]["bm25"]["mrr"] == 1.0


def test_categories_are_printed_where_they_are_asked_for(dataset: Path) -> None:
    assert "single-hop" not in evaluated(dataset)[0]
    assert "single-hop" in evaluated(dataset, categories=True)[0]


def test_a_question_that_search_refuses_is_named_and_missed(tmp_path: Path) -> None:
    secret = {"question": "Who paid with 4111 1111 1111 1111?", "category": 4, "evidence": ["D1:1"]}

    printed, figures = evaluated(locomo_file(tmp_path, [QUESTIONS[2], secret, QUESTIONS[0]]))

    result = figures["sets"]["talk"]
    assert result["refused_questions"] == [{"memory": "t", "number": 2, "code": "sensitive_input"}]
    assert "talk: t, question 2: sensitive_input" in printed
    overall = result["categories"]["overall"]["finclaw"]
    assert (overall["questions"], overall["recall@20"]) == (2, 0.5)


def test_a_search_that_runs_out_of_time_is_named_and_missed(dataset: Path, settings: Any) -> None:
    settings.RECALL_TIMEOUT_MS = -1

    _, figures = evaluated(dataset)

    result = figures["sets"]["talk"]
    assert [question["code"] for question in result["refused_questions"]] == ["memory_unavailable"] * 2
    assert result["categories"]["overall"]["finclaw"]["recall@20"] == 0.0
    assert result["categories"]["overall"]["bm25"]["recall@20"] == 1.0


@pytest.mark.parametrize("columns", ["20", "80", "200"])
def test_no_figure_is_cut_short_however_narrow_the_screen(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)

    shown, _ = evaluated(dataset, categories=True)

    assert "…" not in shown
    assert all(name in shown for name in ("category", "questions", "hit@10", "p95 ms", "single-hop", "1.000"))
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= 80


@pytest.mark.parametrize("strategy", ["rrf", "lexical", "vector"])
def test_every_strategy_can_be_measured(dataset: Path, strategy: str) -> None:
    _, figures = evaluated(dataset, strategy=strategy)

    assert figures["sets"]["talk"]["categories"]["overall"]["finclaw"]["recall@5"] == 1.0


@pytest.mark.parametrize("form", [None, "locomo", "cmrc"])
@pytest.mark.parametrize("text", ['{"data": 1}', "[]", "7", '[{"sample_id": "t", "conversation": 7}]', "{"])
def test_another_document_is_an_error_of_the_command(tmp_path: Path, form: str | None, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(CommandError):
        call_command("evaluate_retrieval", path, format=form, skip_checks=True)


def test_two_files_of_one_name_are_an_error_of_the_command(dataset: Path) -> None:
    with pytest.raises(CommandError):
        call_command("evaluate_retrieval", dataset, dataset, skip_checks=True)
