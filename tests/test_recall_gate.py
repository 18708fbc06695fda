"""The release gate on a small part of the evaluation set, every category in both languages (M-28)."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from finclaw.management.commands import evaluate_recall
from memory.evaluation.recall_scores import RecallGate

pytestmark = pytest.mark.django_db
PART = ("en.finance.priya", "en.everyday.lena", "en.everyday.yuki", "zh.finance.zhao", "zh.everyday.qian",
        "zh.everyday.xia")  # fmt: skip
PERFECT = RecallGate(min_precision=1.0, min_recall=1.0, max_forbidden=0.0, max_forbidden_memories=0.0)


def test_the_gate_opens_for_the_part(tmp_path: Path) -> None:
    report = tmp_path / "report.json"

    call_command("evaluate_recall", persona=list(PART), in_place=True, json=report, stdout=StringIO())

    figures = json.loads(report.read_text("utf-8"))["figures"]
    assert figures["overall"]["questions"] >= 80
    assert figures["en"]["questions"] == pytest.approx(figures["zh"]["questions"], abs=3)
    assert figures["private"]["forbidden"] == 0.0  # what others said in a group or in private
    assert figures["group"]["forbidden"] == 0.0


def test_the_gate_can_stay_shut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate_recall, "GATE", PERFECT)
    out = StringIO()

    with pytest.raises(CommandError, match="The gate stays shut"):
        call_command("evaluate_recall", persona=["en.finance.diego"], in_place=True, misses=True, stdout=out)

    assert "\nen.finance.diego q" in out.getvalue()  # a miss, by who asked what


def test_the_held_out_part_tells_its_figures_and_passes_no_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate_recall, "GATE", PERFECT)
    out = StringIO()

    call_command("evaluate_recall", persona=["en.held_out.george"], held_out=True, in_place=True, stdout=out)

    assert "overall" in out.getvalue()


def test_nobody_of_that_name_is_an_error_of_the_command() -> None:
    with pytest.raises(CommandError, match="No such persona: nobody"):
        call_command("evaluate_recall", persona=["nobody"], in_place=True)
