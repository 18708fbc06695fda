"""Defines the errors: FinClaw cannot be reached, or refuses with a code that programs can act on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

import httpx2

if TYPE_CHECKING:
    from finclaw_client.models import CodeEnum


class ClientError(Exception):
    """Everything that this package raises."""


class ConfigurationError(ClientError):
    """The address or the token is missing or cannot be used; the text says what to write instead."""


class UnreachableError(ClientError):
    """No answer came, or it broke off; a write may or may not have been carried out."""

    @classmethod
    def at(cls, url: httpx2.URL, error: httpx2.TransportError) -> UnreachableError:
        """No answer from this address."""
        server = url.copy_with(path="/", query=None)
        return cls(f"FinClaw cannot be reached at {server}: {str(error) or type(error).__name__}")


class ApiError(ClientError):
    """FinClaw refused. ``code`` says why (docs/api.md lists them), the text what to do, ``details`` which fields."""

    def __init__(self, status: int, answer: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        self.status = status
        self.code = cast("CodeEnum", answer.get("code") or "internal_error")
        self.message = str(answer.get("message") or f"FinClaw answered with status {status}; is its address right?")
        self.details: dict[str, Any] = dict(answer.get("details") or {})
        self.request_id = headers.get("x-request-id", "")
        self.retry_after = _seconds(headers.get("retry-after", ""))
        super().__init__(" ".join([self.message, *_sentences(self.details), f"({self.code})"]))


class AuthenticationError(ApiError):
    """The token is missing, wrong, expired or revoked."""


class ConsentError(ApiError):
    """The user has not consented, or the consent has changed since. Ask them; they decide on FinClaw's page Privacy."""


class NotFoundError(ApiError):
    """There is nothing of this id that the user may see."""


class RateLimitError(ApiError):
    """Too many requests; ``retry_after`` says for how many seconds to wait."""


_KINDS: Final[Mapping[type[ApiError], frozenset[str]]] = {
    AuthenticationError: frozenset(
        {"not_authenticated", "invalid_credentials", "token_invalid", "token_expired", "token_revoked"}
    ),
    ConsentError: frozenset({"profile_consent_required", "consent_scope_missing", "consent_outdated"}),
    NotFoundError: frozenset({"not_found"}),
    RateLimitError: frozenset({"rate_limited"}),
}


def api_error(status: int, answer: object, headers: Mapping[str, str]) -> ApiError:
    """The error in an answer, as the class that fits its code."""
    known = answer if isinstance(answer, dict) else {}
    kind = next((kind for kind, codes in _KINDS.items() if known.get("code") in codes), ApiError)
    return kind(status, known, headers)


def error_of(response: httpx2.Response) -> ApiError:
    """The error in a response whose body was read; a body that is not FinClaw's is ignored."""
    try:
        answer = response.json()
    except ValueError:
        answer = None
    return api_error(response.status_code, answer, response.headers)


def require_media_type(response: httpx2.Response, media_type: str) -> None:
    """Raise ``ClientError`` where a success is of another media type: not FinClaw's answer, but a proxy's page, say."""
    given = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != media_type:
        raise _foreign(response, given or "nothing")


def json_of(response: httpx2.Response) -> object:
    """The JSON of a response that was read. Raises ``ClientError`` where it is none."""
    try:
        return response.json()
    except ValueError as error:
        raise _foreign(response, "broken JSON") from error


def _foreign(response: httpx2.Response, given: str) -> ClientError:
    return ClientError(f"What answers at {response.url.host} is not FinClaw's ({given}); is its address right?")


def _sentences(details: Mapping[str, Any]) -> list[str]:
    """What is wrong with each field of a validation error."""
    return [f"{name}: {' '.join(map(str, said))}" for name, said in details.items() if isinstance(said, list)]


def _seconds(written: str) -> float | None:
    return float(written) if written.isascii() and written.isdigit() else None
