"""What of how somebody wants to be answered may be kept for good (seed C §6.2, P-4). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from personas.types import Reason, Signal

ENOUGH: Final = 3
"""Seed C §6.2: so many consistent signs in a row."""


@dataclass(frozen=True)
class Sign:
    """One value of one key, as a message of the person's showed it."""

    message_id: UUID
    value: str


@dataclass(frozen=True)
class Decision:
    """``reason`` explicit and repeated are kept, ``waiting`` asks its person first, the rest stays where it was said.
    ``grounds`` are the messages it rests on.
    """

    reason: Reason
    grounds: tuple[UUID, ...] = ()

    @property
    def persists(self) -> bool:
        return self.reason in ("explicit", "repeated")


def decide(
    signal: Signal, message_id: UUID, earlier: Sequence[Sign], told: str | None, *, write_back: bool
) -> Decision:
    """What to do about one signal.

    ``earlier`` are the person's signs of the same key, oldest first; another value among them begins the count anew,
    and a message counts once. ``told`` is the value that the person themselves stated or confirmed, None for none:
    repeating something else does not overrule it, they are asked. So they are after a correction.
    """
    if not write_back:
        return Decision("off")
    if signal.explicit:
        return Decision("explicit", (message_id,))
    run = _run(signal.value, message_id, earlier)
    if len(run) >= ENOUGH:
        return Decision("waiting" if told not in (None, signal.value) else "repeated", run)
    return Decision("waiting" if signal.correction else "session_only", run)


def _run(value: str, message_id: UUID, earlier: Sequence[Sign]) -> tuple[UUID, ...]:
    """The messages that said the same without a break, oldest first, this one last."""
    run = [message_id]
    for sign in reversed(earlier):
        if sign.value != value:
            break
        if sign.message_id not in run:
            run.append(sign.message_id)
    return tuple(reversed(run))
