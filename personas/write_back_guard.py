"""Decide whether a style wish may be kept as a lasting preference. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from personas.types import PreferenceSignal, WriteBackReason

ENOUGH: Final = 3
"""Consistent signs in a row that make a preference without being stated."""


@dataclass(frozen=True)
class CountedSign:
    """An earlier sign of a preference: its message and value."""

    message_id: UUID
    value: str


@dataclass(frozen=True)
class WriteBackDecision:
    """``reason`` explicit and repeated are kept, ``waiting`` asks its user first, the rest stays where it was said.
    ``grounds`` are the messages it rests on.
    """

    reason: WriteBackReason
    grounds: tuple[UUID, ...] = ()

    @property
    def persists(self) -> bool:
        return self.reason in ("explicit", "repeated")


def decide_write_back(
    signal: PreferenceSignal, message_id: UUID, earlier: Sequence[CountedSign], told: str | None, *, write_back: bool
) -> WriteBackDecision:
    """Decide what to do about one style signal.

    ``earlier`` are the person's signs of the same key, oldest first; another value among them begins the count anew,
    and a message counts once. ``told`` is the value that the person themselves stated or confirmed, None for none:
    repeating something else does not overrule it, they are asked. So they are after a correction.
    """
    if not write_back:
        return WriteBackDecision("off")
    if signal.explicit:
        return WriteBackDecision("explicit", (message_id,))
    run = _consistent_run(signal.value, message_id, earlier)
    if len(run) >= ENOUGH:
        return WriteBackDecision("waiting" if told not in (None, signal.value) else "repeated", run)
    return WriteBackDecision("waiting" if signal.correction else "session_only", run)


def _consistent_run(value: str, message_id: UUID, earlier: Sequence[CountedSign]) -> tuple[UUID, ...]:
    """The messages that said the same without a break, oldest first, this one last."""
    run = [message_id]
    for sign in reversed(earlier):
        if sign.value != value:
            break
        if sign.message_id not in run:
            run.append(sign.message_id)
    return tuple(reversed(run))
