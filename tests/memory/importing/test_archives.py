"""Our own archive brought into another account: the same counts and times, once, under the consent given there."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from consent.exceptions import ConsentScopeMissing
from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from finclaw.import_undo import undo_import
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.importing.archives.archive_tables import TABLES
from memory.importing.file_imports import import_of
from memory.models import CognitiveEvent, ConversationEvent, MemoryItem, Session, UserContext
from memory.retrieval.services import search
from memory.services.item_decisions import add_stated
from memory.types import SearchQuery
from tests.memory.importing.archives import archive_of, bring, live, only, rewritten, shape
from tests.support.cast import allow, allow_nothing, group_with
from tests.support.talk import open_session, permit_of, say

pytestmark = pytest.mark.django_db
SECRET = "sk-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"


def test_a_fresh_account_exports_what_the_origin_did(alice: User, bob: User, tmp_path: Path) -> None:
    live(alice)
    origin = archive_of(alice, tmp_path)
    allow(bob)
    done = bring(bob, origin)
    told = shape(origin, alice)
    rows = sum(map(len, told.values()))
    assert (done.state, done.reason, done.assistant) == ("done", "", "finclaw")
    assert (done.conversations, done.read, done.messages, done.recorded, done.left_out) == (1, 1, rows, rows, 0)
    assert all(told[table.path] for table in TABLES if "ends" not in table.path)
    assert shape(archive_of(bob, tmp_path), bob) == told
    with acting_as(bob.pk):
        old = MemoryItem.objects.get(content="Keeps bees in Leeds")
        assert old.superseded_by == MemoryItem.objects.get(content="Keeps bees in York")
        taught = next(item for item in MemoryItem.objects.all() if "Zanzibar" in item.content)
        [message] = ConversationEvent.objects.filter(pk__in=taught.message_ids)
        assert "Zanzibar" in message.text
        assert message.session.title == "Moving"


def test_what_came_is_found_and_what_was_past_is_not(alice: User, bob: User, tmp_path: Path) -> None:
    live(alice)
    allow(bob)
    bring(bob, archive_of(alice, tmp_path))
    with acting_as(bob.pk):
        hits = search(permit_of(bob), SearchQuery("bees bicycle Zanzibar", ("item", "event", "turn"))).hits
    texts = {hit.text for hit in hits}
    assert {"Keeps bees in York", "2 March 2026: Alice bought a bicycle."} <= texts
    assert "Keeps bees in Leeds" not in texts
    assert any("Zanzibar" in hit.text for hit in hits if hit.kind == "turn")


def test_twice_adds_nothing_and_into_ones_own_account_neither(alice: User, bob: User, tmp_path: Path) -> None:
    live(alice)
    origin = archive_of(alice, tmp_path)
    allow(bob)
    first = bring(bob, origin)
    again = bring(bob, origin)
    assert (again.state, again.recorded, again.known, again.left_out) == ("done", 0, first.recorded, 0)
    own = bring(alice, origin)
    assert (own.recorded, own.known) == (0, first.recorded)


def test_the_consent_of_the_archive_is_no_consent_here(alice: User, bob: User, tmp_path: Path) -> None:
    live(alice)
    origin = archive_of(alice, tmp_path)
    allow_nothing(bob)
    with pytest.raises(ConsentScopeMissing):
        bring(bob, origin)
    allow(bob, ConsentScope.MEMORY_LEARNING)
    done = bring(bob, origin)
    with acting_as(bob.pk):
        assert not UserContext.objects.exists()
        versions = set(MemoryItem.objects.values_list("consent_version", flat=True))
    assert versions == {permit_of(bob).version}
    assert (done.state, done.left_out) == ("done", 1)
    assert [sorted(consent["allowed"])[0] for consent in done.past_consents] == ["memory_learning_allowed"]


def test_an_archive_that_was_altered_is_refused_and_nothing_kept(alice: User, bob: User, tmp_path: Path) -> None:
    live(alice)
    allow(bob)
    swap = only("memory_items/items.jsonl", lambda content: content.replace(b"York", b"Hull"))
    done = bring(bob, rewritten(archive_of(alice, tmp_path), swap, honest=False))
    assert (done.state, done.reason) == (
        "refused",
        "The archive is not as it was written: it differs from its manifest.",
    )
    with acting_as(bob.pk):
        assert not Session.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda row: row | {"state": "holy"}, lambda row: row | {"valid_at": "soon"}, lambda row: row | {"version": -1},
        lambda row: row | {"confidence": "x"}, lambda row: row | {"content": None}, lambda row: row | {"id": "x"},
        lambda row: {name: value for name, value in row.items() if name != "id"},
        lambda row: row | {"category": "x" * 300}, lambda row: row | {"message_ids": 3, "source_sessions": [3]},
        lambda row: [row],
    ],
)  # fmt: skip
def test_a_row_that_no_archive_holds_is_refused_with_its_line(
    alice: User, bob: User, tmp_path: Path, change: Callable[[Any], Any]
) -> None:
    allow(alice)
    with acting_as(alice.pk):
        add_stated(permit_of(alice), "Keeps bees in Leeds")
    allow(bob)
    swap = only("memory_items/items.jsonl", lambda content: json.dumps(change(json.loads(content))).encode() + b"\n")
    done = bring(bob, rewritten(archive_of(alice, tmp_path), swap, honest=True))
    assert done.state == "refused"
    assert done.reason.startswith("memory_items/items.jsonl, line 1: ")
    assert "bees" not in done.reason


def test_words_that_must_not_be_kept_are_left_out(alice: User, bob: User, tmp_path: Path) -> None:
    live(alice)
    allow(bob)
    swap = only("memory_items/items.jsonl", lambda content: content.replace(b"Keeps bees in York", SECRET.encode()))
    done = bring(bob, rewritten(archive_of(alice, tmp_path), swap, honest=True))
    assert done.state == "done"
    assert done.left_out == 2  # a memory, and what became of it
    with acting_as(bob.pk):
        assert not MemoryItem.objects.filter(content__contains="sk-abc").exists()


def test_nobody_elses_rows_come_along(alice: User, bob: User, charlie: User, tmp_path: Path) -> None:
    live(alice)
    group = group_with(alice, [charlie])
    session = open_session(alice, group_id=group.pk)
    say(alice, session, "I bought copper for the group.", learn=False)
    allow(bob)
    done = bring(bob, archive_of(alice, tmp_path))
    assert (done.state, done.left_out) == ("done", 2)
    for somebody in (bob, charlie):
        with acting_as(somebody.pk):
            assert not ConversationEvent.objects.filter(user=bob, content__contains="copper").exists()
    with acting_as(bob.pk):
        assert {row.user_id for row in CognitiveEvent.objects.all()} == {bob.pk}
        assert {row.sender_id for row in CognitiveEvent.objects.all()} == {bob.pk}


def test_what_was_forgotten_here_does_not_come_back(alice: User, bob: User, tmp_path: Path) -> None:
    live(alice)
    origin = archive_of(alice, tmp_path)
    allow(bob)
    bring(bob, origin)
    with acting_as(bob.pk):
        item = MemoryItem.objects.get(content="Keeps bees in York")
        forget(bob, ErasureScope.ITEM, str(item.pk), Sources.REDACT, source="api")
    drain()
    again = bring(bob, origin)
    assert again.recorded == 0
    with acting_as(bob.pk):
        assert not MemoryItem.objects.filter(content__contains="bees").exists()
        forget(bob, ErasureScope.MEMORIES, "", Sources.REDACT, source="api")
    drain()
    assert bring(bob, origin).recorded == 0


def test_it_is_undone_and_can_be_brought_in_again(alice: User, bob: User, tmp_path: Path) -> None:
    live(alice)
    origin = archive_of(alice, tmp_path)
    allow(bob)
    done = bring(bob, origin)
    with acting_as(bob.pk):
        undo_import(bob, done.pk, source="api")
    drain()
    with acting_as(bob.pk):
        assert [model.objects.count() for model in (Session, MemoryItem, CognitiveEvent)] == [0, 0, 0]
    again = bring(bob, origin)
    assert again.recorded == done.recorded - 1  # what was stated of oneself is undone by hand


def test_the_command_takes_one_person_and_one_file(alice: User, bob: User, tmp_path: Path) -> None:
    live(alice)
    origin = archive_of(alice, tmp_path)
    allow(bob)
    out = io.StringIO()
    call_command("import_archive", "--user", "bob", "--file", str(origin), stdout=out)
    drain()
    with acting_as(bob.pk):
        assert import_of(bob.pk, out.getvalue().split()[0]).state == "done"  # type: ignore[arg-type]
    with pytest.raises(CommandError, match="Nobody goes by"):
        call_command("import_archive", "--user", "nobody", "--file", str(origin))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_archive", "--user", "bob", "--file", str(tmp_path / "none.zip"))
    allow_nothing(bob)
    with pytest.raises(CommandError, match="not allowed"):
        call_command("import_archive", "--user", "bob", "--file", str(origin))
