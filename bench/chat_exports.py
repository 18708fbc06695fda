"""Write an export file of ChatGPT's or Claude's shape, of as many conversations and messages as wanted.

    python -m bench.chat_exports FILE --conversations 2000 --messages 40000 --format chatgpt

What is said is made of a few hundred English and Chinese sentences; the same numbers give the same file.
"""

from __future__ import annotations

import argparse
import json
import random
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

_BEGUN: Final = datetime(2023, 1, 2, 8, 0, tzinfo=UTC)
_PLACES: Final = ("York", "Leeds", "Lisbon", "Osaka", "Zürich", "上海", "杭州", "成都")
_THINGS: Final = ("bonds", "a kettle", "sourdough", "Rust", "jazz", "ETFs", "木工", "量子计算", "装修", "跑步")
_SAID: Final = (
    "I moved to {place} because of work, number {number}.",
    "My sister has started a shop for {thing} in {place}.",
    "Can you explain {thing} to me in three sentences? Case {number}.",
    "我打算明年搬到{place}，顺便学学{thing}，第{number}次想了。",
    "帮我写一封关于{thing}的邮件，编号{number}。",
    "I prefer {thing} over anything else these days, entry {number}.",
)
_ANSWERED: Final = (
    "Here is what to know about {thing}: it depends on where you are, for instance in {place}. " * 4,
    "关于{thing}，可以从三个方面来看，在{place}尤其如此。" * 6,
)


def chats(conversations: int, messages: int, seed: int = 20) -> Iterator[dict[str, Any]]:
    """Conversations by their plain content: ``id``, ``title``, and ``messages`` as (id, role, text, time)."""
    chance = random.Random(seed)
    for number in range(conversations):
        count = messages // conversations + (number < messages % conversations)
        at = _BEGUN + timedelta(hours=11 * number)
        said = []
        for place in range(count):
            at += timedelta(minutes=chance.randint(1, 9))
            words = _ANSWERED if place % 2 else _SAID
            text = chance.choice(words).format(
                place=chance.choice(_PLACES), thing=chance.choice(_THINGS), number=number * 1000 + place
            )
            said.append((_uuid(chance), "assistant" if place % 2 else "user", text, at))
        yield {"id": _uuid(chance), "title": f"Chat {number}", "at": said[0][3] if said else at, "messages": said}


def chatgpt(chat: dict[str, Any]) -> dict[str, Any]:
    """A conversation as ChatGPT's export writes it."""
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    parent = "root"
    for key, role, text, at in chat["messages"]:
        message = {
            "id": key, "author": {"role": role, "name": None, "metadata": {}}, "create_time": at.timestamp(),
            "content": {"content_type": "text", "parts": [text]}, "status": "finished_successfully", "weight": 1.0,
            "metadata": {}, "recipient": "all",
        }  # fmt: skip
        mapping[parent]["children"].append(key)
        mapping[key] = {"id": key, "message": message, "parent": parent, "children": []}
        parent = key
    begun = chat["at"].timestamp()
    return {
        "title": chat["title"], "create_time": begun, "update_time": begun, "mapping": mapping,
        "current_node": parent, "conversation_id": chat["id"], "id": chat["id"],
    }  # fmt: skip


def claude(chat: dict[str, Any]) -> dict[str, Any]:
    """A conversation as Claude's export writes it."""
    said = [
        {
            "uuid": key, "text": text, "content": [{"type": "text", "text": text}], "created_at": at.isoformat(),
            "sender": "human" if role == "user" else "assistant", "attachments": [], "files": [],
        }
        for key, role, text, at in chat["messages"]
    ]  # fmt: skip
    return {"uuid": chat["id"], "name": chat["title"], "created_at": chat["at"].isoformat(), "chat_messages": said}


def write(path: Path, conversations: int, messages: int, format: str, seed: int = 20) -> None:
    """Write the file; an archive where its name ends in ``.zip``."""
    shape = chatgpt if format == "chatgpt" else claude
    rows = (json.dumps(shape(chat), ensure_ascii=False) for chat in chats(conversations, messages, seed))
    text = "[" + ",\n".join(rows) + "]"
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("conversations.json", text)
    else:
        path.write_text(text)


def _uuid(chance: random.Random) -> str:
    return str(UUID(int=chance.getrandbits(128), version=4))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--conversations", type=int, default=2_000)
    parser.add_argument("--messages", type=int, default=40_000)
    parser.add_argument("--format", choices=["chatgpt", "claude"], default="chatgpt")
    given = parser.parse_args()
    write(given.path, given.conversations, given.messages, given.format)
    print(f"{given.path}: {given.path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
