"""A restored backup knows nothing of what was forgotten since: nothing is served from it until that is forgotten again.

The database is put back as a backup from before the erasure would have it; ``test_replay`` restores real dumps.
"""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command, get_commands
from django.test import Client
from psycopg import sql
from pytest_django import Settings

from consent.erasure import journal_check as module
from consent.erasure.journal import append_to_journal
from consent.erasure.journal_check import JournalCheck, journal_check
from consent.models import ErasureScope, Sources, Tombstone
from finclaw.erasure import forget
from finclaw.startup import replay_erasures
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from tests.support.api import code_of
from tests.support.cast import allow
from tests.support.talk import memories, open_session, say
from tests.web.support import signed_in

pytestmark = pytest.mark.django_db(transaction=True)
NEEDLE = "zqforgottenzq"
READY, PAGE, API = "/health/ready", "/memories/", "/api/memories"


@pytest.fixture(autouse=True)
def journal(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A journal of the test's own, compared anew at each request by a process that has just started."""
    settings.ERASURE_JOURNAL = str(tmp_path / "journal.jsonl")
    monkeypatch.setattr(module, "CHECK_SECONDS", 0)
    fresh = JournalCheck()
    for name in ("_compared", "_answer", "_asked_at"):
        monkeypatch.setattr(journal_check, name, getattr(fresh, name))
    return Path(settings.ERASURE_JOURNAL)


@pytest.fixture
def browser(alice: User) -> Client:
    """Alice's, who said something that was learned."""
    allow(alice)
    say(alice, open_session(alice), f"I prefer answers about {NEEDLE}.")
    drain()
    return signed_in(alice)


def ask_to_forget_it(alice: User) -> Tombstone:
    """Her one memory, hidden from now on."""
    with acting_as(alice.pk):
        return forget(alice, ErasureScope.ITEM, str(memories(alice)[0].pk), Sources.REDACT, source="api")


def restore_the_backup(superuser: psycopg.Connection, tombstone: Tombstone) -> None:
    """The rows as they stood before the erasure was asked for."""
    superuser.execute("SET session_replication_role = replica")
    marked = superuser.execute(
        "SELECT table_name FROM information_schema.columns"
        " WHERE column_name = 'tombstone_id' AND table_schema = 'public' AND table_name <> 'consent_erasurestep'"
    ).fetchall()
    for (table,) in marked:
        superuser.execute(
            sql.SQL("UPDATE {} SET tombstone_id = NULL WHERE tombstone_id = %s").format(sql.Identifier(table)),
            [tombstone.pk],
        )
    for table, column in (
        ("consent_erasurestep", "tombstone_id"), ("consent_tombstone", "id"), ("outbox_outboxmessage", "id"),
    ):  # fmt: skip
        superuser.execute(
            sql.SQL("DELETE FROM {} WHERE {} = %s").format(sql.Identifier(table), sql.Identifier(column)),
            [tombstone.pk],
        )


def statuses(browser: Client) -> list[int]:
    """Of readiness, a page and the API."""
    return [browser.get(path).status_code for path in (READY, PAGE, API)]


def says(browser: Client, needle: str) -> bool:
    """Whether the page or the API shows it."""
    return any(needle in browser.get(path).content.decode() for path in (PAGE, API))


def test_nothing_is_served_from_a_restored_backup_until_the_journal_is_replayed(
    alice: User, browser: Client, superuser_connection: psycopg.Connection
) -> None:
    assert says(browser, NEEDLE)
    tombstone = ask_to_forget_it(alice)
    assert statuses(browser) == [200, 200, 200]  # an erasure that is under way is no restored backup
    assert not says(browser, NEEDLE)

    restore_the_backup(superuser_connection, tombstone)
    with acting_as(alice.pk):
        assert NEEDLE in memories(alice)[0].content  # the backup has brought it back
    assert statuses(browser) == [503, 503, 503]
    assert browser.get(READY).json()["reason"] == "run manage.py replay_erasures"
    assert code_of(browser.get(API)) == "service_unavailable"
    assert not says(browser, NEEDLE)
    assert browser.get("/health/live").status_code == 200

    call_command("replay_erasures", verbosity=0)
    assert statuses(browser) == [200, 200, 200]
    assert not says(browser, NEEDLE)


def test_a_start_replays_the_journal_and_says_so_once(
    alice: User, browser: Client, superuser_connection: psycopg.Connection
) -> None:
    restore_the_backup(superuser_connection, ask_to_forget_it(alice))
    said: list[str] = []
    replay_erasures(said.append)
    assert "older than the journal" in said[0]
    assert "1 erasure" in said[1]
    assert statuses(browser) == [200, 200, 200]
    assert not says(browser, NEEDLE)
    replay_erasures(said.append)
    assert len(said) == 2


def test_the_worker_replays_the_journal_before_it_begins() -> None:
    assert get_commands()["worker"] == "finclaw"


@pytest.mark.parametrize("damage", [b"{\n", b'{"id":"', b'{"id":"01a2063a-22b3-72a9-a336-160af9562d87"\n'])
def test_a_journal_that_cannot_be_read_keeps_the_product_shut(
    journal: Path, alice: User, browser: Client, damage: bytes
) -> None:
    ask_to_forget_it(alice)
    journal.write_bytes(journal.read_bytes() + damage)
    assert statuses(browser) == [503, 503, 503]
    with pytest.raises(CommandError, match="line 2 of the journal"):
        replay_erasures(lambda _: None)


def test_an_erasure_of_somebody_the_database_never_knew_is_no_matter(alice: User, browser: Client) -> None:
    tombstone = ask_to_forget_it(alice)
    tombstone.pk, tombstone.user_id = User().pk, User().pk
    append_to_journal(tombstone)
    assert statuses(browser) == [200, 200, 200]


def test_a_restore_under_a_running_process_is_noticed_though_the_journal_stays_the_same(
    alice: User, browser: Client, superuser_connection: psycopg.Connection
) -> None:
    check = JournalCheck()
    tombstone = ask_to_forget_it(alice)
    assert not check.has_unreplayed()
    assert not check.has_unreplayed()
    restore_the_backup(superuser_connection, tombstone)
    assert check.has_unreplayed()
