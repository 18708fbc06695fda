"""How much of the time for one question is left to the stores that an answer can be made without.

They are asked one after the other, each with a limit of its own. Together they might take all the time that there is,
and then even the rules and tones, which cost nothing but PostgreSQL, would come too late.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic
from typing import Final

_KEPT: Final = 0.2
"""The share of the time that no such store gets: in it PostgreSQL reads what was found."""
_until: Final[ContextVar[float]] = ContextVar("knowledge_question_until", default=inf)


@contextmanager
def limited_question(milliseconds: int) -> Iterator[None]:
    """A block that begins a question which may take so long; a thread begun in it is limited with it."""
    token = _until.set(monotonic() + milliseconds / 1000 * (1 - _KEPT))
    try:
        yield
    finally:
        _until.reset(token)


def milliseconds_left(most: int) -> int:
    """How long a store may take now: ``most``, or what is left where that is less; 0 where it may not be asked."""
    return int(max(0, min(most, (_until.get() - monotonic()) * 1000)))
