"""Invented exports in the shapes of memory programs."""

from __future__ import annotations

from typing import Any

MEM0: dict[str, Any] = {
    "results": [
        {
            "id": "0a14d8f0-e364-4f5c-b305-10da1f0d0878",
            "memory": "Keeps bees in Leeds",
            "hash": "ab1f",
            "metadata": {"food": True},
            "created_at": "2024-07-25T23:57:00.108347-07:00",
            "updated_at": None,
            "user_id": "alex",
        },
        {"id": "m2", "memory": "I recommended a smoker", "role": "assistant", "created_at": "2024-07-26T09:00:00Z"},
        {"id": "m3", "memory": "Trains for the Leeds marathon", "created_at": "2024-08-01T10:00:00Z",
         "expiration_date": "2024-10-01"},
    ],
    "count": 3,
}  # fmt: skip
ZEP: dict[str, Any] = {
    "edges": [
        {"uuid": "e1", "name": "LIVES_IN", "fact": "Lives in York", "created_at": "2024-03-02T08:00:00Z",
         "valid_at": "2020-01-01T00:00:00Z", "invalid_at": "2024-03-01T00:00:00Z",
         "source_node_uuid": "n1", "target_node_uuid": "n2"},
        {"uuid": "e2", "name": "LIVES_IN", "fact": "Lives in Zanzibar", "created_at": "2024-03-02T08:00:00Z",
         "valid_at": "2024-03-01T00:00:00Z", "source_node_uuid": "n1", "target_node_uuid": "n3"},
    ],
    "sessions": [
        {"session_id": "s1", "messages": [
            {"uuid": "u1", "role_type": "user", "role": "Alice", "content": "I moved to Zanzibar in May.",
             "created_at": "2024-05-04T12:00:00Z"},
            {"uuid": "u2", "role_type": "tool", "content": "weather: 30"},
            {"uuid": "u3", "role_type": "assistant", "role": "ai", "content": "How warm!"},
        ]}
    ],
}  # fmt: skip
LETTA: dict[str, Any] = {
    "agents": [
        {"id": "agent-0", "name": "Companion", "block_ids": ["block-0", "block-1"], "messages": [
            {"id": "message-0", "role": "system", "content": [{"type": "text", "text": "You are Companion."}]},
            {"id": "message-1", "role": "user", "created_at": "2025-02-03T10:00:00+00:00", "content": [
                {"type": "text", "text": '{"type": "user_message", "message": "I bought a telescope."}'}]},
            {"id": "message-2", "role": "user", "content": [
                {"type": "text", "text": '{"type": "heartbeat", "reason": "Automated"}'}]},
            {"id": "message-3", "role": "assistant", "created_at": "2025-02-03T10:00:05+00:00",
             "content": [{"type": "text", "text": "The user likes stars."}],
             "tool_calls": [{"id": "c", "type": "function", "function": {
                 "name": "send_message", "arguments": '{"message": "Which one?"}'}}]},
        ]}
    ],
    "blocks": [
        {"id": "block-0", "label": "persona", "value": "I am Companion, warm and curious."},
        {"id": "block-1", "label": "human", "value": "- Name is Alice\n- Watches Saturn at night\n",
         "created_at": "2025-01-01T00:00:00Z"},
    ],
    "tools": [],
}  # fmt: skip
PASSAGES: list[dict[str, Any]] = [
    {"id": "passage-1", "text": "Collects star charts", "created_at": "2025-11-05 23:04:24.901468+00:00",
     "archive_id": "archive-1", "is_deleted": False, "tags": ["sky"]},
    {"id": "passage-2", "text": "Sold the old scope", "created_at": "2025-11-06 10:00:00+00:00", "is_deleted": True},
]  # fmt: skip
HINDSIGHT: dict[str, Any] = {
    "items": [
        {"id": "f1", "text": "Alice works at a bakery", "context": "career", "fact_type": "world", "date": "",
         "mentioned_at": "2025-04-02T09:00:00+00:00", "occurred_start": "2025-03-15T00:00:00+00:00",
         "state": "valid", "invalidated_at": None},
        {"id": "f2", "text": "Alice works at a bank", "fact_type": "world", "mentioned_at": "2024-01-02T09:00:00+00:00",
         "state": "invalidated", "invalidated_at": "2025-03-15T00:00:00+00:00"},
        {"id": "f3", "text": "Bakeries are the best place to work", "fact_type": "opinion"},
    ],
    "total": 3, "limit": 100, "offset": 0,
}  # fmt: skip
