"""Exceptions of model calls, and whose fault each is. Messages and details never hold text of prompt or reply."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from foundation.exceptions import FinClawError

if TYPE_CHECKING:
    from foundation.llm.types import TokenUsage

SMALL_MODEL_UNAVAILABLE: Final = "small_model_unavailable"
"""The reason a receipt gives where a step went on without the small model."""
# Statuses that concern one request only: its content, its length, or a field that the server does not know.
_STATUSES_OF_REQUESTS: Final = frozenset(
    {HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY}
)

_CAUSED_BY_SOME_TEXTS: Final = frozenset({"timeout", "server_error", "unusable_answer"})


class ProviderFailure(FinClawError):
    """A model gave nothing usable. ``details["reason"]`` says why, in one of the words of ``failures._MESSAGES``."""

    def __init__(self, message: str | None = None, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message, details)
        seconds = self.retry_after_seconds
        self.retry_after: int | None = None if seconds is None else ceil(seconds)
        """``retry_after_seconds`` for the HTTP header ``Retry-After``: whole seconds, rounded up."""

    @property
    def reason(self) -> str:
        """Why it failed, in one word; empty where unknown."""
        return str(self.details.get("reason", ""))

    @property
    def is_providers_fault(self) -> bool:
        """Whether any other request would have failed as well, so that the text that was sent is not to blame.

        So it is where the server is down or silent, limits us, or refuses our key or the model's name, and where a
        gateway before it answers with a page.
        """
        if self.reason == "request_refused":
            return self.details.get("status") not in _STATUSES_OF_REQUESTS
        return self.reason != "unusable_answer" or bool(self.details.get("no_json"))

    @property
    def is_outage(self) -> bool:
        """Whether to wait until the provider answers again.

        False where the offline model stood in, as beyond a monthly ceiling: no server was asked, so none comes back.
        """
        return self.is_providers_fault and self.reason != "offline"

    @property
    def may_be_its_doing(self) -> bool:
        """Whether the one request that failed may have caused it: some texts make a model time out or fail."""
        return self.reason in _CAUSED_BY_SOME_TEXTS

    @property
    def retry_after_seconds(self) -> float | None:
        """How long to wait before asking the provider again; None where unknown."""
        seconds = self.details.get("retry_after_seconds")
        return None if seconds is None else float(seconds)


class ModelUnavailable(ProviderFailure):
    """No usable answer of a language model."""

    code = "model_unavailable"
    default_message = "The language model did not answer. Nothing was saved; try again shortly."


class MalformedReply(ModelUnavailable):
    """The model answered, but not with the structure that was asked for. ``usage`` is what that cost, where known."""

    usage: TokenUsage | None = None
    default_message = "The language model's answer did not have the required structure."

    @property
    def is_providers_fault(self) -> bool:
        """Never: the provider answered."""
        return False
