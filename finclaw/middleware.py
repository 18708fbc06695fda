"""What holds for every answer: a database that is down is said as such, and nothing is stored on the way."""

from __future__ import annotations

from collections.abc import Callable

from django.db import Error
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from psycopg_pool import PoolTimeout

from consent.erasure.journal_check import journal_check
from finclaw.errors import is_database_down, json_error, speaks_json
from finclaw.web.views.errors import error_page
from foundation.exceptions import ServiceUnavailable

IMPERSONAL = frozenset({"live", "ready", "metrics"})


class NoStoreMiddleware:
    """Forbids browsers and proxies to store an answer. It stands inside the static files, which keep their own rule."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers["Cache-Control"] = "no-store"
        return response


class RestoredBackupMiddleware:
    """Serves nothing but health and metrics while a restored backup would show what was forgotten since."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *view: object) -> HttpResponseBase | None:
        """503 ``service_unavailable``, as a page or in the API's shape."""
        match = request.resolver_match
        if (match and match.url_name in IMPERSONAL) or not _shows_forgotten():
            return None
        error = ServiceUnavailable(
            _("This is a restored backup, and what was forgotten since has to be forgotten again first. Try later.")
        )
        if speaks_json(request):
            return json_error(error, request)
        return error_page(request, 503, error.message, error.code)


def _shows_forgotten() -> bool:
    try:
        return journal_check.had_unreplayed()
    except (Error, PoolTimeout):  # the view says so itself
        return False


class DatabaseDownMiddleware:
    """Answers 503 ``service_unavailable`` where the transaction around an API view fails for want of a database."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        """Pages have handlers of their own."""
        return json_error(error, request) if speaks_json(request) and is_database_down(error) else None
