"""Middleware for all requests: body size, acting program, database connections, an unreachable database, caching."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import Error
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from psycopg_pool import PoolTimeout

from consent.erasure.journal_check import journal_check
from finclaw.errors import json_error, speaks_json
from finclaw.server.refusals import REFUSED, Overloaded, ServerStopping
from finclaw.statuses import STATUS_OF
from finclaw.web.views.errors import error_page, payload_too_large
from foundation.database.acting_program import NO_PROGRAM, ActingProgram, act_through, acting_program
from foundation.database.acting_user import give_back_connection
from foundation.database.error_codes import is_database_down
from foundation.exceptions import ServiceUnavailable

IMPERSONAL = frozenset({"live", "ready", "metrics"})
GetResponse = Callable[[HttpRequest], HttpResponseBase]


class ReleaseConnectionMiddleware:
    """Returns the database connection to the pool before the answer is sent, since a slow client can delay sending.

    Django itself returns it only after the answer is sent.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        give_back_connection()
        return response


class ActingProgramMiddleware:
    """Ends what a program's token set once its request is answered, a streamed answer with its last piece."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        act_through(NO_PROGRAM)
        try:
            response = self.get_response(request)
            if isinstance(response, StreamingHttpResponse) and acting_program() != NO_PROGRAM:
                response.streaming_content = _made_through(acting_program(), iter(response))
            return response
        finally:
            act_through(NO_PROGRAM)


class BodyLimitMiddleware:
    """Answers 413 ``payload_too_large`` to a body over ``MAX_BODY_BYTES``, before anything reads it; where a file is
    accepted, over its limit in ``UPLOAD_PATHS`` and its overhead.

    Django's own limit does not count files, and only applies when a view reads the body.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if _announced_bytes(request) > _body_limit(request):
            return payload_too_large(request, RequestDataTooBig())
        return self.get_response(request)


class RefusalMiddleware:
    """Answers requests that the web server refuses unread: 503 when it is overloaded, 425 while this process stops. On
    425 a proxy may send the request to another process.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        make_error = request.META.get(REFUSED)
        return self.get_response(request) if make_error is None else _refuse(request, make_error())


class NoStoreMiddleware:
    """Forbids browsers and proxies to store answers; static files are served by an outer middleware and may be."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers["Cache-Control"] = "no-store"
        return response


class RestoredBackupMiddleware:
    """Serves only health and metrics while a restored backup would show erased data."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *view: object) -> HttpResponseBase | None:
        """503 ``service_unavailable``, as a page or in the API's shape."""
        match = request.resolver_match
        if (match and match.url_name in IMPERSONAL) or not _is_restored_unreplayed():
            return None
        error = ServiceUnavailable(
            _("This is a restored backup, and what was forgotten since has to be forgotten again first. Try later.")
        )
        if speaks_json(request):
            return json_error(error, request)
        return error_page(request, 503, error.message, error.code)


def _made_through(program: ActingProgram, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces of an answer, each made while acting through the program."""
    act_through(program)
    try:
        for piece in pieces:
            act_through(NO_PROGRAM)
            yield piece
            act_through(program)
    finally:
        act_through(NO_PROGRAM)


def _refuse(request: HttpRequest, error: Overloaded | ServerStopping) -> HttpResponseBase:
    answer: HttpResponseBase
    if speaks_json(request) or request.GET.get("stream") == "true":  # the chat's script reads JSON
        answer = json_error(error, request)
    else:
        answer = error_page(request, STATUS_OF[error.code], error.message, error.code)
    answer.headers["Retry-After"] = str(error.retry_after)
    return answer


def _is_restored_unreplayed() -> bool:
    try:
        return journal_check.had_unreplayed()
    except (Error, PoolTimeout):  # the view itself then reports that the database is down
        return False


class DatabaseDownMiddleware:
    """Answers 503 ``service_unavailable`` where an API view, or its transaction, fails because the database is down."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        """The answer; pages have handlers of their own."""
        return json_error(error, request) if speaks_json(request) and is_database_down(error) else None


def _announced_bytes(request: HttpRequest) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0  # as Django reads it


def _body_limit(request: HttpRequest) -> int:
    most: int = settings.MAX_BODY_BYTES
    return most + (settings.UPLOAD_PATHS.get(request.path, 0) if request.method == "POST" else 0)
