"""Offers tools in the chat-completions protocol, and assembles the tool calls of a streamed answer.

Compatible servers differ most here: ids and indexes are left out, or given anew with every piece of a stream
(ollama/ollama#7881, openai/openai-python#2806), and arguments are sometimes an object instead of its JSON.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from foundation.llm.types import ToolCall, ToolOffer
from foundation.llm.wire_format import CallPiece


def tool_request_fields(offer: ToolOffer) -> dict[str, Any]:
    """The fields of a request that offer these tools; none without tools."""
    if not offer.tools:
        return {}
    tools = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in offer.tools
    ]
    return {"tools": tools, "tool_choice": "auto" if offer.may_call else "none"}


class ToolCallAssembler:
    """The calls of one answer, put together from its pieces."""

    def __init__(self, pieces: Iterable[CallPiece] = ()) -> None:
        self._calls: list[ToolCall] = []
        self._indexes: list[int | None] = []
        for piece in pieces:
            self.add(piece)

    def add(self, piece: CallPiece) -> None:
        """Begin a new call, or append to the one that the piece belongs to."""
        at = self._place_of(piece)
        if at is None:
            key = piece.id or f"call_{len(self._calls)}"
            self._calls.append(ToolCall(key, piece.name, piece.arguments))
            self._indexes.append(piece.index)
        else:
            begun = self._calls[at]
            self._calls[at] = ToolCall(begun.id, begun.name, begun.arguments + piece.arguments)

    def calls(self) -> tuple[ToolCall, ...]:
        """Every call, in the order in which they began."""
        return tuple(self._calls)

    def _place_of(self, piece: CallPiece) -> int | None:
        """The index of the call that the piece continues, None for a new call."""
        if piece.index is None:
            return None if piece.name or not self._calls else len(self._calls) - 1
        found = [at for at, index in enumerate(self._indexes) if index == piece.index]
        if not found or (piece.name and piece.id not in {None, self._calls[found[-1]].id}):
            return None
        return found[-1]
