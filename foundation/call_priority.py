"""Who waits for a model call: a person in a turn, or nobody, as for background work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Literal

CallPriority = Literal["turn", "background"]
_current: Final[ContextVar[CallPriority]] = ContextVar("model_call_priority", default="turn")


def current_priority() -> CallPriority:
    """What calls made here and now belong to: a turn, unless background work said otherwise."""
    return _current.get()


@contextmanager
def background_calls() -> Iterator[None]:
    """Count the model calls of the block as background work: they never take what is kept for turns."""
    token = _current.set("background")
    try:
        yield
    finally:
        _current.reset(token)
