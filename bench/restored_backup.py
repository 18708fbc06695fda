"""A backup is taken, people are forgotten, the backup is restored: what of them is there once all is ready again.

    python -m bench.restored_backup --people 200

Each has a word of their own in a conversation and in what was learned of it; half then have everything learned
forgotten with the messages behind it, half their account. The database is dropped and made again from the dump. Ready
must be red, and green once the journal is replayed: from then on nobody may be shown a word. When the replay's own
erasures have ended, no row and no file may hold one.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

from bench.report import publish_outcome
from bench.runner import measured_database, parse_arguments


@dataclass(frozen=True)
class RestoredPerson:
    """Somebody who was forgotten after the backup, and their word."""

    user_id: UUID
    needle: str


@dataclass(frozen=True)
class RestoreOutcome:
    """How many of the people's words were found, and what ``/health/ready`` said."""

    people: int
    words_in_the_backup: int
    ready_before: str
    ready_after: str
    shown_once_ready: int
    words_left: int

    @property
    def holds(self) -> bool:
        """Whether it went as it must; also that there was something to find."""
        was_there = self.words_in_the_backup == self.people
        is_guarded = (self.ready_before, self.ready_after) == ("waiting", "ready")
        return was_there and is_guarded and not self.shown_once_ready and not self.words_left


def run(database: str, count: int, folder: Path) -> RestoreOutcome:
    """All of it on this database, which is replaced by its backup."""
    from consent.erasure.journal_replay import replay_journal
    from finclaw.health.readiness import readiness

    people = [_person(number) for number in range(count)]
    _work_until_idle()
    _run("pg_dump", "--format=custom", f"--file={folder / 'backup'}", database)
    _forget_all(people)
    _replace(database, folder / "backup")
    found = _words_left(people)
    before = str(readiness()["status"])
    replay_journal()
    after = str(readiness()["status"])
    shown = sum(_is_shown(person) for person in people)
    _work_until_idle()
    return RestoreOutcome(count, found, before, after, shown, _words_left(people))


def _person(number: int) -> RestoredPerson:
    from bench.people import somebody
    from foundation.database.acting_user import acting_as
    from memory.learning.services import observe
    from memory.services.sessions import record_messages, start_session
    from memory.types import NewMessage

    person, permit = somebody(f"restored-{number}")
    needle = f"zq{number:04}restoredqz"
    with acting_as(person.pk):
        session = start_session(permit, person)
        said = NewMessage.of_text("user", f"I prefer answers about {needle}.", person.name)
        observe(permit, record_messages(permit, session, [said]))
    return RestoredPerson(person.pk, needle)


def _forget_all(people: Sequence[RestoredPerson]) -> None:
    from consent.models import ErasureScope, Sources
    from finclaw.erasure import forget
    from foundation.accounts.models import User
    from foundation.database.acting_user import acting_as

    for number, person in enumerate(people):
        scope = ErasureScope.ACCOUNT if number % 2 else ErasureScope.MEMORIES
        with acting_as(person.user_id):
            forget(User.objects.get(pk=person.user_id), scope, "", Sources.REDACT, source="command")
    _work_until_idle()


def _work_until_idle() -> None:
    """Do all jobs: one drain leaves what takes it more than a minute to the next."""
    from foundation.outbox.tasks import drain

    while drain():
        pass


def _replace(database: str, backup: Path) -> None:
    """Drop the database and make it of the backup, as after a disk that is lost."""
    from django.db import connections

    connections.close_all()
    _run("dropdb", "--force", database)
    _run("createdb", database)
    _run("pg_restore", f"--dbname={database}", "--exit-on-error", str(backup))


def _words_left(people: Sequence[RestoredPerson]) -> int:
    from tests.support.needles import dump

    whole = dump()
    return sum(person.needle in whole for person in people)


def _is_shown(person: RestoredPerson) -> bool:
    """Whether any row that the database shows to the person holds their word."""
    from django.db import connection

    from consent.declarations import personal_models
    from foundation.database.acting_user import acting_as

    tables = [connection.ops.quote_name(one.model._meta.db_table) for one in personal_models()]
    with acting_as(person.user_id), connection.cursor() as cursor:
        for table in tables:
            statement = f"SELECT EXISTS (SELECT FROM {table} AS shown WHERE shown::text LIKE %s)"  # noqa: S608
            cursor.execute(statement, [f"%{person.needle}%"])
            if cursor.fetchone()[0]:
                return True
    return False


def _run(program: str, *arguments: str) -> None:
    from django.conf import settings

    from foundation.database.embedded_server import EmbeddedServer, binaries

    sockets = EmbeddedServer(settings.DATA_DIR).sockets
    command = [str(binaries() / program), f"--host={sockets}", "--port=5432", "--username=postgres"]
    subprocess.run([*command, *arguments], check=True)


def main() -> None:
    """Run on a scratch database, print the outcome, write the figures; exit 1 where a word is there."""
    arguments = parse_arguments(__doc__, people=200)
    quiet = {"LOG_LEVEL": "ERROR"}
    with TemporaryDirectory(prefix="finclaw-backup-") as folder, measured_database(quiet, durable=False) as database:
        outcome = run(database, arguments.people, Path(folder))
    publish_outcome("restored_backup", outcome)
    sys.exit(not outcome.holds)


if __name__ == "__main__":
    main()
