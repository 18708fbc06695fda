"""Export files of ChatGPT and Claude: what is read of them, and what is refused, with the place."""

from __future__ import annotations

import io
import json
import random
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bench.chat_exports import write
from memory.importing.chats import export_archives, json_items
from memory.importing.chats.exceptions import BrokenFile, FileTooLarge
from memory.importing.chats.export_archives import LocatedChat, chats_in
from memory.importing.chats.json_items import items_of

AT = 1_700_000_000.5


def node(key: str, parent: str | None, role: str = "user", *parts: Any, **more: Any) -> dict[str, Any]:
    content = {"content_type": more.pop("content_type", "text"), "parts": list(parts)}
    message = {"id": key, "author": {"role": role}, "create_time": AT, "content": content} | more
    return {"id": key, "parent": parent, "children": [], "message": message if parts else None}


def chatgpt(*nodes: dict[str, Any], **more: Any) -> dict[str, Any]:
    mapping = {one["id"]: one for one in nodes}
    return {"title": "T", "conversation_id": "c1", "mapping": mapping, "current_node": nodes[-1]["id"]} | more


def claude(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"uuid": "u1", "name": "N", "created_at": "2024-05-01T10:00:00Z", "chat_messages": list(messages)}


def file_of(folder: Path, content: Any) -> Path:
    path = folder / "export"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def read(folder: Path, content: Any) -> list[LocatedChat]:
    return list(chats_in(file_of(folder, content)))


def refused(folder: Path, content: Any) -> str:
    with pytest.raises((BrokenFile, FileTooLarge)) as raised:
        read(folder, content)
    return raised.value.message


def said(chats: list[LocatedChat]) -> list[tuple[str, str]]:
    return [(message.role, message.text) for placed in chats for message in placed.chat.messages]


def test_of_chatgpts_tree_the_branch_last_shown_is_read(tmp_path: Path) -> None:
    nodes = [
        node("root", None), node("a", "root", "user", "I live in Leeds."), node("b", "a", "assistant", "Nice."),
        node("c", "root", "user", "I live in York."), node("d", "c", "assistant", "Lovely."),
    ]  # fmt: skip
    [placed] = read(tmp_path, [chatgpt(*nodes)])
    assert said([placed]) == [("user", "I live in York."), ("assistant", "Lovely.")]
    assert (placed.chat.source, placed.chat.ref, placed.chat.title) == ("chatgpt", "c1", "T")
    assert placed.chat.messages[0].at == datetime.fromtimestamp(AT, UTC)
    assert said(read(tmp_path, [chatgpt(*nodes, current_node="gone")])) == said([placed])


def test_what_nobody_said_is_left_out(tmp_path: Path) -> None:
    nodes = [
        node("s", None, "system", "Be good."), node("h", "s", "user", "About me", metadata={
            "is_visually_hidden_from_conversation": True}),
        node("u", "h", "user", {"asset_pointer": "file"}, "看这张图", content_type="multimodal_text"),
        node("t", "u", "assistant", "search()", recipient="browser"), node("r", "t", "tool", "found"),
        node("c", "r", "assistant", "code", content_type="code"), node("a", "c", "assistant", "A cat."),
    ]  # fmt: skip
    assert said(read(tmp_path, [chatgpt(*nodes)])) == [("user", "看这张图"), ("assistant", "A cat.")]


def test_claudes_list_is_read_with_its_dates(tmp_path: Path) -> None:
    messages = [
        {"uuid": "1", "sender": "human", "text": "", "content": [{"type": "text", "text": "Hello"}],
         "created_at": "2024-05-01T10:00:05.5Z"},
        {"uuid": "2", "sender": "assistant", "text": "Hi.", "content": [{"type": "tool_use", "name": "x"}]},
    ]  # fmt: skip
    [placed] = read(tmp_path, [claude(*messages)])
    assert said([placed]) == [("user", "Hello"), ("assistant", "Hi.")]
    assert placed.chat.source == "claude"
    assert {message.at for message in placed.chat.messages} == {datetime(2024, 5, 1, 10, 0, 5, 500_000, UTC)}


def test_an_archive_is_read_through_all_its_parts(tmp_path: Path) -> None:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("export/conversations-001.json", json.dumps([claude()]))
        archive.writestr("export/conversations-000.json", json.dumps([chatgpt(node("a", None, "user", "Hi"))]))
        archive.writestr("export/user.json", "not even JSON")
    assert [placed.chat.source for placed in read(tmp_path, kept.getvalue())] == ["chatgpt", "claude"]


@pytest.mark.parametrize("format", ["chatgpt", "claude"])
def test_a_file_of_the_generator_holds_what_it_says(tmp_path: Path, format: str) -> None:
    path = tmp_path / "export.zip"
    write(path, 7, 100, format)
    chats = [placed.chat for placed in chats_in(path)]
    assert (len(chats), sum(len(chat.messages) for chat in chats)) == (7, 100)


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"", "Line 1, character 1: a list"), (b"3", "Line 1, character 1: a list"),
        (b'[\n{"a": {}},\n  nope]', "Line 3, character 3"),
        (b'[{"a": "b}', "Line 1, character 8: this is no valid JSON"),
        (b"[1, 2", "Line 1, character 6: a comma"), (b"[] []", "Line 1, character 4: nothing more"),
        (b"[1,]", "Line 1, character 4"), (b'["\xff"]', "not UTF-8"), (b"[NaN]", "Line 1, character 2"),
        (b"[" * 100_000, "nested too deeply"), (b"[" + b"1" * 5_000 + b"]", "cannot be read"),
    ],
)  # fmt: skip
def test_what_is_no_json_is_refused_with_its_line_and_character(content: bytes, where: str) -> None:
    with pytest.raises(BrokenFile) as raised:
        list(items_of(io.BytesIO(content)))
    assert where in raised.value.message


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ([3], "Line 1, entry 1"), ([chatgpt(node("a", None, "user", "x")), {"mapping": []}], "entry 2"),
        ({}, "Line 1, entry 1: this is no export"),
        ([{"mapping": {}, "id": 3}], "conversation_id"), ([{"mapping": {"a": {"message": 3}}, "id": "c"}], "message"),
        ([{"chat_messages": {}}], "chat_messages"), ([{"chat_messages": [3], "uuid": "u"}], "chat_messages"),
        (b"PK\x03\x04 no archive", "archive is damaged"), (b"\x00\x01", "Line 1, character 1"),
    ],
)  # fmt: skip
def test_what_is_no_export_is_refused_with_the_place(tmp_path: Path, content: Any, where: str) -> None:
    assert where in refused(tmp_path, content)


