"""Translates errors of model servers into ``ModelUnavailable`` with a reason and no text of the prompt.

The client's own exceptions quote the server, and servers quote the prompt, so those never leave this package.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx2
import openai
import pydantic

from foundation.llm.exceptions import ModelUnavailable

_MESSAGES: Final = {
    "timeout": "The language model took too long to answer.",
    "unreachable": "The language model's server could not be reached, or broke off.",
    "rate_limited": "The language model's server is refusing requests for now.",
    "server_error": "The language model's server failed.",
    "credentials_refused": "The language model's server refused our credentials.",
    "request_refused": "The language model's server refused the request.",
    "unusable_answer": "The language model's server sent an answer that cannot be used.",
    "circuit_open": "The language model's server failed several times in a row and is not asked for now.",
    "busy": "Too many calls of the language model wait already.",
}
# "timeout" is not among them: the server was silent for as long as a caller may wait, so there is no time to retry. If
# it did not even accept the connection in time, the reason is "unreachable".
_TRANSIENT: Final = frozenset({"unreachable", "rate_limited", "server_error", "unusable_answer"})
# What servers answer to a field that they do not know.
_REFUSING_STATUSES: Final = frozenset(
    {httpx2.codes.BAD_REQUEST, httpx2.codes.UNPROCESSABLE_CONTENT, httpx2.codes.INTERNAL_SERVER_ERROR,
     httpx2.codes.NOT_IMPLEMENTED}
)  # fmt: skip


@contextmanager
def translated_failures() -> Iterator[None]:
    """Turn every failure of the client or its transport into ``ModelUnavailable``."""
    try:
        yield
    except openai.APIStatusError as error:
        raise _refusal(error) from None
    except (openai.APITimeoutError, httpx2.TimeoutException) as error:
        raise unavailable("unreachable" if _is_of_connecting(error) else "timeout") from None
    except (openai.APIConnectionError, httpx2.HTTPError):
        raise unavailable("unreachable") from None
    except json.JSONDecodeError as error:
        raise (unavailable("unusable_answer") if _is_begun(error.doc) else no_json()) from None
    except (openai.OpenAIError, pydantic.ValidationError, UnicodeDecodeError, RecursionError):
        raise unavailable("unusable_answer") from None


def unavailable(reason: str, **details: Any) -> ModelUnavailable:
    """The error for one of this module's reasons."""
    return ModelUnavailable(_MESSAGES[reason], {"reason": reason, **details})


def no_json() -> ModelUnavailable:
    """The error for an answer that does not follow the protocol at all: a gateway's page, or an empty body."""
    return unavailable("unusable_answer", no_json=True)


def is_transient(error: BaseException) -> bool:
    """Whether the same request may succeed a moment later."""
    return isinstance(error, ModelUnavailable) and error.details.get("reason") in _TRANSIENT


def may_be_unsupported(error: BaseException) -> bool:
    """Whether the server may have failed because it does not know a field of the request; some answer 500 then."""
    return isinstance(error, ModelUnavailable) and error.details.get("status") in _REFUSING_STATUSES


def _is_begun(document: str) -> bool:
    """Whether the document begins as JSON, so that it was cut off rather than written by a gateway."""
    return document.lstrip().startswith(("{", "["))


def _is_of_connecting(error: BaseException) -> bool:
    """Whether the time ran out before the server accepted the connection; the client's own error may wrap that one."""
    return isinstance(error, httpx2.ConnectTimeout) or isinstance(error.__cause__, httpx2.ConnectTimeout)


def _refusal(error: openai.APIStatusError) -> ModelUnavailable:
    details: dict[str, Any] = {"status": error.status_code}
    seconds = _retry_after_seconds(error.response.headers.get("retry-after", ""))
    if seconds is not None:
        details["retry_after_seconds"] = seconds
    return unavailable(_reason_for_status(error.status_code), **details)


def _reason_for_status(status: int) -> str:
    if status == httpx2.codes.TOO_MANY_REQUESTS:
        return "rate_limited"
    if status in (httpx2.codes.REQUEST_TIMEOUT, httpx2.codes.CONFLICT) or httpx2.codes.is_server_error(status):
        return "server_error"
    if status in (httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN):
        return "credentials_refused"
    return "request_refused"


def _retry_after_seconds(header: str) -> float | None:
    """``Retry-After`` is a number of seconds or an HTTP date (RFC 9110 §10.2.3); anything else is no hint."""
    if header.isdecimal():
        return float(header)
    try:
        moment = parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0.0, (moment.astimezone(UTC) - datetime.now(UTC)).total_seconds())
