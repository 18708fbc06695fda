"""FinClaw's memory from Python: ``FinClaw`` and ``AsyncFinClaw``, two clients of one HTTP API."""

from finclaw_client.aio.client import AsyncFinClaw
from finclaw_client.errors import (
    ApiError,
    AuthenticationError,
    ClientError,
    ConfigurationError,
    ConsentError,
    NotFoundError,
    RateLimitError,
    UnreachableError,
)
from finclaw_client.retries import Retries
from finclaw_client.sync.client import FinClaw
from finclaw_client.turn_events import AnswerInterrupted, AnswerPiece, AnswerStored, MessageLearned, TurnEvent

__all__ = [
    "AnswerInterrupted", "AnswerPiece", "AnswerStored", "ApiError", "AsyncFinClaw", "AuthenticationError",
    "ClientError", "ConfigurationError", "ConsentError", "FinClaw", "MessageLearned", "NotFoundError",
    "RateLimitError", "Retries", "TurnEvent", "UnreachableError",
]  # fmt: skip