@pytest.mark.parametrize("value", [[], {}, [["x"]], 3, True])
def test_a_field_of_another_type_is_passed_over(tmp_path: Path, value: Any) -> None:
    nodes = [
        node("a", None, "user", "I live in Leeds.") | {"parent": value},
        node("b", "a", "user", "typed", content_type=value), node("c", "b", "user", "sent", author={"role": value}),
        node("d", "c", "assistant", "Nice."),
    ]  # fmt: skip
    assert said(read(tmp_path, [chatgpt(*nodes, current_node=value)])) == [
        ("user", "I live in Leeds."), ("assistant", "Nice."),
    ]  # fmt: skip
    assert said(read(tmp_path, [claude({"uuid": "1", "sender": value, "text": "Hi"})])) == []


def test_a_refusal_holds_none_of_the_words(tmp_path: Path) -> None:
    assert "zqneedlezq" not in refused(tmp_path, b'[{"mapping": "zqneedlezq", "id": "zqneedlezq"}]')
    assert "zqneedlezq" not in refused(tmp_path, b'[{"zqneedlezq": zqneedlezq}]')


def test_an_archive_made_to_burst_is_refused(tmp_path: Path) -> None:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b"[" + b" " * 50_000_000 + b"]")
    assert "unpacks to more" in refused(tmp_path, kept.getvalue())


def archive_entry(method: int) -> tuple[bytearray, int]:
    """An archive of a conversations.json of a million characters, and where its entry in the directory begins."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", method) as archive:
        archive.writestr("conversations.json", b"[" + b" " * 1_000_000 + b"]")
    packed = bytearray(kept.getvalue())
    return packed, packed.rindex(b"PK\x01\x02")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_unpacks_without_a_bound_is_refused_whatever_size_it_declares(tmp_path: Path, method: int) -> None:
    packed, entry = archive_entry(method)
    packed[entry + 24 : entry + 28] = (20).to_bytes(4, "little")
    assert "unusual way" in refused(tmp_path, bytes(packed))


def test_an_encrypted_archive_is_refused(tmp_path: Path) -> None:
    packed, entry = archive_entry(zipfile.ZIP_STORED)
    packed[entry + 8] |= 1
    assert "encrypted" in refused(tmp_path, bytes(packed))


def test_an_archive_without_conversations_and_a_damaged_one_are_refused(tmp_path: Path) -> None:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        archive.writestr("other.json", "[]")
        archive.writestr("another.json", "[]")
    assert "no conversations.json" in refused(tmp_path, kept.getvalue())
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps([chatgpt(node("a", None, "user", "x" * 5_000))]))
    damaged = bytearray(whole.getvalue())
    damaged[60:70] = b"0123456789"
    assert "damaged" in refused(tmp_path, bytes(damaged))


def test_a_list_of_files_without_end_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_archives, "MOST_DIRECTORY_BYTES", 10)
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        archive.writestr("conversations.json", "[]")
    assert "too many files" in refused(tmp_path, kept.getvalue())


def test_an_item_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_items, "MOST_ITEM_CHARS", 100_000)
    with pytest.raises(BrokenFile, match="longer than"):
        list(items_of(io.BytesIO(b'["' + b"x" * 1_000_000)))


def test_an_item_is_bounded_also_where_twice_as_much_is_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_items, "MOST_ITEM_CHARS", 1_100_000)
    assert len(list(items_of(io.BytesIO(b'["' + b"x" * 1_000_000 + b'"]')))) == 1
    with pytest.raises(BrokenFile, match="longer than"):
        list(items_of(io.BytesIO(b'["' + b"x" * 1_900_000 + b'"]')))


def test_an_item_of_too_many_values_is_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_items, "MOST_ITEM_SIGNS", 100_000)
    many = b'["first",\n[' + b"[]," * 100_000 + b"[]]]"
    with pytest.raises(BrokenFile, match="Line 2, character 1: it holds too many values"):
        list(items_of(io.BytesIO(many)))
    small = b"[" + b"[1,[2],{}],\n" * 50_000 + b"3]"
    assert len(list(items_of(io.BytesIO(small)))) == 50_001


class Dribbling(io.BytesIO):
    """Gives a few bytes at a time, as cut as they come."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(random.randint(1, 7))


def test_items_are_read_whole_however_the_stream_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_items, "_FIRST_READ", 5)
    values = [1, -2.5e3, 'a\\"b\u4e2d\U0001f600', {"k": [None, True, {"x": "y\n"}]}, [], "ends"]
    for ensure_ascii in (True, False):
        text = json.dumps(values, ensure_ascii=ensure_ascii, indent=1).encode()
        assert [item.value for item in items_of(Dribbling(text))] == values
    assert [item.line for item in items_of(io.BytesIO(b"[1,\n\n2]"))] == [1, 3]
