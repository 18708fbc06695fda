"""Operators hand an export out, on record; anybody verifies one."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from consent.models import AuditEvent, DataExport
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from tests.consent.export.support import rows_of
from tests.support.cast import allow
from tests.support.talk import open_session, say


def _verified(file: Path) -> str:
    out = io.StringIO()
    call_command("verify_export", str(file), stdout=out, stderr=io.StringIO())
    return out.getvalue()


@pytest.mark.django_db(transaction=True)
def test_an_operators_export_is_written_verified_and_on_record(alice: User, tmp_path: Path) -> None:
    allow(alice)
    say(alice, open_session(alice), "I follow BTC.")
    out = io.StringIO()

    call_command("export_user_data", user="alice", out=tmp_path / "handed", stdout=out)

    (file,) = (tmp_path / "handed").iterdir()
    assert out.getvalue().strip() == str(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert "all as the manifest says" in _verified(file)
    assert len(rows_of(file, alice, "sessions/messages.jsonl")) == 1
    with acting_as(alice.pk):
        event = AuditEvent.objects.get()
        assert not DataExport.objects.exists()
    assert (event.action, event.actor_id, event.counts["bytes"]) == ("export.handed_out", None, file.stat().st_size)


def test_nobody_by_that_name_is_exported(db: None, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Nobody goes by that user name"):
        call_command("export_user_data", user="nobody", out=tmp_path)


def test_a_folder_that_cannot_be_written_to_is_said(alice: User, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(CommandError, match="cannot be written to"):
        call_command("export_user_data", user="alice", out=tmp_path / "file" / "below")


def test_verifying_fails_with_one_and_a_line_for_each_problem(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"no archive")
    errors = io.StringIO()

    with pytest.raises(CommandError, match="1 problems") as failure:
        call_command("verify_export", str(tmp_path / "x.zip"), stderr=errors)

    assert failure.value.returncode == 1
    assert errors.getvalue() == "not a whole ZIP archive (BadZipFile)\n"
