"""Eleven rows, each judged by the thresholds of the table, and the third observation in a row blocks."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
import time_machine
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.utils import ProgrammingError

from foundation.accounts.models import User
from foundation.exceptions import ValidationFailed
from memory.models import AcceptanceReport
from memory.quality.acceptance import (
    CRITERIA,
    NO_SAMPLES,
    NOT_MEASURED,
    THREE_IN_A_ROW,
    Verdict,
    judge,
    measured_figures,
    worst_of,
)
from memory.quality.release_report import judge_release
from tests.memory.quality.history import DAY, NOW, Turns, item
from tests.support.erasures import ask_to_forget

GOOD = {
    "staleness_rate": 0.0, "conflict_rate": 0.0, "injection_quality": 0.9, "retrieval_latency_p95": 20.0,
    "context_overflow_rate": 0.0, "deletion_timeout_rate": 0.0, "receipt_completeness_rate": 1.0,
    "evolution_throughput": 1_000.0, "tombstone_completion": 0.1, "injection_receipt_fields": 1.0, "failover": 0.2,
}  # fmt: skip
TABLE = [
    ("staleness_rate", 0.149, 0.15, 0.25, 0.251),
    ("conflict_rate", 0.099, 0.10, 0.15, 0.151),
    ("injection_quality", 0.551, 0.55, 0.40, 0.399),
    ("retrieval_latency_p95", 199.9, 200, 500, 500.1),
    ("context_overflow_rate", 0.049, 0.05, 0.15, 0.151),
    ("receipt_completeness_rate", 0.991, 0.99, 0.95, 0.949),
    ("evolution_throughput", 101, 100, 20, 19.9),
    ("tombstone_completion", 0.8, 0.81, 1.0, 1.01),
    ("injection_receipt_fields", 1.0, 0.999, 0.95, 0.949),
    ("failover", 0.8, 0.81, 1.0, 1.01),
]


def _verdict(name: str, value: float | None) -> Verdict:
    return next(row.verdict for row in judge(GOOD | {name: value}) if row.name == name)


@pytest.mark.parametrize(("name", "passes", "grey", "still_grey", "fails"), TABLE)
def test_each_row_knows_three_states(name: str, passes: float, grey: float, still_grey: float, fails: float) -> None:
    found = [_verdict(name, value) for value in (passes, grey, still_grey, fails)]

    assert found == [Verdict.PASS, Verdict.OBSERVE, Verdict.OBSERVE, Verdict.FAIL]


def test_the_laws_term_knows_no_grey() -> None:
    assert [_verdict("deletion_timeout_rate", value) for value in (0.0, 0.0001)] == [Verdict.PASS, Verdict.FAIL]


def test_what_was_not_measured_is_observed_with_the_reason() -> None:
    missing = {name: value for name, value in GOOD.items() if name != "failover"}

    rows = {row.name: row for row in judge(missing | {"conflict_rate": None})}

    assert (rows["failover"].verdict, rows["failover"].note) == (Verdict.OBSERVE, NOT_MEASURED)
    assert (rows["conflict_rate"].verdict, rows["conflict_rate"].note) == (Verdict.OBSERVE, NO_SAMPLES)
    assert [row.number for row in rows.values()] == list(range(1, 12))


def test_the_third_observation_in_a_row_fails() -> None:
    observed = [{1: Verdict.OBSERVE}, {1: Verdict.OBSERVE}]

    row = judge(GOOD | {"staleness_rate": 0.2}, observed)[0]

    assert (row.found, row.verdict, row.note) == (Verdict.OBSERVE, Verdict.FAIL, THREE_IN_A_ROW)


@pytest.mark.parametrize(
    "before", [[], [{1: Verdict.OBSERVE}], [{1: Verdict.OBSERVE}, {1: Verdict.PASS}], [{1: Verdict.OBSERVE}, {}]]
)
def test_fewer_observations_do_not(before: list[dict[int, Verdict]]) -> None:
    assert judge(GOOD | {"staleness_rate": 0.2}, before)[0].verdict == Verdict.OBSERVE


def test_one_row_decides_for_the_release() -> None:
    assert worst_of(judge(GOOD)) == Verdict.PASS
    assert worst_of(judge(GOOD | {"staleness_rate": 0.2})) == Verdict.OBSERVE
    assert worst_of(judge(GOOD | {"staleness_rate": 0.2, "conflict_rate": 0.5})) == Verdict.FAIL


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """A folder with both measurements."""
    speeds = {
        "1 worker, talk": {"items_per_minute": 1900},
        "1 worker, facts": {"items_per_minute": 1840},
        "2 workers": {},
    }
    crashes = {
        "killed server": {"rto_seconds": 15, "rpo_seconds": 0},
        "killed node": {"rto_seconds": 3, "rpo_seconds": 0.9},
    }
    (tmp_path / "evolution_throughput.json").write_text(json.dumps(speeds))
    (tmp_path / "failover.json").write_text(json.dumps(crashes))
    return tmp_path


@pytest.mark.django_db
def test_figures_come_from_the_database_and_the_folder(alice: User, bench: Path) -> None:
    turns = Turns(alice)
    turns.lines(turns.receipt("injection"), accepted=3, rejected=1)
    turns.lines(turns.receipt("injection"), accepted=1, context_position=None)
    item(alice)
    tombstone = ask_to_forget(alice, NOW - 5 * DAY)

    values = measured_figures(NOW, bench)

    term = (NOW - tombstone.requested_at) / (tombstone.due_at - tombstone.requested_at)
    assert values["injection_receipt_fields"] == 0.8
    assert values["tombstone_completion"] == pytest.approx(term)
    assert values["deletion_timeout_rate"] == 0.0
    assert (values["evolution_throughput"], values["failover"]) == (1840.0, 0.9)
    assert set(values) == {criterion.name for criterion in CRITERIA}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"1 worker": {"items_per_minute": "many"}}', '{"1 worker": {"items_per_minute": true}}']
)
def test_a_measurement_that_cannot_be_read_is_refused(bench: Path, text: str) -> None:
    (bench / "evolution_throughput.json").write_text(text)

    with pytest.raises(ValidationFailed):
        measured_figures(NOW, bench)


@pytest.mark.django_db
def test_the_same_row_observed_by_three_releases_blocks_the_third(db: None) -> None:
    verdicts = []
    for release in ("1.0", "1.1", "1.1", "1.2"):
        report = judge_release(release)
        verdicts.append(next(row.verdict for row in report.rows if row.name == "failover"))

    assert verdicts == [Verdict.OBSERVE, Verdict.OBSERVE, Verdict.OBSERVE, Verdict.FAIL]
    assert AcceptanceReport.objects.count() == 4


@pytest.mark.django_db
def test_the_command_prints_writes_and_keeps_the_report(alice: User, bench: Path, tmp_path: Path) -> None:
    out, as_json, as_markdown = StringIO(), tmp_path / "report.json", tmp_path / "report.md"
    item(alice)

    with time_machine.travel(NOW, tick=False):
        call_command("acceptance", release="2.0", bench=bench, json=as_json, markdown=as_markdown, stdout=out)

    document = json.loads(as_json.read_text())
    assert (document["release"], document["verdict"], len(document["rows"])) == ("2.0", "observe", 11)
    assert (
        "| 8 | evolution_throughput | 1840 items/min | > 100 items/min | < 20 items/min | PASS |  |" in out.getvalue()
    )
    assert "- [ ] 3 injection_quality: OBSERVE" in as_markdown.read_text()
    assert AcceptanceReport.objects.get().rows == document["rows"]


@pytest.mark.django_db
def test_a_failed_row_ends_the_command_with_an_error(alice: User) -> None:
    ask_to_forget(alice, NOW - 200 * DAY)

    with pytest.raises(CommandError, match=r"Not accepted: deletion_timeout_rate, tombstone_completion\."):
        call_command("acceptance", stdout=StringIO())

    assert not AcceptanceReport.objects.exists()  # no release was named


@pytest.mark.django_db
@pytest.mark.parametrize("change", ["UPDATE memory_acceptancereport SET verdict = 'pass'",
                                    "DELETE FROM memory_acceptancereport"])  # fmt: skip
def test_a_report_that_was_kept_stays_as_it_was(change: str) -> None:
    judge_release("1.0")

    with pytest.raises(ProgrammingError, match="permission denied"), connection.cursor() as cursor:
        cursor.execute(change)
