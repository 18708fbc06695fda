"""Decides whether a style wish may be stored as a lasting preference. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from personas.types import PreferenceSignal, WriteBackGround, WriteBackReason

SIGNS_NEEDED: Final = 3
"""How many consistent signs in a row make a preference that was never stated."""


@dataclass(frozen=True)
class CountedSign:
    """An earlier sign of a preference: its message and value."""

    message_id: UUID
    value: str


@dataclass(frozen=True)
class WriteBackDecision:
    """The decision about a style wish.

    With ``reason`` explicit or repeated the wish is stored as a preference; ``waiting`` asks the user first; any other
    reason leaves it in its conversation. ``why`` is the rule that decided. ``grounds`` are the messages behind it, none
    for a wish that is no sign of a habit.
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

    ``earlier`` are the user's signs of the same key, oldest first; another value among them restarts the count, and
    each message counts once. ``told`` is the value that the user stated or confirmed, None for none: repeating another
    value does not overrule it, but the user is asked. They are asked after a correction, too. A wish for a number of
    messages does not count.
    """
    if not write_back:
        return WriteBackDecision("off", "write_back_off")
    if signal.turns:
        return WriteBackDecision("session_only", "said_for_a_while")
    if signal.explicit:
        return WriteBackDecision("explicit", "stated_to_last", (message_id,))
    run = _consistent_run(signal.value, message_id, earlier)
    if len(run) < SIGNS_NEEDED:
        return WriteBackDecision(*_first_signs(signal), run)
    if told not in (None, signal.value):
        return WriteBackDecision("waiting", "contradicts_what_was_told", run)
    return WriteBackDecision("repeated", "said_in_a_row", run)


def _first_signs(signal: PreferenceSignal) -> tuple[WriteBackReason, WriteBackGround]:
    return ("waiting", "corrects_the_assistant") if signal.correction else ("session_only", "too_few_signs")


def _consistent_run(value: str, message_id: UUID, earlier: Sequence[CountedSign]) -> tuple[UUID, ...]:
    """The messages that gave this value without another in between, oldest first; this message is the last."""
    run = [message_id]
    for sign in reversed(earlier):
        if sign.value != value:
            break
        if sign.message_id not in run:
            run.append(sign.message_id)
    return tuple(reversed(run))
