"""The doctor finds what is wrong with an installation, says what to do, and is content with a healthy one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.core.management import call_command
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone
from django_q.models import Schedule
from pytest_django import Settings

from finclaw.doctor import database, examine, installation, optional_servers, work
from finclaw.doctor.findings import DoctorFinding
from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.database.urls import REPLICA
from foundation.outbox import services
from foundation.outbox.models import OutboxMessage

NOWHERE = "postgresql://finclaw_app@127.0.0.1:1/finclaw"


@pytest.fixture(autouse=True)
def journal(settings: Settings, tmp_path: Path) -> Path:
    """A journal of the test's own."""
    settings.ERASURE_JOURNAL = str(tmp_path / "apart" / "journal.jsonl")
    return Path(settings.ERASURE_JOURNAL)


def _wrong(findings: list[DoctorFinding]) -> list[str]:
    return [f"{finding.subject}: {finding.what}" for finding in findings if finding.mark == "WRONG"]


@pytest.mark.django_db
def test_of_a_healthy_database_nothing_is_wrong() -> None:
    found = list(database.examine_database())

    assert _wrong(found) == []
    assert {"database", "roles", "policies", "readiness"} <= {finding.subject for finding in found}


@pytest.mark.django_db
def test_each_finding_that_is_not_well_says_what_to_do() -> None:
    assert all(finding.remedy for finding in examine() if finding.mark != "ok")


@pytest.mark.django_db
def test_a_role_that_passes_the_policies_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_row", lambda *_: ("postgres", True))
    (found,) = [each for each in database._examine_roles() if each.mark == "WRONG"]

    assert "row-level security" in found.what
    assert "NOBYPASSRLS" in found.remedy


@pytest.mark.django_db
def test_a_log_that_would_hold_words_is_wrong() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('log_min_error_statement')")
        assert cursor.fetchone() == ("panic",)
    assert list(database._examine_log()) == []


@pytest.mark.django_db
def test_a_table_of_people_without_policies_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "READ_BEFORE_SIGN_IN", frozenset())
    (found,) = database._examine_policies()

    assert found.mark == "WRONG"
    assert "accounts_user" in found.what


@pytest.mark.django_db
def test_jobs_that_wait_and_jobs_that_failed_are_found() -> None:
    due = timezone.now() - timedelta(hours=1)
    services.enqueue("alerts.send", user_id=None, payload={}, wake=False, available_at=due)
    dead = services.enqueue("alerts.send", user_id=None, payload={}, wake=False)
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(pk=dead.pk).update(state=OutboxMessage.State.FAILED)
    waiting, failed = work.examine_queue()

    assert (waiting.mark, failed.mark) == ("WRONG", "look")
    assert "worker" in waiting.remedy


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_schedules_of_another_version_and_a_worker_that_is_away_are_found() -> None:
    assert _wrong(list(work.examine_schedules())) != []
    call_command("schedules", verbosity=0)
    assert _wrong(list(work.examine_schedules())) == []
    Schedule.objects.using("owner").update(next_run=timezone.now() - timedelta(hours=1))
    (found,) = work.examine_schedules()

    assert "worker" in found.remedy


@pytest.mark.django_db
def test_a_journal_that_cannot_be_read_is_wrong(journal: Path) -> None:
    journal.parent.mkdir()
    journal.write_text("{}\n")
    found = list(installation.examine_journal())

    assert [each.mark for each in found] == ["WRONG"]
    assert "line 1" in found[0].what


def test_the_values_of_the_example_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METRICS_TOKEN", "change-me")

    assert "settings: METRICS_TOKEN is the example's" in _wrong(list(installation.examine_settings()))


def test_a_full_disk_is_wrong_and_a_nearly_full_one_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(configured.DATA_DIR)
    marks = []
    for left in (10**12, 10**9, 10**6):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, left=left: usage._replace(free=left))
        marks += [finding.mark for finding in installation.examine_disk()]

    assert marks == ["ok", "look", "WRONG"]


class OneStandby(dict[str, BaseDatabaseWrapper]):
    """Connections of which one is said to be a standby's: that of the tests, perhaps with another host."""

    def __init__(self, host: str = "") -> None:
        standby = connections["default"].copy()
        if host:
            standby.settings_dict["HOST"] = host
        super().__init__({REPLICA: standby})
        self.settings = {REPLICA: standby.settings_dict}


@pytest.mark.django_db
def test_a_standby_and_a_redis_that_do_not_answer_are_looked_at_and_not_wrong(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = f"unix://{tmp_path}/nobody.sock"
    monkeypatch.setattr(optional_servers, "connections", OneStandby("/nowhere"))
    found = [*optional_servers.examine_redis(), *optional_servers.examine_standby()]

    assert [(each.subject, each.mark) for each in found] == [("redis", "look"), ("standby", "look")]


@pytest.mark.django_db
def test_an_address_of_a_standby_that_leads_to_the_primary_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    made = OneStandby()
    monkeypatch.setattr(optional_servers, "connections", made)
    (found,) = optional_servers.examine_standby()
    made[REPLICA].close()

    assert found.mark == "look"
    assert "primary" in found.what


def test_without_a_database_it_says_so_and_exits_with_1(tmp_path: Path) -> None:
    own = {name: value for name, value in os.environ.items() if not name.startswith("DATABASE_")}
    environment = own | {"FINCLAW_DATA_DIR": str(tmp_path), "DATABASE_URL": NOWHERE, "DATABASE_OWNER_URL": NOWHERE}
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor", "--json"],
        cwd=configured.BASE_DIR, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    wrong = [each for each in json.loads(done.stdout) if each["mark"] == "WRONG"]

    assert done.returncode == 1
    assert [each["subject"] for each in wrong] == ["database"]
    assert "DATABASE_URL" in wrong[0]["remedy"]
