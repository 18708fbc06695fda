"""An export file handed in: stored with its dates, found by words, learned from its person's words alone, undone."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from consent.exceptions import ConsentScopeMissing
from consent.models import Tombstone
from consent.services import grant_consent
from finclaw.brain.long_tasks.services import fail_abandoned
from finclaw.import_undo import undo_import
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.outbox.exceptions import LostLease
from foundation.outbox.jobs import Job
from foundation.outbox.leases import claim
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.importing import file_imports
from memory.importing.chats import chat_storage
from memory.importing.chats.exceptions import FileTooLarge, ImportUnderWay
from memory.importing.chats.exported_chats import ExportedChat, ExportedMessage
from memory.importing.chats.portions import portions
from memory.importing.file_imports import IMPORT_TOPIC, import_of, request_import
from memory.importing.reading_progress import ReadingProgress, reading_progress_of
from memory.learning.services import OBSERVE_TOPIC
from memory.models import ChatImport, ConversationEvent, MemoryItem, SearchEntry, Session
from memory.retrieval.services import search
from memory.types import SearchQuery
from tests.memory.importing.test_chat_export_files import AT, chatgpt, node
from tests.support.cast import allow, allow_nothing
from tests.support.talk import memories, permit_of

pytestmark = pytest.mark.django_db
CHAT = chatgpt(
    node("m1", None, "user", "I moved to Zanzibar in May."), node("m2", "m1", "assistant", "I live in Reykjavik."),
    title="Moving",
)  # fmt: skip


def hand_in(user: User, content: Any = (CHAT,), *, until: str = "") -> ChatImport:
    """Import a file; the worker does all of it, or only what comes before the topic ``until``."""
    data = content if isinstance(content, bytes) else json.dumps(list(content)).encode()
    wanted = request_import(user, io.BytesIO(data), origin="api")
    if until:
        run_only_the_import()
    else:
        drain()
    with acting_as(user.pk):
        return import_of(user.pk, wanted.pk)


def run_only_the_import() -> None:
    message = claim()
    assert message is not None
    assert message.topic == IMPORT_TOPIC
    file_imports.run_import(Job(message))


def found(user: User, words: str) -> list[str]:
    with acting_as(user.pk):
        return [hit.text for hit in search(permit_of(user), SearchQuery(words, ("turn",), strategy="lexical")).hits]


def counts(one: ChatImport) -> tuple[int, ...]:
    return one.conversations, one.messages, one.read, one.recorded, one.known, one.left_out


def test_a_file_is_stored_with_its_dates_and_only_its_persons_words_teach(alice: User) -> None:
    allow(alice)
    done = hand_in(alice)
    assert (done.state, done.assistant, counts(done)) == ("done", "chatgpt", (1, 2, 1, 2, 0, 0))
    with acting_as(alice.pk):
        session = Session.objects.get()
        said = list(session.events.order_by("seq"))
    assert session.title == "Moving"
    assert session.last_active_at.timestamp() == AT
    assert [(one.role, one.speaker, one.occurred_at.timestamp()) for one in said] == [
        ("user", "Alice", AT), ("assistant", "ChatGPT", AT),
    ]  # fmt: skip
    told = " ".join(item.content for item in memories(alice))
    assert "Zanzibar" in told
    assert "Reykjavik" not in told


def test_it_is_found_by_words_before_anything_is_learned_and_by_meaning_after(alice: User) -> None:
    allow(alice)
    wanted = hand_in(alice, until=OBSERVE_TOPIC)
    assert wanted.state == "done"
    assert "Zanzibar" in found(alice, "Zanzibar")[0]
    assert not memories(alice)
    with acting_as(alice.pk):
        assert reading_progress_of(wanted) == ReadingProgress(found_by_words=2, found_by_meaning=0)
    drain()
    with acting_as(alice.pk):
        assert reading_progress_of(wanted) == ReadingProgress(found_by_words=2, found_by_meaning=2)
    assert memories(alice)


def test_the_same_file_again_adds_nothing_and_a_newer_one_what_is_new(alice: User) -> None:
    allow(alice)
    hand_in(alice)
    before = memories(alice)
    assert counts(hand_in(alice)) == (1, 2, 1, 0, 2, 0)
    newer = CHAT | {
        "mapping": CHAT["mapping"] | {"m3": node("m3", "m2", "user", "I bought gold.")},
        "current_node": "m3",
    }
    assert counts(hand_in(alice, [newer])) == (1, 3, 1, 1, 2, 0)
    with acting_as(alice.pk):
        assert Session.objects.count() == 1
        assert ConversationEvent.objects.count() == 3
    assert {item.pk for item in before} <= {item.pk for item in memories(alice)}


def test_an_attempt_that_was_killed_is_gone_on_with(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    chats = [CHAT | {"conversation_id": f"c{number}"} for number in range(5)]
    store, seen = chat_storage.store_chat, list[str]()

    def dies(permit: Any, wanted: Any, chat: Any) -> Any:
        seen.append(chat.ref)
        if len(seen) == 3:
            raise SystemExit
        return store(permit, wanted, chat)

    monkeypatch.setattr(file_imports, "store_chat", dies)
    monkeypatch.setattr(file_imports, "STORED_AT_ONCE", 2)  # a conversation each transaction
    wanted = request_import(alice, io.BytesIO(json.dumps(chats).encode()), origin="api")
    with pytest.raises(SystemExit):
        run_only_the_import()
    with acting_as(alice.pk):
        assert Session.objects.count() == 2
        OutboxMessage.objects.filter(pk=wanted.pk).update(state="pending", leased_until=None)
    drain()
    with acting_as(alice.pk):
        done = import_of(alice.pk, wanted.pk)
        assert Session.objects.count() == 5
        assert ConversationEvent.objects.count() == 10
    assert (done.state, counts(done)) == ("done", (5, 10, 5, 10, 0, 0))


def test_a_worker_whose_lease_ran_out_leaves_the_import_to_the_next(alice: User) -> None:
    allow(alice)
    wanted = request_import(alice, io.BytesIO(json.dumps([CHAT]).encode()), origin="api")
    stale = claim()
    assert stale is not None
    stale.attempts = stale.max_attempts  # the last that there is, which the row no longer knows of
    with pytest.raises(LostLease):
        file_imports.run_import(Job(stale))
    with acting_as(alice.pk):
        assert import_of(alice.pk, wanted.pk).state == "checking"
        OutboxMessage.objects.filter(pk=wanted.pk).update(state="pending", leased_until=None)
    drain()
    with acting_as(alice.pk):
        assert import_of(alice.pk, wanted.pk).state == "done"


def test_a_long_conversation_that_was_cut_short_is_gone_on_with(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    nodes = [node(f"m{n}", f"m{n - 1}" if n else None, "user", f"I bought {n} shares.") for n in range(7)]
    store, parts = chat_storage.store_chat, list[int]()

    def dies(permit: Any, wanted: Any, chat: Any) -> Any:
        parts.append(len(chat.messages))
        if len(parts) == 3:
            raise SystemExit
        return store(permit, wanted, chat)

    monkeypatch.setattr(file_imports, "store_chat", dies)
    monkeypatch.setattr(file_imports, "STORED_AT_ONCE", 3)
    wanted = request_import(alice, io.BytesIO(json.dumps([chatgpt(*nodes, title="")]).encode()), origin="api")
    with pytest.raises(SystemExit):
        run_only_the_import()
    with acting_as(alice.pk):
        assert ConversationEvent.objects.count() == 6
        OutboxMessage.objects.filter(pk=wanted.pk).update(state="pending", leased_until=None)
    drain()
    with acting_as(alice.pk):
        done = import_of(alice.pk, wanted.pk)
        session = Session.objects.get()
        assert [event.text for event in session.events.order_by("seq")] == [f"I bought {n} shares." for n in range(7)]
    assert parts[:3] == [3, 3, 1]
    assert session.title == "I bought 0 shares."
    assert (done.state, counts(done)) == ("done", (1, 7, 1, 7, 0, 0))


def test_short_conversations_share_a_transaction_and_no_portion_is_heavier_than_it_may_be() -> None:
    def chat(ref: str, *texts: str) -> ExportedChat:
        return ExportedChat(
            "chatgpt", ref, "", tuple(ExportedMessage(f"{ref}{n}", "user", text, None) for n, text in enumerate(texts))
        )

    chats = [chat("a", "1"), chat("b", "1", "2"), chat("c"), chat("d", "1", "2", "3", "x" * 5_000, "5"), chat("e", "1")]
    found = [
        [(part.chat.ref, len(part.chat.messages), part.ends_chat) for part in portion] for portion in portions(chats, 3)
    ]
    assert found == [
        [("a", 1, True), ("b", 2, True), ("c", 0, True)],
        [("d", 3, False)],
        [("d", 1, False)],  # heavier than a portion may be, and alone
        [("d", 1, True), ("e", 1, True)],
    ]


def test_a_broken_file_is_refused_with_its_line_before_anything_is_stored(alice: User) -> None:
    allow(alice)
    broken = json.dumps([CHAT]).encode()[:-1] + b",\n oops]"
    done = hand_in(alice, broken)
    assert done.state == "refused"
    assert "Line 2, character 2" in done.reason
    with acting_as(alice.pk):
        assert not Session.objects.exists()
    assert files(alice) == []


def files(user: User) -> list[Path]:
    return file_imports.files_of(user.pk)


def test_the_file_is_private_while_it_waits_and_gone_once_it_was_read(alice: User) -> None:
    allow(alice)
    request_import(alice, io.BytesIO(json.dumps([CHAT]).encode()), origin="api")
    [kept] = files(alice)
    assert kept.stat().st_mode & 0o777 == 0o600
    drain()
    assert files(alice) == []


def test_a_file_that_is_too_large_leaves_nothing(alice: User, settings: Any) -> None:
    allow(alice)
    settings.MAX_IMPORT_BYTES = 100
    with pytest.raises(FileTooLarge):
        hand_in(alice)
    assert files(alice) == []
    with acting_as(alice.pk):
        assert not ChatImport.objects.exists()


def test_one_import_at_a_time(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    data = json.dumps([CHAT]).encode()
    request_import(alice, io.BytesIO(data), origin="api")
    with pytest.raises(ImportUnderWay):
        request_import(alice, io.BytesIO(data), origin="web")
    assert len(files(alice)) == 1
    assert hand_in(bob).state == "done"


def test_without_learning_nothing_is_taken(alice: User) -> None:
    allow_nothing(alice)
    with pytest.raises(ConsentScopeMissing):
        hand_in(alice)
    assert files(alice) == []


def test_a_withdrawal_before_the_worker_comes_to_it_brings_nothing_in(alice: User) -> None:
    allow(alice)
    wanted = request_import(alice, io.BytesIO(json.dumps([CHAT]).encode()), origin="api")
    with acting_as(alice.pk):
        grant_consent(alice, {ConsentScope.SAVE_TO_PROFILE}, source="web")
    drain()
    fail_abandoned()
    with acting_as(alice.pk):
        assert import_of(alice.pk, wanted.pk).state == "failed"
        assert not Session.objects.exists()


def test_secrets_are_left_out_or_masked_as_in_any_message(alice: User) -> None:
    allow(alice)
    chat = chatgpt(
        node("m1", None, "user", "My key is sk-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"),
        node("m2", "m1", "user", "Write to ann.example@gmail.com please."),
        node("m3", "m2", "user", "I moved to Zanzibar."), title="sk-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH",
    )  # fmt: skip
    done = hand_in(alice, [chat])
    with acting_as(alice.pk):
        stored = " ".join([Session.objects.get().title, *(event.text for event in ConversationEvent.objects.all())])
    assert (done.recorded, done.left_out) == (2, 1)
    assert "sk-abc" not in stored
    assert "gmail" not in stored
    assert "Zanzibar" in stored


def test_what_is_sensitive_is_seen_where_a_long_message_is_cut(alice: User, settings: Any) -> None:
    settings.MAX_MESSAGE_CHARS = 100
    allow(alice)
    chat = chatgpt(
        node("m1", None, "user", "." * 90 + " 4242 4242 4242 4242, I moved to Leeds."),
        node("m2", "m1", "user", "." * 90 + " ann.example@gmail.com, I moved to Zanzibar."), title="Moving",
    )  # fmt: skip
    done = hand_in(alice, [chat])
    with acting_as(alice.pk):
        stored = " ".join(event.text for event in ConversationEvent.objects.all())
    assert (done.recorded, done.left_out) == (2, 1)
    assert "4242" not in stored
    assert "ann" not in stored
    assert "Zanzibar" in stored


def test_hostile_text_is_stored_as_it_can_be(alice: User) -> None:
    allow(alice)
    texts = ["a\x00b Zanzibar", "\ud800 Zanzibar", "." * 20_000 + " Zanzibar", "<script>alert(1)</script> Zanzibar"]
    nodes = [node(f"m{n}", f"m{n - 1}" if n else None, "user", text) for n, text in enumerate(texts)]
    done = hand_in(alice, [chatgpt(*nodes)])
    assert done.state == "done"
    assert done.recorded == 6  # the long one in three
    assert sum("Zanzibar" in text for text in found(alice, "Zanzibar")) == 4


def test_what_may_be_of_health_waits_to_be_asked_about(alice: User) -> None:
    allow(alice)
    said = node("m1", None, "user", "I have diabetes and live in Zanzibar."), node("m2", "m1", "user", "I like tea.")
    wanted = hand_in(alice, [chatgpt(*said)], until="x")
    assert found(alice, "diabetes") == []  # not beside it either
    assert found(alice, "tea")
    assert wanted.recorded == 2
    drain()
    assert found(alice, "diabetes") == []


def test_nobody_else_sees_an_import_or_undoes_it(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    wanted = hand_in(alice)
    with acting_as(charlie.pk):
        with pytest.raises(NotFound):
            import_of(charlie.pk, wanted.pk)
        with pytest.raises(NotFound):
            undo_import(charlie, wanted.pk, source="api")
        assert not ChatImport.objects.exists()
    assert found(charlie, "Zanzibar") == []


def test_undoing_forgets_all_that_it_brought_and_nothing_else(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory.erasure.targets.IMPORTED_AT_ONCE", 2)
    allow(alice)
    hand_in(alice, [CHAT | {"conversation_id": "kept", "mapping": {"k": node("k", None, "user", "I follow copper.")},
                            "current_node": "k"}])  # fmt: skip
    wanted = hand_in(alice, [CHAT | {"conversation_id": f"c{number}"} for number in range(3)])
    with acting_as(alice.pk):
        undone, _ = undo_import(alice, wanted.pk, source="api")
        assert undone.state == "undone"
        assert Session.objects.count() == 2  # as many as one erasure takes are gone at once
    drain()
    assert found(alice, "Zanzibar") == []
    with acting_as(alice.pk):
        assert [one.state for one in Tombstone.objects.all()] == ["completed"] * 2
        assert Session.objects.count() == 1
        left = [item.content for item in MemoryItem.objects.all()]
        assert SearchEntry.objects.filter(kind="turn").count() == 1
    assert not [content for content in left if "Zanzibar" in content]
    assert [content for content in left if "copper" in content]
    assert hand_in(alice, [CHAT | {"conversation_id": "c0"}]).recorded == 2


@pytest.mark.parametrize("at_once", [2, 3], ids=["some still visible", "all hidden"])
def test_nothing_is_brought_in_while_an_undone_import_is_still_being_forgotten(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr("memory.erasure.targets.IMPORTED_AT_ONCE", at_once)
    allow(alice)
    allow(bob)
    chats = [CHAT | {"conversation_id": f"c{number}"} for number in range(3)]
    wanted = hand_in(alice, chats)
    with acting_as(alice.pk):
        undo_import(alice, wanted.pk, source="api")
        assert Session.objects.count() == 3 - at_once
    with pytest.raises(ImportUnderWay, match="still being forgotten"):
        hand_in(alice, chats)
    assert files(alice) == []
    assert hand_in(bob).recorded == 2
    drain()
    again = hand_in(alice, chats)
    assert (again.state, counts(again)) == ("done", (3, 6, 3, 6, 0, 0))


def test_an_import_that_is_undone_while_it_runs_stops(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    store, stored = chat_storage.store_chat, list[str]()

    def undoes(permit: Any, wanted: Any, chat: Any) -> Any:
        stored.append(chat.ref)
        if len(stored) == 2:
            undo_import(alice, wanted.pk, source="api")
        return store(permit, wanted, chat) if len(stored) < 2 else chat_storage.StorageCounts()

    monkeypatch.setattr(file_imports, "store_chat", undoes)
    monkeypatch.setattr(file_imports, "STORED_AT_ONCE", 2)  # a conversation each transaction
    done = hand_in(alice, [CHAT | {"conversation_id": f"c{number}"} for number in range(4)])
    assert (done.state, len(stored)) == ("undone", 2)
    with acting_as(alice.pk):
        assert not Session.objects.exists()


def test_files_nobody_waits_for_are_swept(alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "IMPORT_DIR", tmp_path)  # the usual one keeps what an interrupted run left
    folder = settings.IMPORT_DIR / str(alice.pk)
    folder.mkdir(parents=True, exist_ok=True)
    old, new = folder / "old", folder / "new"
    for file in (old, new):
        file.write_bytes(b"[]")
    os.utime(old, (1_700_000_000, 1_700_000_000))
    assert file_imports.sweep() == 1
    assert (old.exists(), new.exists()) == (False, True)
