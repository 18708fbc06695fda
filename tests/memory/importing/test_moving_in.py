"""An export of a memory program brought in: memories with their times and origin, once, as far as they may be kept."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from consent.exceptions import ConsentScopeMissing
from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from finclaw.import_undo import undo_import
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import ConversationEvent, MemoryItem, Session
from memory.retrieval.services import search
from memory.services.items import write
from memory.services.versions import ItemDraft
from memory.types import SearchQuery
from tests.memory.importing.exports import HINDSIGHT, LETTA, MEM0, ZEP
from tests.memory.importing.test_bringing_chats_in import hand_in
from tests.support.cast import allow, allow_nothing
from tests.support.talk import permit_of

pytestmark = pytest.mark.django_db
SECRET = "sk-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"


def bring(user: User, content: Any) -> Any:
    return hand_in(user, json.dumps(content).encode())


def kept(user: User) -> dict[str, MemoryItem]:
    with acting_as(user.pk):
        return {item.content: item for item in MemoryItem.objects.all()}


def in_force(user: User) -> set[str]:
    with acting_as(user.pk):
        return set(MemoryItem.objects.in_force(datetime.now(UTC)).values_list("content", flat=True))


def test_without_learning_nothing_is_taken(alice: User) -> None:
    allow_nothing(alice)
    with pytest.raises(ConsentScopeMissing):
        bring(alice, MEM0)


def test_memories_keep_their_time_their_program_and_their_id(alice: User) -> None:
    allow(alice)
    done = bring(alice, MEM0)
    assert (done.state, done.assistant, done.conversations, done.messages, done.recorded) == ("done", "mem0", 0, 2, 2)
    item = kept(alice)["Keeps bees in Leeds"]
    assert item.valid_at == datetime(2024, 7, 26, 6, 57, 0, 108_347, UTC)
    assert (item.provenance, item.provenance_detail["imported_from"]) == ("confirmed_by_user", "mem0")
    with acting_as(alice.pk):
        [source] = ConversationEvent.objects.filter(pk__in=item.message_ids)
        assert (source.external_ref, source.speaker, source.learnable) == (MEM0["results"][0]["id"], "mem0", False)
        [hit] = search(permit_of(alice), SearchQuery("bees", ("item", "turn"))).hits
    assert (hit.kind, hit.text) == ("item", "Keeps bees in Leeds")


def test_what_holds_no_more_comes_with_its_validity(alice: User) -> None:
    allow(alice)
    for export in (ZEP, HINDSIGHT, MEM0):
        assert bring(alice, export).state == "done"
    items = kept(alice)
    assert (items["Lives in York"].state, items["Lives in York"].invalid_at) == (
        "invalid",
        datetime(2024, 3, 1, tzinfo=UTC),
    )
    assert items["Alice works at a bank"].valid_at == datetime(2024, 1, 2, 9, tzinfo=UTC)
    now = in_force(alice)
    assert {"Lives in Zanzibar", "Alice works at a bakery", "Keeps bees in Leeds"} <= now
    assert not now & {"Lives in York", "Alice works at a bank", "Trains for the Leeds marathon"}


def test_what_ended_elsewhere_ends_nothing_that_holds_here(alice: User) -> None:
    allow(alice)
    with acting_as(alice.pk):
        write(permit_of(alice), ItemDraft("Lives in York", "insight", "fact", "observation", 0.5))
    bring(alice, ZEP)
    assert "Lives in York" in in_force(alice)


def test_conversations_come_beside_what_was_noted(alice: User) -> None:
    allow(alice)
    done = bring(alice, LETTA)
    assert (done.state, done.conversations, done.recorded) == ("done", 1, 4)
    with acting_as(alice.pk):
        titles = {session.title: session.archived_at is None for session in Session.objects.all()}
    assert titles == {"Letta": False, "Companion": True}
    items = kept(alice)
    assert "Watches Saturn at night" in items
    assert any("telescope" in content for content in items)
    assert not any("Companion" in content for content in items)


@pytest.mark.parametrize("export", [MEM0, ZEP, LETTA, HINDSIGHT])
def test_the_same_file_again_adds_nothing(alice: User, export: dict[str, Any]) -> None:
    allow(alice)
    first = bring(alice, export)
    before = set(kept(alice))
    again = bring(alice, export)
    assert (again.recorded, again.known) == (0, first.recorded)
    assert set(kept(alice)) == before


def test_a_later_export_brings_what_is_new_and_is_undone_alone(alice: User) -> None:
    allow(alice)
    bring(alice, MEM0)
    later = MEM0["results"] + [{"id": "m9", "memory": "Learns Welsh", "created_at": "2025-01-01T00:00:00Z"}]
    done = bring(alice, {"results": later})
    assert (done.recorded, done.known) == (1, 2)
    with acting_as(alice.pk):
        undo_import(alice, done.pk, source="api")
    drain()
    assert set(kept(alice)) == {"Keeps bees in Leeds", "Trains for the Leeds marathon"}
    assert bring(alice, {"results": later}).recorded == 1


def test_what_was_forgotten_does_not_come_back(alice: User) -> None:
    allow(alice)
    bring(alice, MEM0)
    with acting_as(alice.pk):
        forgotten = MemoryItem.objects.get(content="Keeps bees in Leeds")
        forget(alice, ErasureScope.ITEM, str(forgotten.pk), Sources.REDACT, source="api")
    drain()
    again = bring(alice, MEM0)
    assert (again.recorded, again.known) == (0, 2)
    assert "Keeps bees in Leeds" not in kept(alice)
    with acting_as(alice.pk):
        assert not ConversationEvent.objects.filter(external_ref=MEM0["results"][0]["id"]).exists()


def test_statements_are_screened_and_cut_as_any_input(alice: User) -> None:
    allow(alice)
    told = [f"My key is {SECRET}", "Write to ann.example@gmail.com", "." * 2_500 + " Zanzibar", "a\x00b \ud800 copper"]
    done = bring(alice, {"results": [{"id": f"m{n}", "memory": text} for n, text in enumerate(told)]})
    assert (done.state, done.recorded, done.left_out) == ("done", 4, 1)
    stored = " ".join(kept(alice))
    assert "sk-abc" not in stored
    assert "gmail" not in stored
    assert "Zanzibar" in stored
    assert "copper" in stored


def test_a_broken_entry_keeps_the_whole_file_out(alice: User) -> None:
    allow(alice)
    done = bring(alice, {"results": [*MEM0["results"], {"id": "m9", "memory": ""}]})
    assert (done.state, done.reason) == ("refused", "Line 1, entry 4: its text is missing.")
    assert not kept(alice)


def test_nobody_elses_memories_are_touched(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    bring(charlie, MEM0)
    assert bring(alice, MEM0).recorded == 2
    with acting_as(alice.pk):
        assert {item.user_id for item in MemoryItem.objects.all()} == {alice.pk}
