"""Exports of memory programs: what is read of each, and what is refused, with the place."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.importing.chats.exceptions import BrokenFile
from memory.importing.chats.export_archives import chats_in
from memory.importing.chats.exported_chats import ExportedMessage, Validity
from tests.memory.importing.exports import HINDSIGHT, LETTA, MEM0, PASSAGES, ZEP
from tests.memory.importing.test_chat_export_files import file_of, read, refused, said


def told(folder: Path, content: Any) -> dict[str, ExportedMessage]:
    chats = [placed.chat for placed in read(folder, content)]
    return {message.text: message for chat in chats for message in chat.messages if message.validity}


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


def test_memories_of_mem0_are_statements_with_their_times(tmp_path: Path) -> None:
    [placed] = read(tmp_path, MEM0)
    assert (placed.chat.source, placed.chat.holds_statements) == ("mem0", True)
    bees, marathon = placed.chat.messages
    at = datetime(2024, 7, 26, 6, 57, 0, 108_347, UTC)
    assert (bees.ref, bees.text, bees.at) == (MEM0["results"][0]["id"], "Keeps bees in Leeds", at)
    assert bees.validity == Validity(at, None)
    assert marathon.validity == Validity(datetime(2024, 8, 1, 10, tzinfo=UTC), day(2024, 10, 1))


@pytest.mark.parametrize("content", [MEM0["results"], {"memories": MEM0["results"]}, MEM0["results"][0]])
def test_each_shape_of_mem0s_list_is_read(tmp_path: Path, content: Any) -> None:
    assert "Keeps bees in Leeds" in told(tmp_path, content)


def test_a_memory_without_an_id_has_the_same_name_each_time(tmp_path: Path) -> None:
    entries = [
        {"memory": "Keeps bees", "created_at": "2024-07-25"},
        {"memory": "Keeps bees", "created_at": "2025-07-25"},
    ]
    refs = [[placed.chat.messages[0].ref for placed in read(tmp_path, entries)] for _ in range(2)]
    assert refs[0] == refs[1]
    assert len(set(refs[0])) == 2


def test_facts_of_zep_come_with_their_validity_and_sessions_as_conversations(tmp_path: Path) -> None:
    chats = [placed.chat for placed in read(tmp_path, ZEP)]
    assert [(chat.source, chat.ref, chat.holds_statements) for chat in chats] == [
        ("zep", "statements", True), ("zep", "s1", False),
    ]  # fmt: skip
    facts = told(tmp_path, ZEP)
    assert facts["Lives in York"].validity == Validity(day(2020, 1, 1), day(2024, 3, 1))
    assert facts["Lives in Zanzibar"].validity == Validity(day(2024, 3, 1), None)
    assert [(message.role, message.text) for message in chats[1].messages] == [
        ("user", "I moved to Zanzibar in May."), ("assistant", "How warm!"),
    ]  # fmt: skip
    assert {message.at for message in chats[1].messages} == {datetime(2024, 5, 4, 12, tzinfo=UTC)}


def test_other_shapes_of_zeps_lists_are_read(tmp_path: Path) -> None:
    assert set(told(tmp_path, ZEP["edges"])) == {"Lives in York", "Lives in Zanzibar"}
    assert set(told(tmp_path, {"facts": [{"uuid": "f", "content": "Lives in Hull", "created_at": "2024-01-01"}]})) == {
        "Lives in Hull"
    }
    messages = {"messages": [{"uuid": "u", "role": "user", "name": "Alice", "content": "Hello"}], "row_count": 1}
    assert said(read(tmp_path, messages)) == [("user", "Hello")]
    episodes = [
        {"uuid": key, "content": key, "role_type": "user", "session_id": session, "created_at": "2024-01-01"}
        for key, session in (("a", "s1"), ("b", "s2"), ("c", "s1"))
    ]
    chats = [placed.chat for placed in read(tmp_path, {"episodes": episodes})]
    assert [(chat.ref, [message.text for message in chat.messages]) for chat in chats] == [
        ("s1", ["a", "c"]), ("s2", ["b"]),
    ]  # fmt: skip


def test_an_agent_file_of_letta_holds_what_it_noted_and_what_was_said(tmp_path: Path) -> None:
    chats = [placed.chat for placed in read(tmp_path, LETTA)]
    assert [(chat.source, chat.title, chat.holds_statements) for chat in chats] == [
        ("letta", "Letta", True), ("letta", "Companion", False),
    ]  # fmt: skip
    assert set(told(tmp_path, LETTA)) == {"Name is Alice", "Watches Saturn at night"}
    assert [(message.role, message.text) for message in chats[1].messages] == [
        ("user", "I bought a telescope."), ("assistant", "Which one?"),
    ]  # fmt: skip


def test_an_older_agent_file_and_archival_passages_are_read(tmp_path: Path) -> None:
    older = {"agent_type": "memgpt_agent", "name": "Old", "version": "0.6.47", "core_memory": LETTA["blocks"],
             "messages": [{"role": "user", "content": "I like tea.", "created_at": "2025-01-01"},
                          {"role": "assistant", "content": "Noted."}]}  # fmt: skip
    assert set(told(tmp_path, older)) == {"Name is Alice", "Watches Saturn at night"}
    assert said(read(tmp_path, older))[-2:] == [("user", "I like tea."), ("assistant", "Noted.")]
    assert set(told(tmp_path, PASSAGES)) == {"Collects star charts"}
    assert told(tmp_path, PASSAGES)["Collects star charts"].at == datetime(2025, 11, 5, 23, 4, 24, 901_468, UTC)


def test_facts_of_hindsight_are_statements_but_for_its_opinions(tmp_path: Path) -> None:
    facts = told(tmp_path, HINDSIGHT)
    assert set(facts) == {"Alice works at a bakery", "Alice works at a bank"}
    assert facts["Alice works at a bakery"].validity == Validity(day(2025, 3, 15), None)
    assert facts["Alice works at a bank"].validity == Validity(datetime(2024, 1, 2, 9, tzinfo=UTC), day(2025, 3, 15))
    recalled = {"results": [{"id": "r", "text": "Alice paints", "type": "experience", "mentioned_at": "2025-01-01"}]}
    assert set(told(tmp_path, recalled)) == {"Alice paints"}


def test_an_archive_with_one_document_is_read(tmp_path: Path) -> None:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        archive.writestr("memories.json", json.dumps(PASSAGES))
    assert set(told(tmp_path, kept.getvalue())) == {"Collects star charts"}


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ({"results": [MEM0["results"][0], {"memory": " ", "id": "x"}]}, "entry 2: its text is missing"),
        ({"results": [MEM0["results"][0], 3]}, "entry 2: an entry is not an object"),
        ({"results": [{"memory": "x", "id": {"a": 1}}]}, "entry 1: its id is missing"),
        ([MEM0["results"][0], {"memory": "x", "id": "\n"}], "entry 2: its id is missing"),
        ({"edges": [{"fact": "x"}]}, "entry 1: its id is missing"), ({"edges": {}}, "this is no export"),
        ({"sessions": [{"session_id": "s", "messages": [{"role_type": "user"}]}]}, "entry 1: its text is missing"),
        ({"agents": [3]}, "entry 1: an entry is not an object"), ({"agents": 3}, "this is no export"),
        ({"agents": [{"name": "A", "messages": {"a": 1}}]}, "a list of entries is expected"),
        ({"items": [HINDSIGHT["items"][0], {"fact_type": "world", "id": "x"}]}, "entry 2: its text is missing"),
    ],
)  # fmt: skip
def test_what_is_not_as_its_program_writes_it_is_refused_with_the_place(
    tmp_path: Path, content: Any, where: str
) -> None:
    assert where in refused(tmp_path, content)


def test_a_program_that_was_named_is_the_only_one_tried(tmp_path: Path) -> None:
    assert len(list(chats_in(file_of(tmp_path, MEM0), "mem0"))) == 1
    with pytest.raises(BrokenFile, match="not as the chosen program"):
        list(chats_in(file_of(tmp_path, MEM0), "zep"))


@pytest.mark.parametrize("value", [[], {}, [["x"]], 3, True, None, "x" * 70, "\x00"])
@pytest.mark.parametrize("export", [MEM0, ZEP, LETTA, HINDSIGHT, {"items": PASSAGES}])
def test_a_field_of_another_type_never_breaks_the_reading(tmp_path: Path, export: dict[str, Any], value: Any) -> None:
    changed = [
        {**export, name: [entries[0] | {field: value}]}
        for name, entries in export.items() if isinstance(entries, list) and entries for field in entries[0]
    ]  # fmt: skip
    assert all(is_read_or_placed(tmp_path, content) for content in changed)


def is_read_or_placed(folder: Path, content: Any) -> bool:
    try:
        read(folder, content)
    except BrokenFile as error:
        return "entry" in error.message
    return True
