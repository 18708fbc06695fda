"""Turns errors into HTTP answers: ``{"code", "message", "details"}``."""

from __future__ import annotations

import sys
from typing import Any

import structlog
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.response import Response

from finclaw.error_shapes import own_shape, shape_at
from finclaw.program_addresses import challenge_at
from finclaw.statuses import STATUS_OF, UNAUTHENTICATED
from foundation.accounts.exceptions import ProgramScopeMissing
from foundation.database.error_codes import is_database_down
from foundation.database.write_refusals import refuses_writes
from foundation.exceptions import FinClawError, NotFound, ServiceUnavailable, WritesRefused
from foundation.telemetry.middleware import request_id

log = structlog.get_logger(__name__)
_CODES: dict[type[exceptions.APIException], str] = {
    exceptions.ParseError: "malformed_json",
    exceptions.NotAuthenticated: "not_authenticated",
    exceptions.AuthenticationFailed: "token_invalid",
    exceptions.MethodNotAllowed: "method_not_allowed",
    exceptions.UnsupportedMediaType: "unsupported_media_type",
    exceptions.Throttled: "rate_limited",
    exceptions.NotFound: "not_found",
}


def speaks_json(request: HttpRequest) -> bool:
    """Whether this address answers errors as JSON rather than with a page."""
    return shape_at(request.path) is not None


def json_error(error: BaseException | None, request: HttpRequest) -> JsonResponse:
    """The answer for code outside DRF: middleware, handlers of unmatched paths."""
    answer = to_response(error or FinClawError(), request)
    headers = {name: value for name, value in answer.items() if name != "Content-Type"}
    return JsonResponse(answer.data, status=answer.status_code, headers=headers)


def current_json_error(request: HttpRequest) -> JsonResponse:
    """The answer for the exception being handled; Django gives a 500 handler nothing more."""
    return json_error(sys.exception(), request)


def to_response(error: BaseException, request: HttpRequest) -> Response:
    """Status, code, message and details of any exception, in the shape of the address; an unexpected exception shows
    only the request's id.
    """
    answer = _to_own_response(error, request)
    if answer.status_code == UNAUTHENTICATED:
        answer["WWW-Authenticate"] = challenge_at(request)
    if isinstance(error, ProgramScopeMissing):
        answer["WWW-Authenticate"] = challenge_at(request, missing_scope=error.scope)
    return (shape_at(request.path) or own_shape)(answer)


def _to_own_response(error: BaseException, request: HttpRequest) -> Response:
    if isinstance(error, FinClawError):
        answer = _build_response(STATUS_OF.get(error.code, 400), error.code, error.message, error.details)
        return answer if error.retry_after is None else _with_retry_after(answer, error.retry_after)
    if isinstance(error, exceptions.APIException):
        return _from_drf(error)
    if isinstance(error, Http404):
        return _to_own_response(NotFound(), request)
    if isinstance(error, PermissionDenied):
        return _build_response(403, "permission_denied", _("You may not do this."), {})
    if isinstance(error, RequestDataTooBig):
        return _build_response(413, "payload_too_large", _("The request is larger than a million bytes."), {})
    if isinstance(error, SuspiciousOperation | BadRequest | MultiPartParserError):
        return _build_response(400, "validation_error", _("The request cannot be understood."), {})
    if refuses_writes(error):
        return _to_own_response(WritesRefused(), request)
    if is_database_down(error):
        return _to_own_response(ServiceUnavailable(), request)
    log.error("unhandled", error=type(error).__name__, exc_info=error)
    return _build_response(500, "internal_error", FinClawError().message, {"request_id": request_id(request)})


def _from_drf(error: exceptions.APIException) -> Response:
    if isinstance(error, exceptions.ValidationError):
        details = error.detail if isinstance(error.detail, dict) else {"non_field_errors": error.detail}
        return _build_response(400, "validation_error", _("Some of the values cannot be accepted."), details)
    answer = _build_response(error.status_code, _code_of(error), str(error.detail), {})
    wait = getattr(error, "wait", None)  # seconds, of a Throttled error
    return _with_retry_after(answer, int(wait) + 1) if wait else answer


def _with_retry_after(answer: Response, seconds: int) -> Response:
    answer["Retry-After"] = str(seconds)
    return answer


def _code_of(error: exceptions.APIException) -> str:
    if error.get_codes() == "csrf_failed":
        return "csrf_failed"
    return _CODES.get(type(error), "permission_denied")


def _build_response(status: int, code: str, message: str, details: Any) -> Response:
    return Response({"code": code, "message": str(message), "details": details}, status=status)
