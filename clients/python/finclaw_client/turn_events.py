"""Reads the events of a streamed turn: a message of the user's and the answer to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from finclaw_client.errors import api_error

if TYPE_CHECKING:
    from finclaw_client.models import LearnedOutput, TurnOutput


@dataclass(frozen=True)
class AnswerPiece:
    """The next words of the answer."""

    text: str


@dataclass(frozen=True)
class AnswerInterrupted:
    """A model failed: discard the pieces so far, for another model's answer follows."""

    code: str
    message: str


@dataclass(frozen=True)
class AnswerStored:
    """The whole answer as it is stored, with the memories that it used."""

    turn: TurnOutput


@dataclass(frozen=True)
class MessageLearned:
    """What FinClaw learned from the user's message, sent if it is known before the stream ends."""

    learned: LearnedOutput


TurnEvent: TypeAlias = AnswerPiece | AnswerInterrupted | AnswerStored | MessageLearned


def read_turn_event(name: str, data: Any, headers: Mapping[str, str]) -> TurnEvent | None:
    """The event of this name; ``None`` for one that a later FinClaw may send. Raises ``ApiError`` for ``error``."""
    if name == "error":
        raise api_error(200, data, headers)
    if name == "interrupted":
        return AnswerInterrupted(data["code"], data["message"])
    if name == "delta":
        return AnswerPiece(data["text"])
    if name == "done":
        return AnswerStored(data)
    return MessageLearned(data) if name == "learned" else None
