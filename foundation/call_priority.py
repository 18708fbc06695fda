"""Says whether a person waits for a model call (in a turn: one message and its answer) or it is background work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Literal

CallPriority = Literal["turn", "background"]
_current: Final[ContextVar[CallPriority]] = ContextVar("model_call_priority", default="turn")


def current_priority() -> CallPriority:
    """The priority of model calls made in this context: ``turn``, except within ``background_calls``."""
    return _current.get()


@contextmanager
def background_calls() -> Iterator[None]:
    """Treat the model calls of the block as background work, which never uses the calls reserved for turns."""
    token = _current.set("background")
    try:
        yield
    finally:
        _current.reset(token)
