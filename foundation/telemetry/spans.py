"""Spans over the OpenTelemetry API, which does nothing until ``trace_export`` has set up its SDK.

An attribute is a name, a number or the id of a row: never a user's id, what anybody wrote, or a query string.
An error is named by its class: its text may quote somebody.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from http import HTTPMethod, HTTPStatus
from inspect import isgeneratorfunction
from typing import Any, ParamSpec, TypeVar, cast

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

Attribute = str | bool | int | float | Sequence[str]
P = ParamSpec("P")
Result = TypeVar("Result")
Piece = TypeVar("Piece")

_METHODS = frozenset(HTTPMethod)
_tracer = trace.get_tracer("finclaw")
_w3c = TraceContextTextMapPropagator()


@contextmanager
def span(name: str, **attributes: Attribute) -> Iterator[Span]:
    """Trace a block in a new span under the current one; failed where the block raises."""
    current = _tracer.start_span(name, attributes=attributes)
    try:
        with current_span(current):
            yield current
    finally:
        current.end()


def begin_request(headers: Mapping[str, str]) -> Span:
    """Start the span of a request, in the trace that its ``traceparent`` names (W3C)."""
    return _tracer.start_span("request", _w3c.extract(headers, Context()), SpanKind.SERVER)


def known_method(method: str) -> str:
    """The HTTP method, or ``_OTHER`` for an unknown one, as OpenTelemetry writes it."""
    return method if method in _METHODS else "_OTHER"


def describe_request(current: Span, method: str, route: str, status: int) -> None:
    """Name a request's span by its route and set its outcome, by OpenTelemetry's conventions."""
    known = known_method(method)
    current.update_name(f"{known} {route}")
    current.set_attributes({"http.request.method": known, "http.route": route, "http.response.status_code": status})
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        current.set_status(StatusCode.ERROR)


@contextmanager
def current_span(current: Span) -> Iterator[None]:
    """Make a started span current for a block without ending it; mark it failed where the block raises."""
    if not current.get_span_context().is_valid:  # the API's own, without an SDK: nothing would look at it
        yield
        return
    with trace.use_span(current, record_exception=False, set_status_on_exception=False), _marking_failure(current):
        yield


def span_over_generator(current: Span, pieces: Generator[Piece, None, Result]) -> Generator[Piece, None, Result]:
    """Trace a generator: the span is current while the generator runs, not while its consumer does."""
    try:
        while True:
            with current_span(current):
                try:
                    piece = next(pieces)
                except StopIteration as end:
                    return cast("Result", end.value)
            yield piece
    finally:
        pieces.close()
        current.end()


def traced(name: str) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Decorates a function, or a generator function, with a span around each call."""

    def decorate(function: Callable[P, Result]) -> Callable[P, Result]:
        @wraps(function)
        def in_steps(*args: P.args, **kwargs: P.kwargs) -> Generator[Any, None, Any]:
            pieces = cast("Generator[Any, None, Any]", function(*args, **kwargs))
            return (yield from span_over_generator(_tracer.start_span(name), pieces))

        @wraps(function)
        def at_once(*args: P.args, **kwargs: P.kwargs) -> Result:
            with span(name):
                return function(*args, **kwargs)

        return cast("Callable[P, Result]", in_steps) if isgeneratorfunction(function) else at_once

    return decorate


def set_span_attributes(**attributes: Attribute) -> None:
    """Set attributes on the current span, if there is one."""
    trace.get_current_span().set_attributes(attributes)


def recording_ids() -> dict[str, str]:
    """``trace_id`` and ``span_id`` in hexadecimal where a span is recording, else nothing."""
    current = trace.get_current_span()
    if not current.is_recording():
        return {}
    context = current.get_span_context()
    return {"trace_id": trace.format_trace_id(context.trace_id), "span_id": trace.format_span_id(context.span_id)}


@contextmanager
def _marking_failure(current: Span) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        current.set_status(StatusCode.ERROR)
        current.set_attribute("error.type", type(error).__name__)
        raise
