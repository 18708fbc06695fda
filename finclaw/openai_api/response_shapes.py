"""Builds responses in OpenAI's shape: the object and its items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from finclaw.api.streaming import Body
from foundation.exceptions import NotFound
from foundation.ids import creation_time_of
from foundation.llm.types import ToolCall

Shape = dict[str, Any]
RESPONSE_PREFIX, CONVERSATION_PREFIX, MESSAGE_PREFIX = "resp_", "conv_", "msg_"
_ECHOED: Final = (
    "instructions", "metadata", "temperature", "top_p", "max_output_tokens", "previous_response_id", "reasoning",
    "user", "safety_identifier", "prompt_cache_key",
)  # fmt: skip


def read_id(prefix: str, given: str) -> UUID:
    """The UUID in an id, with or without its prefix. Raises ``NotFound`` for anything else."""
    try:
        return UUID(given.removeprefix(prefix))
    except ValueError:
        raise NotFound() from None


def response_shape(key: UUID, given: Mapping[str, Any], session_id: object, **more: Any) -> Shape:
    """A response with what its request asked for, and ``more``: its status, its output."""
    return {
        "id": f"{RESPONSE_PREFIX}{key.hex}",
        "object": "response",
        "created_at": creation_time_of(key),
        "status": "in_progress",
        "model": given["model"],
        "output": [],
        "error": None,
        "incomplete_details": None,
        "usage": None,
        "background": False,
        "truncation": "disabled",
        "conversation": {"id": f"{CONVERSATION_PREFIX}{UUID(str(session_id)).hex}"} if session_id else None,
        "tools": given.get("tools", []),
        "tool_choice": given.get("tool_choice", "auto"),
        "parallel_tool_calls": given.get("parallel_tool_calls", True),
        "text": {"format": {"type": "text"}} | given.get("text", {}),
        "store": given.get("store", True),
        **{name: given.get(name) for name in _ECHOED},
        **more,
    }


def final_fields(body: Body) -> Shape:
    """What a finished turn adds to its response."""
    is_cut = body["finish_reason"] == "length"
    return {
        "status": "incomplete" if is_cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if is_cut else None,
        "output": output_items(body["message_id"], body["reply"], body.get("tool_calls") or ()),
        "usage": _usage_shape(body["usage"]),
    }


def output_items(key: UUID, text: str, calls: Iterable[ToolCall]) -> list[Shape]:
    """What was said, where anything was, then each tool called."""
    asked = [_call_item(key, number, call) for number, call in enumerate(calls)]
    return [message_item(key, "assistant", text), *asked] if text or not asked else asked


def message_id(key: UUID) -> str:
    """The id of the item of a message."""
    return f"{MESSAGE_PREFIX}{key.hex}"


def message_item(key: UUID, role: str, text: str, status: str = "completed") -> Shape:
    """A message; one that is in progress has no content yet."""
    content = [] if status == "in_progress" else [text_part(role, text)]
    return {"id": message_id(key), "type": "message", "role": role, "status": status, "content": content}


def text_part(role: str, text: str) -> Shape:
    """A message's part of text."""
    if role != "assistant":
        return {"type": "input_text", "text": text}
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _call_item(key: UUID, number: int, call: ToolCall) -> Shape:
    return {
        "id": f"fc_{key.hex}{number:02}",
        "type": "function_call",
        "status": "completed",
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments,
    }


def _usage_shape(counts: Mapping[str, int] | None) -> Shape | None:
    if counts is None:
        return None
    read, written = counts["prompt_tokens"], counts["completion_tokens"]
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": counts.get("cached_tokens", 0), "cache_write_tokens": 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": read + written,
    }
