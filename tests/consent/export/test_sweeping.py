"""Exports whose time is over go, with their files; so does what nobody builds or knows any more."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import time_machine
from django.utils import timezone

from consent.export.sweep import expire_exports
from finclaw.brain.long_tasks.services import TASK_LOST, fail_abandoned
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.ids import new_id
from foundation.outbox.models import OutboxMessage
from foundation.telemetry.metrics import EXPORT_ORPHANS, EXPORTS
from tests.consent.export.support import archive_of, asked, now_of
from tests.consent.export.test_asking_and_fetching import make_ready


def _aged(file: Path, hours: float) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"x")
    then = timezone.now().timestamp() - hours * 3600
    os.utime(file, (then, then))
    return file


def test_what_is_over_is_deleted_once_and_counted(alice: User, charlie: User) -> None:
    old = make_ready(alice)
    before = EXPORTS.labels(outcome="expired")._value.get()
    with time_machine.travel(timezone.now() + timedelta(days=8), tick=False):
        fresh = make_ready(charlie)

        assert (expire_exports(), expire_exports()) == (1, 0)

    assert (now_of(old).state, archive_of(old).exists()) == ("expired", False)
    assert (now_of(fresh).state, archive_of(fresh).exists()) == ("ready", True)
    assert EXPORTS.labels(outcome="expired")._value.get() == before + 1


def test_a_ready_export_whose_archive_is_gone_expires(alice: User) -> None:
    export = make_ready(alice)
    archive_of(export).unlink()

    assert expire_exports() == 1
    assert now_of(export).state == "expired"


def test_one_whose_job_ended_without_it_has_failed(alice: User, charlie: User) -> None:
    given_up, waiting = asked(alice), asked(charlie)
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(pk=given_up.pk).update(state="failed", error_class="WorkerDied")

    assert fail_abandoned() == 1

    assert (now_of(given_up).state, now_of(given_up).error_class) == ("failed", TASK_LOST)
    assert now_of(waiting).state == "pending"


def test_files_that_no_export_knows_go_when_they_are_old(alice: User, folder: Path) -> None:
    export = make_ready(alice)
    under_way = asked(alice)
    mine = archive_of(export).parent
    os.utime(archive_of(export), (0, 0))
    writing = _aged(mine / f"{under_way.pk}.a.partial", 2)
    young = _aged(mine / f"{new_id()}.zip", 0.5)
    orphans = [
        _aged(mine / f"{new_id()}.zip", 2),
        _aged(mine / f"{export.pk}.a.partial", 2),
        _aged(folder / str(new_id()) / f"{new_id()}.zip", 2),
    ]
    before = EXPORT_ORPHANS._value.get()

    expire_exports()

    assert [file.exists() for file in orphans] == [False] * 3
    assert archive_of(export).exists()
    assert writing.exists()
    assert young.exists()
    assert EXPORT_ORPHANS._value.get() == before + 3


def test_with_nothing_exported_there_is_nothing_to_sweep(db: None) -> None:
    assert expire_exports() == 0
