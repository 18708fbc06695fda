"""The labelled corpus and what the classifier makes of it; the gate of CI."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from consent.management.commands.evaluate_classifier import FLOOR
from consent.sensitive.corpus import SensitiveExample, read_corpus
from consent.sensitive.evaluation import SensitiveEvaluation, SensitiveScore, evaluate_classifier
from consent.sensitive.types import Finding, SensitiveKind


@pytest.fixture(scope="module")
def corpus() -> list[SensitiveExample]:
    return list(read_corpus())


@pytest.fixture(scope="module")
def evaluation(corpus: list[SensitiveExample]) -> SensitiveEvaluation:
    return evaluate_classifier(corpus)


@pytest.mark.parametrize("part", ["all", "tuning", "held_out", "en", "zh"])
def test_precision_and_recall_reach_the_floor_in_every_part(evaluation: SensitiveEvaluation, part: str) -> None:
    score = evaluation.scores[part]
    assert (score.precision, score.recall) >= (FLOOR, FLOOR)
    assert score.recall >= FLOOR


def test_the_corpus_is_large_bilingual_and_half_harmless(corpus: list[SensitiveExample]) -> None:
    assert len(corpus) >= 450
    assert len({example.text for example in corpus}) == len(corpus)
    harmless = sum(not example.findings for example in corpus)
    assert 0.4 <= harmless / len(corpus) <= 0.6
    assert all(sum(one.language == language for one in corpus) >= 150 for language in ("en", "zh"))
    assert {finding.kind for example in corpus for finding in example.findings} == set(SensitiveKind)


def test_a_held_out_third_is_told_by_its_hash(corpus: list[SensitiveExample]) -> None:
    held_out = sum(example.split == "held_out" for example in corpus)
    assert 0.25 <= held_out / len(corpus) <= 0.42


def test_marks_become_offsets_of_the_text_without_them(tmp_path: Path) -> None:
    path = tmp_path / "corpus.tsv"
    path.write_text("en\tmail ⟦email:a@example.com⟧ or\\n⟦phone:+1 415 555 0132⟧.\n", encoding="utf-8")
    (example,) = read_corpus(path)
    assert example.text == "mail a@example.com or\n+1 415 555 0132."
    assert example.findings == (Finding(SensitiveKind.EMAIL, 5, 18), Finding(SensitiveKind.PHONE, 22, 37))


def test_half_a_number_counts_as_a_miss_and_a_false_alarm() -> None:
    example = SensitiveExample(
        1, "en", "my email is carol@example.com", (Finding(SensitiveKind.EMAIL, 12, 20),), "tuning"
    )
    assert evaluate_classifier([example]).scores["all"] == SensitiveScore(right=0, missed=1, false=1)


def test_the_command_prints_both_parts_and_passes() -> None:
    out = StringIO()
    call_command("evaluate_classifier", stdout=out)
    assert "held_out" in out.getvalue()
    assert "tuning" in out.getvalue()


def test_the_command_fails_where_the_floor_is_missed_and_shows_no_values(tmp_path: Path) -> None:
    path = tmp_path / "corpus.tsv"
    path.write_text("en\tnothing here ⟦bank_card:1234⟧\n", encoding="utf-8")
    out = StringIO()
    with pytest.raises(CommandError, match="under"):
        call_command("evaluate_classifier", corpus=path, stdout=out)
    assert "1234" not in out.getvalue()


def test_a_file_that_is_no_corpus_is_told_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "corpus.tsv"
    path.write_text("no tabulator\n", encoding="utf-8")
    with pytest.raises(CommandError, match="not a corpus"):
        call_command("evaluate_classifier", corpus=path)
