"""Decide whether a style wish may be kept as a lasting preference. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from personas.types import PreferenceSignal, WriteBackGround, WriteBackReason

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
    ``why`` is the rule that decided, ``grounds`` are the messages it rests on, none for a wish that is no
    sign of a habit.
    """

    reason: WriteBackReason
    why: WriteBackGround
    grounds: tuple[UUID, ...] = ()

    @property
    def persists(self) -> bool:
        return self.reason in ("explicit", "repeated")

    @property
    def counts(self) -> bool:
        """Whether the message is a sign of a habit."""
        return bool(self.grounds)


def decide_write_back(
    signal: PreferenceSignal, message_id: UUID, earlier: Sequence[CountedSign], told: str | None, *, write_back: bool
) -> WriteBackDecision:
    """Decide what to do about one style signal.

    ``earlier`` are the person's signs of the same key, oldest first; another value among them begins the count anew,
    and a message counts once. ``told`` is the value that the person themselves stated or confirmed, None for none:
    repeating something else does not overrule it, they are asked. So they are after a correction. What is said for
    some messages alone counts as nothing.
    """
    if not write_back:
        return WriteBackDecision("off", "write_back_off")
    if signal.turns:
        return WriteBackDecision("session_only", "said_for_a_while")
    if signal.explicit:
        return WriteBackDecision("explicit", "stated_to_last", (message_id,))
    run = _consistent_run(signal.value, message_id, earlier)
    if len(run) < ENOUGH:
        return WriteBackDecision(*_first_signs(signal), run)
    if told not in (None, signal.value):
        return WriteBackDecision("waiting", "contradicts_what_was_told", run)
    return WriteBackDecision("repeated", "said_in_a_row", run)


def _first_signs(signal: PreferenceSignal) -> tuple[WriteBackReason, WriteBackGround]:
    return ("waiting", "corrects_the_assistant") if signal.correction else ("session_only", "too_few_signs")


def _consistent_run(value: str, message_id: UUID, earlier: Sequence[CountedSign]) -> tuple[UUID, ...]:
    """The messages that said the same without a break, oldest first, this one last."""
    run = [message_id]
    for sign in reversed(earlier):
        if sign.value != value:
            break
        if sign.message_id not in run:
            run.append(sign.message_id)
    return tuple(reversed(run))
