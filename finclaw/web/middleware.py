"""What a page's view raises becomes a page."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from finclaw.errors import is_database_down, speaks_json
from finclaw.statuses import STATUS_OF
from finclaw.web.views.errors import error_page
from foundation.accounts.exceptions import TooManyAttempts
from foundation.exceptions import FinClawError


class PageErrorsMiddleware:
    """Domain errors and an unreachable database, said in plain words; the transaction is rolled back by then."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The API's addresses answer for themselves."""
        if speaks_json(request):
            return None
        if isinstance(error, FinClawError):
            page = error_page(request, STATUS_OF.get(error.code, 400), error.message, error.code)
            if isinstance(error, TooManyAttempts):
                page["Retry-After"] = str(error.retry_after)
            return page
        return error_page(request, 503) if is_database_down(error) else None
