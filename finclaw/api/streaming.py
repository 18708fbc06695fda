"""A turn as server-sent events: ``delta`` pieces, then ``done``, and ``learned`` where that is known soon after.

``interrupted`` says that a model failed: the pieces before it are no answer, and those after it are another one, the
large model's or one from memory. It may come twice. After ``error`` nothing is stored.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain
from typing import Any

import structlog
from django.core.serializers.json import DjangoJSONEncoder
from django.http import StreamingHttpResponse
from rest_framework.request import Request

from finclaw.brain.answers.fallback_answers import Interruption
from finclaw.errors import to_response

log = structlog.get_logger(__name__)
Body = dict[str, Any]
Progress = dict[str, Any]
Piece = str | Interruption | Body
Pieces = Generator[Piece, None, None]
_COMMENT = ":\n\n"


def event_stream(request: Request, pieces: Pieces, learned: Iterable[Body | None] = ()) -> StreamingHttpResponse:
    """Stream ``pieces`` of the reply, the last of which is the stored turn's body, then what the message taught.

    The first piece is awaited here, so that a turn that fails at once still has its status, and not 200. None among
    ``learned`` is a look that came too early.
    """
    first = next(pieces)
    return stream_response(_turn_frames(request, first, pieces, learned))


def progress_stream(request: Request, shown: Iterator[Progress | None]) -> StreamingHttpResponse:
    """Stream a task as ``progress`` whenever it changes, and as ``done`` at its end.

    None is a look at which nothing was new: it is sent as a comment, which tells when the client has gone.
    """
    return stream_response(_progress_frames(request, shown))


def _progress_frames(request: Request, shown: Iterator[Progress | None]) -> Iterator[str]:
    try:
        for now in shown:
            yield _COMMENT if now is None else event_frame(now, "done" if now["ended_at"] else "progress")
    except Exception as error:  # noqa: BLE001  as above
        yield event_frame(to_response(error, request).data, "error")


def _turn_frames(request: Request, first: Piece, rest: Pieces, learned: Iterable[Body | None]) -> Iterator[str]:
    yield from _reply_frames(request, first, rest)
    yield from _learned_frames(learned)


def _reply_frames(request: Request, first: Piece, rest: Pieces) -> Iterator[str]:
    with closing(rest):
        try:
            for piece in chain([first], rest):
                yield _piece_frame(piece, request)
        except Exception as error:  # noqa: BLE001  the status line is gone: the stream itself must say it
            yield event_frame(to_response(error, request).data, "error")


def _learned_frames(shown: Iterable[Body | None]) -> Iterator[str]:
    """The ``learned`` event. The turn is stored by now: a failure here is left to a later request."""
    try:
        for body in shown:
            yield _COMMENT if body is None else event_frame(body, "learned")
    except Exception as error:  # noqa: BLE001  an error event would say that the turn failed
        log.error("learned_event_failed", error=type(error).__name__)


def stream_response(frames: Iterator[str]) -> StreamingHttpResponse:
    """These frames as an event stream, which no proxy is to buffer."""
    response = StreamingHttpResponse(frames, content_type="text/event-stream")
    response["X-Accel-Buffering"] = "no"  # tells proxies not to buffer the stream
    return response


def _piece_frame(piece: Piece, request: Request) -> str:
    if isinstance(piece, Interruption):
        return event_frame(to_response(piece.error, request).data, "interrupted")
    return event_frame({"text": piece}, "delta") if isinstance(piece, str) else event_frame(piece, "done")


def event_frame(data: Any, name: str = "") -> str:
    """One event of a stream, of a name where it has one."""
    named = f"event: {name}\n" if name else ""
    return f"{named}data: {json.dumps(data, ensure_ascii=False, cls=DjangoJSONEncoder)}\n\n"
