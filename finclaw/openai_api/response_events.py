"""Writes the numbered events of a streamed response."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

from finclaw.api.streaming import Body, event_frame
from finclaw.openai_api.response_shapes import Shape, final_fields, message_id, message_item, text_part


class ResponseEvents:
    """The events of one response, whose reply has the id ``key``."""

    def __init__(self, key: UUID, response: Shape) -> None:
        self._key, self._response, self._sent = key, response, 0

    def turn_events(self, pieces: Iterable[str | Body]) -> Iterator[str]:
        """All events of a turn that ends well; the last of its ``pieces`` is its body."""
        yield self._about_response("response.created")
        yield self._about_response("response.in_progress")
        said = ""
        for piece in pieces:
            if not isinstance(piece, str):
                yield from self._end(final_fields(piece), said)
            elif piece:
                yield from () if said else self._begin_text()
                said += piece
                yield self._about_text("output_text.delta", delta=piece, logprobs=[])

    def failure_events(self, error: Mapping[str, Any]) -> Iterator[str]:
        """The events that say how the stream failed."""
        told = {name: error[name] for name in ("code", "message")}
        yield self._frame("error", **told, param=error["param"])
        yield self._about_response("response.failed", status="failed", error=told)

    def _begin_text(self) -> Iterator[str]:
        item = message_item(self._key, "assistant", "", status="in_progress")
        yield self._frame("response.output_item.added", output_index=0, item=item)
        yield self._about_text("content_part.added", part=text_part("assistant", ""))

    def _end(self, end: Shape, said: str) -> Iterator[str]:
        for index, item in enumerate(end["output"]):
            if item["type"] == "function_call":
                yield from self._call(index, item)
                continue
            text = item["content"][0]["text"]
            if not said:  # an answer that repeats one comes whole
                yield from self._begin_text()
            yield self._about_text("output_text.done", text=text, logprobs=[])
            yield self._about_text("content_part.done", part=item["content"][0])
            yield self._frame("response.output_item.done", output_index=index, item=item)
        yield self._about_response(f"response.{end['status']}", **end)

    def _call(self, index: int, item: Shape) -> Iterator[str]:
        """A tool call, whose arguments come in one piece."""
        place = {"output_index": index, "item_id": item["id"]}
        begun = item | {"arguments": "", "status": "in_progress"}
        told, name = item["arguments"], item["name"]
        yield self._frame("response.output_item.added", output_index=index, item=begun)
        yield self._frame("response.function_call_arguments.delta", **place, delta=told)
        yield self._frame("response.function_call_arguments.done", **place, arguments=told, name=name)
        yield self._frame("response.output_item.done", output_index=index, item=item)

    def _about_text(self, name: str, **fields: Any) -> str:
        place = {"output_index": 0, "content_index": 0, "item_id": message_id(self._key)}
        return self._frame(f"response.{name}", **place, **fields)

    def _about_response(self, name: str, **more: Any) -> str:
        return self._frame(name, response=self._response | more)

    def _frame(self, kind: str, /, **fields: Any) -> str:
        number, self._sent = self._sent, self._sent + 1
        return event_frame({"type": kind, "sequence_number": number, **fields}, kind)
