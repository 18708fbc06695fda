"""How a model call fails, and whose fault it was. Neither message nor details ever hold text of prompt or reply."""

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
# Statuses that speak of one request: of what it holds, how long it is, or of a field that the server does not know.
_STATUSES_OF_REQUESTS: Final = frozenset(
    {HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY}
)


class ProviderFailure(FinClawError):
    """A model gave nothing usable. ``details["reason"]`` says why, in a word of ``foundation.llm.failures``."""

    def __init__(self, message: str | None = None, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message, details)
        seconds = self.retry_after_seconds
        self.retry_after: int | None = None if seconds is None else ceil(seconds)
        """``retry_after_seconds`` as the HTTP header has it: whole seconds, rounded up."""

    @property
    def reason(self) -> str:
        """Why, in one word; empty where nobody said."""
        return str(self.details.get("reason", ""))

    @property
    def is_providers_fault(self) -> bool:
        """Whether every other request would have failed as well: the server is down or silent, limits us, refuses our
        key or the model's name, or something before it answers with a page. Such a failure says nothing against the
        text that was sent.
        """
        if self.reason == "request_refused":
            return self.details.get("status") not in _STATUSES_OF_REQUESTS
        return self.reason != "unusable_answer" or bool(self.details.get("no_json"))

    @property
    def is_outage(self) -> bool:
        """Whether work may wait until the provider answers again. Not where the offline model stood in, as beyond a
        monthly ceiling: that says nothing against the text either, but nobody was asked, and no server comes back.
        """
        return self.is_providers_fault and self.reason != "offline"

    @property
    def retry_after_seconds(self) -> float | None:
        """How long the provider need not be asked again; None where nobody said."""
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
