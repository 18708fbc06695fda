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


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    turns = [
        {"speaker": ("Ann", "Ben")[number % 2], "dia_id": f"D1:{number}", "text": text}
        for number, text in enumerate(TALK)
    ]
    conversation: dict[str, Any] = {
        "speaker_a": "Ann", "speaker_b": "Ben", "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": turns,
    }  # fmt: skip
    questions = [
        {"question": "Who bought a telescope?", "category": 4, "evidence": ["D1:1"]},
        {"question": "What was planted on the balcony?", "category": 2, "evidence": ["D1:0"]},
        {"question": "Adversarial?", "category": 5, "evidence": ["D1:0"]},
        {"question": "Without evidence?", "category": 1, "evidence": ["D7:1"]},
    ]
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps([{"sample_id": "t", "conversation": conversation, "qa": questions}]), encoding="utf-8")
    return path


def test_what_is_found_first_scores_full_marks_and_nothing_stays_behind(dataset: Path, tmp_path: Path) -> None:
    out, report = StringIO(), tmp_path / "report.json"

    call_command("evaluate_retrieval", dataset, format="locomo", json=report, stdout=out, skip_checks=True)

    figures = json.loads(report.read_text(encoding="utf-8"))
    overall = figures["categories"]["overall"]
    assert (overall["questions"], overall["recall@5"], overall["mrr"]) == (2, 1.0, 1.0)
    assert set(figures["categories"]) == {"single-hop", "temporal", "overall"}
    assert "overall" in out.getvalue()
    assert not any(model.objects.exists() for model in (User, ChatGroup, SearchEntry, OutboxMessage))


@pytest.mark.parametrize("columns", ["20", "80", "200"])
def test_no_figure_is_cut_short_however_narrow_the_screen(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    out = StringIO()

    call_command("evaluate_retrieval", dataset, format="locomo", stdout=out, skip_checks=True)

    shown = out.getvalue()
    assert "…" not in shown
    assert all(name in shown for name in ("category", "questions", "hit@10", "p95 ms", "single-hop", "1.000"))
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= 80


@pytest.mark.parametrize("strategy", ["rrf", "lexical", "vector"])
def test_every_strategy_can_be_measured(dataset: Path, tmp_path: Path, strategy: str) -> None:
    report = tmp_path / "report.json"

    call_command(
        "evaluate_retrieval", dataset, format="locomo", strategy=strategy, json=report, stdout=StringIO(),
        skip_checks=True,
    )  # fmt: skip

    assert json.loads(report.read_text(encoding="utf-8"))["categories"]["overall"]["recall@5"] == 1.0


def test_another_document_is_an_error_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"data": 1}', encoding="utf-8")

    for form in ("locomo", "cmrc"):
        with pytest.raises(CommandError):
            call_command("evaluate_retrieval", path, format=form, skip_checks=True)
