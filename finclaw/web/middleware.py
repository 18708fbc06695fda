"""Middleware that turns errors raised by pages into error pages, and shows pages in the user's chosen language."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from psycopg_pool import PoolTimeout

from finclaw.errors import speaks_json
from finclaw.statuses import STATUS_OF
from finclaw.web.views.errors import error_page
from foundation.accounts.models import User
from foundation.database.error_codes import is_database_down
from foundation.database.write_refusals import refuses_writes
from foundation.exceptions import FinClawError, WritesRefused


class PageErrorsMiddleware:
    """Shows domain errors and an unreachable database in plain words; the transaction is rolled back by then."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The error page; None for addresses of the API, which answer for themselves."""
        if speaks_json(request):
            return None
        if refuses_writes(error):
            error = WritesRefused()
        if isinstance(error, FinClawError):
            page = error_page(request, STATUS_OF.get(error.code, 400), error.message, error.code)
            if error.retry_after is not None:
                page["Retry-After"] = str(error.retry_after)
            return page
        return error_page(request, 503) if is_database_down(error) else None


class AccountLanguageMiddleware:
    """Shows pages in the language that the signed-in member chose; ``LocaleMiddleware`` knows the browser's alone."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Activate the user's language; the API and visitors keep the language that the request asks for."""
        if not speaks_json(request) and settings.SESSION_COOKIE_NAME in request.COOKIES:
            language = _chosen_language(request)
            if language in dict(settings.LANGUAGES):
                translation.activate(language)
                request.LANGUAGE_CODE = language
        return self.get_response(request)


def _chosen_language(request: HttpRequest) -> str:
    try:
        return request.user.language if isinstance(request.user, User) else ""
    except (Error, PoolTimeout):  # the view itself then reports that the database is down
        return ""
