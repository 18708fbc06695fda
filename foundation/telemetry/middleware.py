"""Middleware that gives each request an id in logs and response, a trace span, and the HTTP metrics."""

from __future__ import annotations

import re
from collections.abc import Callable
from time import perf_counter

import structlog
from django.http import FileResponse, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase

from foundation.ids import new_id
from foundation.telemetry.metrics import REQUEST_SECONDS, REQUESTS
from foundation.telemetry.spans import begin_request, current_span, describe_request, known_method, span_over_generator

HEADER = "X-Request-Id"
_ACCEPTED = re.compile(r"[A-Za-z0-9._-]{8,64}")
log = structlog.get_logger("finclaw.access")

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class RequestIdMiddleware:
    """Takes the caller's request id where it is well formed, else makes one."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get(HEADER, "")
        request_id = given if _ACCEPTED.fullmatch(given) else str(new_id())
        request.META["finclaw.request_id"] = request_id
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
        response.headers[HEADER] = request_id
        return response


class SpanMiddleware:
    """A span around each request, in the caller's trace where a ``traceparent`` names one; over a stream to its end."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        current = begin_request(request.headers)
        try:
            with current_span(current):
                response = self.get_response(request)
        except BaseException:
            current.end()
            raise
        describe_request(current, request.method or "", _route_of(request), response.status_code)
        if isinstance(response, StreamingHttpResponse) and not isinstance(response, FileResponse):
            response.streaming_content = span_over_generator(current, (piece for piece in response))
        else:
            current.end()
        return response


class MetricsMiddleware:
    """Counts and times each request by its route, and writes the access line without its query string."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started = perf_counter()
        response = self.get_response(request)
        seconds = perf_counter() - started
        route = _route_of(request)
        method = known_method(request.method or "")
        REQUESTS.labels(method=method, route=route, status=response.status_code).inc()
        REQUEST_SECONDS.labels(method=method, route=route).observe(seconds)
        if not route.startswith("static"):
            log.info("request", method=method, route=route, status=response.status_code, ms=round(seconds * 1000, 1))
        return response


def _route_of(request: HttpRequest) -> str:
    return request.resolver_match.route if request.resolver_match else "unmatched"


def request_id(request: HttpRequest) -> str:
    """The id under which this request stands in the logs."""
    return str(request.META.get("finclaw.request_id", ""))
