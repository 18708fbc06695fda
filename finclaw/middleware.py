"""What holds for every answer: a database that is down is said as such, and nothing is stored on the way."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from finclaw.errors import is_database_down, json_error, speaks_json


class NoStoreMiddleware:
    """Forbids browsers and proxies to store an answer. It stands inside the static files, which keep their own rule."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers["Cache-Control"] = "no-store"
        return response


class DatabaseDownMiddleware:
    """Answers 503 ``service_unavailable`` where the transaction around an API view fails for want of a database."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        """Pages have handlers of their own."""
        return json_error(error, request) if speaks_json(request) and is_database_down(error) else None
