"""What FinClaw writes only its own operating-system user may read, under any umask, also what stood open before."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.utils import timezone
from pytest_django import Settings

from consent.erasure import journal
from consent.export import storage
from consent.models import ErasureScope, Tombstone
from foundation.private_files import restrict_data_folder
from foundation.secrets import local_secret


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    """As a shell has it: what is created may be read by everybody."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    """The rights of owner, group and others."""
    return stat.S_IMODE(path.stat().st_mode)


def an_erasure() -> Tombstone:
    """One that is noted without a database."""
    now = timezone.now()
    return Tombstone(
        user_id=uuid4(), scope=ErasureScope.MEMORIES, requested_at=now, due_at=now, legal_profile="pipl", targets={}
    )


def test_the_journal_and_its_folders_are_made_for_their_owner(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "kept" / "apart" / "journal.jsonl"
    settings.ERASURE_JOURNAL = str(file)
    journal.append_to_journal(an_erasure())
    assert [mode(path) for path in (file, file.parent, file.parent.parent)] == [0o600, 0o700, 0o700]


def test_a_journal_that_everybody_could_read_is_closed_and_keeps_its_lines(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    settings.ERASURE_JOURNAL = str(file)
    journal.append_to_journal(an_erasure())
    file.chmod(0o644)
    journal.append_to_journal(an_erasure())
    assert mode(file) == 0o600
    assert len(file.read_text().splitlines()) == 2


def test_a_secret_that_everybody_could_read_is_closed(tmp_path: Path) -> None:
    file = tmp_path / "keys" / "secret_key"
    made = local_secret(file)
    assert (mode(file), mode(file.parent)) == (0o600, 0o700)
    file.chmod(0o644)
    assert local_secret(file) == made
    assert mode(file) == 0o600


def test_an_export_is_written_for_its_owner(settings: Settings, tmp_path: Path) -> None:
    settings.EXPORT_DIR = tmp_path / "data" / "exports"
    with storage.partial_export(uuid4(), uuid4()) as file:
        assert mode(Path(file.name)) == 0o600
        assert {mode(folder) for folder in (Path(file.name).parent, settings.EXPORT_DIR)} == {0o700}


def test_a_start_closes_what_stands_open_in_the_data_folder(tmp_path: Path) -> None:
    folder, cluster = tmp_path / "var", tmp_path / "var" / "postgres-18"
    for inner in ("erasures", "exports/somebody", "postgres-18/base"):
        (folder / inner).mkdir(parents=True)
    files = [folder / name for name in ("secret_key", "erasures/journal.jsonl", "exports/somebody/1.zip")]
    for file in (*files, cluster / "PG_VERSION"):
        file.touch(0o644)
    (folder / "link").symlink_to(cluster / "PG_VERSION")
    restrict_data_folder(folder, besides=cluster)
    assert {mode(file) for file in files} == {0o600}
    assert {mode(path) for path in (folder / "erasures", folder / "exports" / "somebody")} == {0o700}
    assert not mode(folder) & 0o066
    assert mode(cluster / "PG_VERSION") == 0o644  # PostgreSQL looks after its own
