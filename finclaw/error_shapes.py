"""Chooses the JSON shape of errors at each address: the API's own, or that of the product whose clients it serves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from rest_framework.response import Response

_OPENAI_TYPES: Final[Mapping[int, str]] = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    429: "rate_limit_error",
}
_RETRIED_UNLIKE_CLIENTS: Final[Mapping[int, str]] = {409: "false", 425: "true"}
"""Whether OpenAI's clients should retry on their own, for statuses where they would decide wrongly: a conflict (409)
stays one, while after 425 (this process is stopping) another process answers.
"""

ErrorShape = Callable[[Response], Response]


def own_shape(answer: Response) -> Response:
    """``{"code", "message", "details"}``, as it is."""
    return answer


def openai_shape(answer: Response) -> Response:
    """``{"error": {"message", "type", "param", "code"}}``, with a retry hint where clients would decide wrongly."""
    code, details, status = answer.data["code"], answer.data["details"], answer.status_code
    by_class = "server_error" if status >= 500 else "invalid_request_error"
    param = next(iter(details), None) if code == "validation_error" else None
    message = f"{answer.data['message']} {_first_sentence(details)}" if param else answer.data["message"]
    error = {"message": message.strip(), "type": _OPENAI_TYPES.get(status, by_class), "param": param, "code": code}
    answer.data = {"error": error | ({"details": details} if details else {})}
    if status in _RETRIED_UNLIKE_CLIENTS:
        answer["x-should-retry"] = _RETRIED_UNLIKE_CLIENTS[status]
    return answer


def mem0_shape(answer: Response) -> Response:
    """Our own shape, with the message also under ``detail``, which mem0's client shows."""
    answer.data = {"detail": answer.data["message"], **answer.data}
    return answer


_OAUTH_ERRORS: Final[Mapping[str, str]] = {
    "validation_error": "invalid_request",
    "malformed_json": "invalid_request",
    "unsupported_media_type": "invalid_request",
    "sensitive_input": "invalid_client_metadata",
    "internal_error": "server_error",
    "rate_limited": "temporarily_unavailable",
    "service_unavailable": "temporarily_unavailable",
}


def oauth_shape(answer: Response) -> Response:
    """``{"error", "error_description"}``, as OAuth's clients read it."""
    code = answer.data["code"]
    said = f"{answer.data['message']} {_first_sentence(answer.data['details'])}".strip()
    answer.data = {"error": _OAUTH_ERRORS.get(code, code), "error_description": said}
    return answer


_OF_MEM0: Final = (
    "/v1/ping/", "/v1/memories/", "/v1/batch/", "/v1/entities/", "/v1/feedback/", "/v1/exports/", "/v1/event/", "/v2/",
    "/v3/", "/mem0/",
)  # fmt: skip
SHAPES: Final[tuple[tuple[str, ErrorShape], ...]] = (
    ("/api/", own_shape),
    *((prefix, mem0_shape) for prefix in _OF_MEM0),
    ("/v1/", openai_shape),
    *((prefix, oauth_shape) for prefix in ("/oauth/token", "/oauth/revoke", "/oauth/register", "/.well-known/oauth-")),
)
"""The shape by the beginning of the path; the first match counts. All other addresses answer with pages."""


def shape_at(path: str) -> ErrorShape | None:
    """The shape of errors at this path; None where they are pages."""
    return next((shape for prefix, shape in SHAPES if path.startswith(prefix)), None)


def _first_sentence(details: Any) -> str:
    """The first sentence in nested details, at whatever depth."""
    while isinstance(details, Mapping | list) and details:
        details = next(iter(details.values())) if isinstance(details, Mapping) else details[0]
    return str(details) if details else ""
