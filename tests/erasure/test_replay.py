"""A backup from before an erasure brings back what was erased; replaying the journal erases it again (C-9)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from psycopg import sql
from pytest_django import Settings

from consent.erasure.journal import append_to_journal, journal_entries
from consent.models import ErasureScope, Sources, Tombstone
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.database.embedded_server import EmbeddedServer, binaries
from foundation.database.urls import APP_ROLE
from foundation.outbox.tasks import drain
from tests.support.cast import allow, make_person
from tests.support.research import asked
from tests.support.talk import memories, open_session, say

ALICE, BOB = "zqalicezq", "zqbobzq"


@dataclass(frozen=True)
class Restored:
    """A database made of a dump; its folder stands for another installation's."""

    name: str
    folder: Path

    def replay(self, journal: Path) -> subprocess.CompletedProcess[str]:
        sockets = quote(str(_server().sockets), safe="")
        environment = {
            **os.environ,
            "FINCLAW_DATA_DIR": str(self.folder),
            "DATABASE_URL": f"postgresql://{APP_ROLE}@{sockets}:5432/{self.name}",
        }
        return subprocess.run(
            [sys.executable, "manage.py", "replay_erasures", "--journal", str(journal)],
            cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def text(self) -> str:
        """All rows as statements; a line that begins with a backslash is of the day's run alone."""
        dumped = _run("pg_dump", "--data-only", "--inserts", self.name).decode()
        return "\n".join(line for line in dumped.splitlines() if not line.startswith("\\"))

    def column(self, statement: str) -> set[str]:
        with _server().connect(self.name) as connection:
            return {str(row[0]) for row in connection.execute(statement.encode())}


def _server() -> EmbeddedServer:
    return EmbeddedServer(settings.DATA_DIR)


def _run(program: str, *arguments: str) -> bytes:
    command = [str(binaries() / program), f"--host={_server().sockets}", "--port=5432", "--username=postgres"]
    done = subprocess.run([*command, *arguments], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.fixture
def journal(settings: Settings, tmp_path: Path) -> Path:
    settings.ERASURE_JOURNAL = str(tmp_path / "kept apart" / "journal.jsonl")
    return Path(settings.ERASURE_JOURNAL)


@pytest.fixture
def backup(tmp_path: Path) -> Iterator[Backup]:
    made = Backup(tmp_path)
    yield made
    made.drop()


class Backup:
    """Taken before the erasure, restored after it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = f"{settings.DATABASES['default']['NAME']}_restored"

    def take(self) -> None:
        _run(
            "pg_dump", "--format=custom", f"--file={self.folder / 'backup'}", settings.DATABASES["default"]["NAME"]
        )  # fmt: skip

    def restore(self) -> Restored:
        _run("createdb", self.name)
        _run("pg_restore", f"--dbname={self.name}", str(self.folder / "backup"))
        return Restored(self.name, self.folder / "elsewhere")

    def drop(self) -> None:
        with _server().connect() as connection:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(self.name)))


def _ask(user: User, scope: ErasureScope, target: str = "") -> Tombstone:
    with acting_as(user.pk):
        return forget(user, scope, target, Sources.REDACT, source="api")


def _says(name: str, needle: str) -> User:
    person = make_person(name)
    allow(person)
    say(person, open_session(person), f"I prefer answers about {needle}. My cat is called Zqstays{name}.")
    return person


@pytest.mark.django_db(transaction=True)
def test_what_was_erased_is_erased_again_after_a_restore(journal: Path, backup: Backup) -> None:
    alice, bob = _says("alice", ALICE), _says("bob", BOB)
    charlie = _says("charlie", "zqcharliezq")
    task = asked(bob, "What speaks for zqresearchzq?")
    drain()
    backup.take()
    accepted = [
        _ask(alice, ErasureScope.ACCOUNT),
        _ask(bob, ErasureScope.ITEM, str(next(one.pk for one in memories(bob) if BOB in one.content))),
        _ask(bob, ErasureScope.TASK, str(task.pk)),
        _ask(charlie, ErasureScope.MEMORIES),
    ]
    drain()
    restored = backup.restore()
    before = restored.text()
    needles = (ALICE, BOB, "zqcharliezq", "zqresearchzq")
    assert all(needle in before for needle in needles)
    run = restored.replay(journal)
    assert run.returncode == 0, run.stderr
    assert run.stdout.endswith("applied: 4\n")
    after = restored.text()
    assert [needle in after for needle in needles] == [False] * 4
    assert "My cat is called Zqstaysbob." in after
    replayed = restored.column("SELECT id FROM consent_tombstone WHERE state = 'completed' AND source = 'replay'")
    assert replayed == {str(one.pk) for one in accepted}
    assert restored.column("SELECT id FROM accounts_user") == {str(bob.pk), str(charlie.pk)}

    again = restored.replay(journal)
    assert again.returncode == 0, again.stderr
    assert again.stdout.endswith("known already: 4\n")
    assert restored.text() == after


@pytest.mark.django_db(transaction=True)
def test_the_journal_holds_ids_and_times_and_no_word_of_anybody(journal: Path) -> None:
    alice = _says("alice", ALICE)
    tombstone = _ask(alice, ErasureScope.ITEM, str(memories(alice)[0].pk))
    text = journal.read_text()
    assert ALICE not in text
    assert "alice" not in text
    (line,) = map(json.loads, text.splitlines())
    assert set(line) == {
        "id", "user_id", "target_id", "requested_at", "due_at", "scope", "sources", "legal_profile", "link_hash",
        "targets", "item_count", "consent_version",
    }  # fmt: skip
    (read,) = journal_entries(journal)
    assert (read.pk, read.user_id, read.requested_at) == (tombstone.pk, alice.pk, tombstone.requested_at)
    assert read.targets == tombstone.targets


@pytest.mark.django_db(transaction=True)
def test_one_the_backup_knows_is_not_asked_for_twice_and_strangers_are_named(journal: Path) -> None:
    alice = _says("alice", ALICE)
    tombstone = _ask(alice, ErasureScope.MEMORIES)
    tombstone.pk, tombstone.user_id = User().pk, User().pk
    append_to_journal(tombstone)
    call_command("replay_erasures", verbosity=0)
    with acting_as(alice.pk):
        (kept,) = Tombstone.objects.all()
    assert kept.state == "completed"


def _written(journal: Path) -> dict[str, object]:
    alice = _says("alice", ALICE)
    _ask(alice, ErasureScope.ITEM, str(memories(alice)[0].pk))
    line: dict[str, object] = json.loads(journal.read_text())
    return line


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "damage",
    [b"{", b"", b"[]", b"5", b'"x"', b"null", b"\xff", b"{}",
     {"id": 5}, {"id": None}, {"user_id": ""}, {"user_id": None}, {"scope": "everything"}, {"sources": "burn"},
     {"requested_at": "yesterday"}, {"requested_at": "2026-03-02T09:30:00"}, {"due_at": None},
     {"targets": {"delete": {"memory.MemoryItem": ["x"]}}}, {"targets": {"burn": {}}}, {"targets": []},
         {"targets": {"cut": {"memory.ConversationEvent": {"x": {"lengths": [], "spans": []}}}}}],
)  # fmt: skip
def test_a_damaged_line_is_named_and_nothing_is_replayed(journal: Path, damage: bytes | dict[str, object]) -> None:
    good = _written(journal)
    bad = damage if isinstance(damage, bytes) else json.dumps(good | damage).encode()
    journal.write_bytes(json.dumps(good).encode() + b"\n" + bad + b"\n" + json.dumps(good).encode() + b"\n")
    with pytest.raises(CommandError, match="line 2 of the journal"):
        call_command("replay_erasures")
    assert User.objects.get(username="alice").is_active


@pytest.mark.django_db(transaction=True)
def test_a_line_torn_by_a_crash_does_not_swallow_the_next(journal: Path) -> None:
    good = _written(journal)
    journal.write_bytes(journal.read_bytes() + b'{"id":"')
    bob = _says("bob", BOB)
    tombstone = _ask(bob, ErasureScope.PROFILE)
    lines = journal.read_text().splitlines()
    assert len(lines) == 3
    assert (json.loads(lines[0]), json.loads(lines[2])["id"]) == (good, str(tombstone.pk))
    with pytest.raises(ValueError, match="line 2"):
        list(journal_entries(journal))


def test_no_journal_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no journal"):
        call_command("replay_erasures", "--journal", str(tmp_path / "nowhere"))
