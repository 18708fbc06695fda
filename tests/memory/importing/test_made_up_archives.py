"""Archives that no export ever wrote: whole by their manifest, with rows meant to break their reader."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import pytest

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from memory.importing.archives import archive_file, archive_storage
from memory.importing.archives.archive_file import opened_archive
from memory.importing.archives.archive_storage import require_readable, steps_of
from memory.importing.chats import export_archives
from memory.importing.chats.exceptions import BrokenFile
from memory.models import ChatImport, MemoryItem, Session
from memory.services.item_decisions import add_stated, correct
from tests.memory.importing.archives import ITEMS, archive_of, bring, changed_rows, live, rewritten
from tests.support.cast import allow
from tests.support.talk import permit_of

pytestmark = pytest.mark.django_db
SESSIONS, MESSAGES, EVENTS = "sessions/sessions.json", "sessions/messages.jsonl", "events/events.jsonl"
SECRET = "sk-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
WRONG: list[tuple[str, dict[str, Any]]] = [
    (ITEMS, {"provenance_detail": []}),
    (ITEMS, {"provenance_detail": {"message_ids": [3]}}),
    (ITEMS, {"provenance_detail": {"message_ids": "x"}}),
    (ITEMS, {"attributes": []}),
    (ITEMS, {"attributes": {"size": float("inf")}}),
    (ITEMS, {"content": "x" * 4_001}),
    (ITEMS, {"content": ["x"]}),
    (ITEMS, {"created_at": "0001-01-01T00:00:00Z"}),
    (ITEMS, {"created_at": "2026-01-01T00:00:00"}),
    (MESSAGES, {"content": [1]}),
    (MESSAGES, {"content": [{"type": "text", "text": 1}]}),
    (MESSAGES, {"content": [{"type": "text", "text": "x" * 40_001}]}),
    (MESSAGES, {"session_id": 3}),
    (MESSAGES, {"session_id": []}),
    (EVENTS, {"sources": [1]}),
    (EVENTS, {"unresolved": [1]}),
    (EVENTS, {"canonical_text": "x" * 40_001}),
    (SESSIONS, {"summary_blocks": [1]}),
    (SESSIONS, {"summary_blocks": [{"to_seq": "x"}]}),
    (SESSIONS, {"entity_slots": []}),
]


def refusal(user: User, path: Path) -> str:
    with opened_archive(path) as archive:
        try:
            require_readable(user, archive)
        except BrokenFile as error:
            return error.message
    return ""


def test_values_that_break_their_readers_are_refused_before_anything_is_stored(
    alice: User, bob: User, tmp_path: Path
) -> None:
    live(alice)
    origin = archive_of(alice, tmp_path)
    with opened_archive(origin) as archive:
        require_readable(bob, archive)
    for path, values in WRONG:
        changed = rewritten(origin, changed_rows(path, lambda row, values=values: row | values), honest=True)  # type: ignore[misc]
        assert refusal(bob, changed).startswith(f"{path}, line "), str(values)[:80]


@pytest.mark.parametrize(
    ("junk", "reason"),
    [
        (secrets.token_hex(500_001), "it is longer than 1,000,000 bytes."),
        ([[]] * 150_000, "it holds too many values."),
    ],
    ids=["bytes", "values"],
)
def test_a_row_takes_as_much_memory_as_a_row_may(
    alice: User, bob: User, tmp_path: Path, junk: object, reason: str
) -> None:
    live(alice)
    allow(bob)
    swap = changed_rows(ITEMS, lambda row: row | {"junk": junk if "York" in row["content"] else ""})
    done = bring(bob, rewritten(archive_of(alice, tmp_path), swap, honest=True))
    assert done.state == "refused"
    assert done.reason.startswith(f"{ITEMS}, line ")
    assert done.reason.endswith(f": {reason}")


def test_columns_that_nobody_knows_are_not_held_and_a_batch_ends_by_its_bytes(
    alice: User, bob: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live(alice)
    swap = changed_rows(ITEMS, lambda row: row | {"junk": ["x"]})
    with opened_archive(rewritten(archive_of(alice, tmp_path), swap, honest=True)) as archive:
        assert all(row.values.keys() == {"id"} for row in archive.rows(ITEMS, ("id", "nothing")))
        few = len(list(steps_of(ChatImport(user=bob), archive)))
        monkeypatch.setattr(archive_storage, "BYTES_AT_ONCE", 1)
        assert len(list(steps_of(ChatImport(user=bob), archive))) > few


def test_what_unpacks_to_too_much_is_refused_before_it_is_read(
    alice: User, bob: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live(alice)
    allow(bob)
    monkeypatch.setattr(export_archives, "MOST_UNPACKED_BYTES", 1_000)
    monkeypatch.setattr(archive_file, "verify_archive", lambda path: pytest.fail("it was read"))
    done = bring(bob, archive_of(alice, tmp_path))
    assert (done.state, done.reason) == ("refused", "The archive unpacks to more than is taken in at once.")


def test_a_row_that_the_database_refuses_is_left_out_alone(alice: User, bob: User, tmp_path: Path) -> None:
    live(alice)
    allow(bob)
    swap = changed_rows(ITEMS, lambda row: row | ({"confidence": 5} if "York" in row["content"] else {}))
    done = bring(bob, rewritten(archive_of(alice, tmp_path), swap, honest=True))
    assert (done.state, done.left_out) == ("done", 2)  # and what became of it
    with acting_as(bob.pk):
        assert [item.content for item in MemoryItem.objects.filter(content__contains="bees")] == ["Keeps bees in Leeds"]


def test_nothing_of_a_reply_under_way_comes_along(alice: User, bob: User, tmp_path: Path) -> None:
    live(alice)
    allow(bob)
    busy = {
        "awaited_tools": {"answer": "x", "messages": 1},
        "history_hash": "f" * 64,
        "turn_started_at": "2026-01-01T00:00:00Z",
        "turn_process": str(new_id()),
    }
    swap = changed_rows(SESSIONS, lambda row: row | busy)
    assert bring(bob, rewritten(archive_of(alice, tmp_path), swap, honest=True)).state == "done"
    with acting_as(bob.pk):
        session = Session.objects.get()
    told = (session.awaited_tools, session.history_hash, session.turn_started_at, session.turn_process)
    assert told == ({}, "", None, None)


@pytest.mark.parametrize(
    "values", [{"attributes": {"metadata": {SECRET: "x"}}}, {"provenance_detail": {"reason": SECRET}}]
)
def test_a_key_hides_neither_in_a_name_nor_in_a_reason(
    alice: User, bob: User, tmp_path: Path, values: dict[str, Any]
) -> None:
    live(alice)
    allow(bob)
    swap = changed_rows(ITEMS, lambda row: row | (values if "York" in row["content"] else {}))
    done = bring(bob, rewritten(archive_of(alice, tmp_path), swap, honest=True))
    assert (done.state, done.left_out) == ("done", 2)
    with acting_as(bob.pk):
        assert not MemoryItem.objects.filter(content="Keeps bees in York").exists()


def test_nobody_elses_chain_is_joined_by_an_archive_that_says_it_is_ones_own(
    alice: User, bob: User, tmp_path: Path
) -> None:
    live(alice)
    allow(bob)
    with acting_as(bob.pk):
        boat = add_stated(permit_of(bob), "Sails a boat in Hull")
    taken = {"id": str(new_id()), "chain_id": str(boat.chain_id), "content": "Sails nothing at all"}
    swap = changed_rows(ITEMS, lambda row: row | (taken if "York" in row["content"] else {}))
    done = bring(alice, rewritten(archive_of(alice, tmp_path), swap, honest=True))
    assert (done.state, done.recorded) == ("done", 1)
    with acting_as(bob.pk):
        assert correct(permit_of(bob), boat.pk, "Sails a boat in Bath").version == 2
