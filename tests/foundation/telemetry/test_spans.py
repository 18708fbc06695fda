"""Spans: nothing without an SDK, no words with one, and whole over streams."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponse, HttpResponseBase
from django.test import RequestFactory
from opentelemetry.trace import StatusCode, get_current_span
from pytest_django import Settings

from foundation.telemetry import checks, memory_operations, spans, trace_export
from foundation.telemetry.middleware import SpanMiddleware
from foundation.telemetry.spans import set_span_attributes, span
from foundation.telemetry.spans import traced as in_span
from tests.support.tracing import Traced

SECRET = "grandmothers-piano-祖母的钢琴"
TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def test_without_an_sdk_nothing_records_and_no_line_has_an_id() -> None:
    with span("turn", topic="x") as current:
        assert not current.is_recording()
        assert spans.recording_ids() == {}


def test_what_fails_is_told_by_its_class_and_none_of_its_words(traced: Traced) -> None:
    with pytest.raises(ValueError, match="piano"), span("turn"):
        raise ValueError(SECRET)

    (failed,) = traced
    assert failed.status.status_code is StatusCode.ERROR
    assert traced.told("turn") == {"error.type": "ValueError"}
    assert "piano" not in traced.everything()


def test_a_generators_span_is_current_while_it_works_and_never_for_who_listens(traced: Traced) -> None:
    @in_span("pieces")
    def pieces() -> Generator[str, None, int]:
        with span("piece"):
            pass
        yield "one"
        set_span_attributes(outcome="two")
        return 2

    @in_span("whole")
    def whole() -> Generator[str, None, int]:
        return (yield from pieces())

    heard = whole()
    assert next(heard) == "one"
    assert not get_current_span().is_recording()
    with pytest.raises(StopIteration) as ended:
        next(heard)

    assert ended.value.value == 2
    assert [(one.name, traced.parent_of(one)) for one in traced] == [
        ("piece", "pieces"),
        ("pieces", "whole"),
        ("whole", ""),
    ]
    assert traced.told("pieces") == {"outcome": "two"}


def test_a_stream_that_is_left_ends_its_span_and_what_it_held(traced: Traced) -> None:
    released = []

    @in_span("pieces")
    def pieces() -> Generator[str, None, None]:
        try:
            yield "one"
            yield "two"
        finally:
            released.append(True)

    heard = pieces()
    next(heard)
    heard.close()

    assert released == [True]
    assert len(traced.named("pieces")) == 1


def _answer(response: HttpResponseBase, method: str = "GET", headers: dict[str, str] | None = None) -> HttpResponseBase:
    request = RequestFactory().generic(method, f"/{SECRET}?q={SECRET}", headers=headers)
    return SpanMiddleware(lambda _: response)(request)


def test_a_request_goes_on_with_the_callers_trace_and_is_named_by_its_route(traced: Traced) -> None:
    _answer(HttpResponse(status=503), headers={"traceparent": f"00-{TRACE}-{CALLER}-01", "baggage": "word=piano"})

    (one,) = traced
    assert one.name == "GET unmatched"
    assert one.context is not None
    assert one.parent is not None
    assert (f"{one.context.trace_id:032x}", f"{one.parent.span_id:016x}") == (TRACE, CALLER)
    assert one.status.status_code is StatusCode.ERROR
    assert one.attributes == {
        "http.request.method": "GET",
        "http.route": "unmatched",
        "http.response.status_code": 503,
    }
    assert "piano" not in traced.everything()


@pytest.mark.parametrize("header", ["", "00-zz", f"00-{'0' * 32}-{CALLER}-01", SECRET.encode().hex()])
def test_a_traceparent_that_is_none_begins_a_trace_of_our_own(traced: Traced, header: str) -> None:
    _answer(HttpResponse(), headers={"traceparent": header})

    (one,) = traced
    assert one.parent is None


def test_a_method_that_http_does_not_know_is_not_repeated(traced: Traced) -> None:
    _answer(HttpResponse(), method="PIANO")

    assert traced.told("_OTHER unmatched")["http.request.method"] == "_OTHER"


def test_a_streamed_answers_span_lasts_until_its_end_with_what_happens_meanwhile_below(traced: Traced) -> None:
    def pieces() -> Generator[str, None, None]:
        with span("piece"):
            yield "one"

    response = _answer(StreamingHttpResponse(pieces()))
    assert list(traced) == []
    assert b"".join(response) == b"one"
    response.close()

    assert [(one.name, traced.parent_of(one)) for one in traced] == [("piece", "GET unmatched"), ("GET unmatched", "")]


def test_an_error_in_the_middle_of_everything_ends_the_span_too(traced: Traced) -> None:
    def failing(_: HttpRequest) -> HttpResponseBase:
        raise LookupError(SECRET)

    with pytest.raises(LookupError):
        SpanMiddleware(failing)(RequestFactory().get("/"))

    assert traced.told("request") == {"error.type": "LookupError"}


def test_nothing_that_was_not_there_is_no_operation(traced: Traced) -> None:
    memory_operations.report_deleted("item", None, count=0)

    assert list(traced) == []


def test_a_collector_without_the_extra_is_a_warning_and_no_crash(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_export, "find_spec", lambda _: None)
    settings.OTEL_EXPORTER_OTLP_ENDPOINT = "http://collector.example:4318"
    trace_export.start_export()

    (warning,) = checks.a_collector_is_named_only_with_the_extra()
    assert warning.id == "telemetry.W001"
    settings.OTEL_EXPORTER_OTLP_ENDPOINT = ""
    assert checks.a_collector_is_named_only_with_the_extra() == []


def test_with_the_extra_there_is_nothing_to_warn_of(settings: Settings) -> None:
    settings.OTEL_EXPORTER_OTLP_ENDPOINT = "http://collector.example:4318"

    assert checks.a_collector_is_named_only_with_the_extra() == []
