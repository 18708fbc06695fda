"""An export is built from one snapshot, shows how far it is, and is whole or not there."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from django.utils import timezone

from consent.export import archive, archive_job
from consent.export.verification import verify_archive
from consent.models import AuditEvent, DataExport, ErasureStep, Tombstone
from consent.models.erasure_states import ErasureState as ErasureState
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox import services as outbox
from foundation.outbox.job_run import run
from foundation.outbox.leases import claim
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from tests.consent.export.support import archive_of, asked, built, manifest_of, now_of
from tests.support.cast import allow
from tests.support.talk import open_session, say

pytestmark = pytest.mark.django_db(transaction=True)


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _during(monkeypatch: pytest.MonkeyPatch, act: Any) -> None:
    """Have ``act`` happen while the archive is being written, after its first table."""
    whole = archive._ArchiveWriter.add
    acted: list[str] = []

    def add(self: archive._ArchiveWriter, path: str, records: Any, **options: Any) -> None:
        whole(self, path, records, **options)
        if not acted:
            acted.append(path)
            act()

    monkeypatch.setattr(archive._ArchiveWriter, "add", add)


def _in_a_thread(act: Any) -> Any:
    """What somebody else does meanwhile, on a connection of their own."""
    from foundation.database.acting_user import separate_connection

    def acting() -> None:
        with separate_connection() as thread:
            thread.submit(act).result()

    return acting


def _tombstone(user: User) -> None:
    now = timezone.now()
    with acting_as(user.pk):
        stone = Tombstone.objects.create(
            user_id=user.pk, scope="item", source="api", legal_profile="pipl", requested_at=now,
            due_at=now + timedelta(days=1), link_hash=str(now.timestamp()),
        )  # fmt: skip
        ErasureStep.objects.create(tombstone=stone, user_id=user.pk, step=1, state=ErasureState.REQUESTED, at=now)


def test_a_built_export_is_ready_verifies_and_is_on_record(alice: User, folder: Path) -> None:
    allow(alice)
    say(alice, open_session(alice), "I follow BTC.")

    export = built(alice)

    assert (export.state, export.progress) == ("ready", 100)
    file = archive_of(export)
    assert (export.size, file.stat().st_mode & 0o777) == (file.stat().st_size, 0o600)
    assert folder.stat().st_mode & 0o077 == 0
    assert export.expires_at is not None
    assert timedelta(days=6) < export.expires_at - timezone.now() <= timedelta(days=7)
    verdict = verify_archive(file)
    assert verdict.problems == []
    with acting_as(alice.pk):
        event = AuditEvent.objects.get(action="export.completed")
    assert (event.subject_id, event.counts["rows"], event.counts["bytes"]) == (export.pk, verdict.rows, export.size)


def test_progress_is_seen_while_it_is_built(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    say(alice, open_session(alice), *(f"I like tea number {number}." for number in range(5)), learn=False)
    export = asked(alice)
    seen: list[tuple[str, int]] = []

    def look() -> None:
        now = now_of(export)
        seen.append((now.state, now.progress))

    told = archive_job._save_progress

    def tell(job: Any, export_id: UUID, percent: int) -> None:
        told(job, export_id, percent)
        _in_a_thread(look)()

    monkeypatch.setattr(archive_job, "_save_progress", tell)
    drain()
    assert {state for state, _ in seen} == {"building"}
    assert [percent for _, percent in seen] == sorted({percent for _, percent in seen})
    assert seen[-1][1] == 99


def test_what_is_said_while_it_is_built_is_in_no_part_of_it(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I like tea.", learn=False)
    _during(monkeypatch, _in_a_thread(lambda: say(alice, session, "I like coffee.", learn=False)))

    export = built(alice)

    counts = {file.path: file.rows for file in manifest_of(archive_of(export), alice).files}
    assert counts["sessions/messages.jsonl"] == 1


def test_an_erasure_asked_for_while_it_is_built_makes_it_start_again(
    alice: User, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(alice)
    _during(monkeypatch, _in_a_thread(lambda: _tombstone(alice)))
    export = asked(alice)

    with in_role(WORKER_ROLE):
        message = OutboxMessage.objects.get(pk=export.pk)
    run(_claimed(message))
    assert now_of(export).state == "building"
    assert _files(folder) == []

    run(_claimed(message))
    counts = {file.path: file.rows for file in manifest_of(archive_of(export), alice).files}
    assert counts["erasures/erasures.jsonl"] == 1


def _claimed(message: OutboxMessage) -> OutboxMessage:
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(pk=message.pk).update(available_at=timezone.now())
    claimed = claim()
    assert claimed is not None
    return claimed


def test_a_try_that_fails_leaves_no_file_and_the_last_one_its_class_alone(
    alice: User, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> None:
        raise OSError("no space left for the needle")

    whole = archive._ArchiveWriter.add
    _during(monkeypatch, full)
    export = asked(alice)
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(pk=export.pk).update(max_attempts=1)

    drain()

    failed = now_of(export)
    assert (failed.state, failed.error_class, _files(folder)) == ("failed", "OSError", [])

    monkeypatch.setattr(archive._ArchiveWriter, "add", whole)
    with acting_as(alice.pk):
        outbox.retry_failed([export.pk])
    drain()
    assert (now_of(export).state, now_of(export).error_class) == ("ready", "")


def test_after_a_killed_worker_it_is_built_from_scratch_with_nothing_left_over(alice: User, folder: Path) -> None:
    export = asked(alice)
    with acting_as(alice.pk):
        DataExport.objects.filter(pk=export.pk).update(state="building", progress=57)
    left_over = archive_of(export).with_name(f"{export.pk}.killed.partial")
    left_over.parent.mkdir(parents=True)
    left_over.write_bytes(b"half")

    drain()

    assert now_of(export).state == "ready"
    assert _files(folder) == [archive_of(export)]


def test_a_worker_that_lost_its_lease_puts_nothing_into_place(
    alice: User, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken() -> None:
        with in_role(WORKER_ROLE):
            OutboxMessage.objects.update(attempts=7)

    _during(monkeypatch, _in_a_thread(taken))
    export = asked(alice)

    drain()

    assert (now_of(export).state, _files(folder)) == ("building", [])


def test_only_the_latest_few_are_kept(alice: User, folder: Path, settings: Any) -> None:
    settings.EXPORT_KEEP = 2

    exports = [built(alice) for _ in range(3)]

    assert [now_of(export).state for export in exports] == ["expired", "ready", "ready"]
    assert sorted(_files(folder)) == sorted(archive_of(export) for export in exports[1:])


def test_a_snapshot_is_refused_inside_another_transaction(alice: User) -> None:
    from foundation.database.acting_user import snapshot_as

    with (
        transaction.atomic(),
        pytest.raises(transaction.TransactionManagementError, match="of its own"),
        snapshot_as(alice.pk),
    ):
        pass
