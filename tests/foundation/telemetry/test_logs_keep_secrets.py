"""What never reaches a log: query strings, what users wrote, what exceptions say. What each line has: its trace."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils.log import log_response

from foundation.telemetry.logs import logging_settings
from foundation.telemetry.metrics import REQUESTS
from foundation.telemetry.middleware import MetricsMiddleware
from foundation.telemetry.spans import span
from tests.support.tracing import Traced

SECRET = "grandmothers-piano-祖母的钢琴"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Iterator[list[str]]:
    """Everything logged so far, as the configured formatter writes it."""
    written: list[str] = []
    before = structlog.get_config()
    configuration = logging_settings(json=True, level="DEBUG")["formatters"]["structured"]
    structlog.configure(**before)  # loggers in use keep the list of processors that capture_logs changes in place
    formatter = configuration["()"](
        processors=configuration["processors"], foreign_pre_chain=configuration["foreign_pre_chain"]
    )

    class Collecting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.append(formatter.format(record))

    handler = Collecting()
    root = logging.getLogger()
    root.addHandler(handler)
    with caplog.at_level(logging.DEBUG):
        yield written
    root.removeHandler(handler)


@pytest.mark.django_db
def test_the_access_line_names_the_route_and_not_the_query(client: Client, lines: list[str]) -> None:
    client.get("/health/live", {"q": SECRET})

    (access,) = [json.loads(line) for line in lines if '"event": "request"' in line]
    assert access["method"] == "GET"
    assert (access["route"], access["status"]) == ("health/live", 200)
    assert {"ms", "request_id"} <= access.keys()
    assert SECRET not in "".join(lines)


@pytest.mark.django_db
def test_nor_the_path_of_an_address_that_does_not_exist(client: Client, lines: list[str]) -> None:
    client.get(f"/no/such/{SECRET}")

    assert SECRET not in "".join(lines)
    assert any('"route": "unmatched"' in line for line in lines)


def test_an_exception_is_its_class_and_place_and_none_of_its_words(lines: list[str]) -> None:
    try:
        raise ValueError(SECRET)
    except ValueError:
        structlog.get_logger("test").exception("it_failed")
        logging.getLogger("library").exception("something failed")

    told = [json.loads(line) for line in lines]  # among what connections of other tests say as they close
    ours, theirs = (line for line in told if line["logger"] in ("test", "library"))
    for line in (ours, theirs):
        assert line["error"] == "ValueError"
        assert line["at"].startswith("test_an_exception_is_its_class")
    assert SECRET not in "".join(lines)


def test_the_words_of_a_cause_stay_out_as_well(lines: list[str]) -> None:
    try:
        try:
            raise KeyError(SECRET)
        except KeyError as cause:
            raise RuntimeError("wrapped") from cause
    except RuntimeError:
        structlog.get_logger("test").exception("it_failed")

    assert SECRET not in "".join(lines)


@pytest.mark.django_db
def test_a_body_that_was_sent_is_in_no_line(client: Client, lines: list[str]) -> None:
    client.post("/api/consents", {"words": SECRET}, content_type="application/json")

    assert lines
    assert SECRET not in "".join(lines)


def test_a_request_is_counted_by_its_route() -> None:
    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(status=418)

    counter = REQUESTS.labels(method="GET", route="unmatched", status=418)
    before = counter._value.get()
    MetricsMiddleware(view)(RequestFactory().get(f"/{SECRET}"))

    assert counter._value.get() == before + 1


def test_lines_written_under_a_span_carry_its_ids(lines: list[str], traced: Traced) -> None:
    log = structlog.get_logger("test")
    with span("turn"):
        log.info("within")
    log.info("afterwards")

    within, afterwards = (told for told in map(json.loads, lines) if told["logger"] == "test")
    (one,) = traced
    assert one.context is not None
    ids = (f"{one.context.trace_id:032x}", f"{one.context.span_id:016x}")
    assert (within["trace_id"], within["span_id"]) == ids
    assert not {"trace_id", "span_id"} & afterwards.keys()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/admin/accounts/user/01900000-0000-7000-8000-000000000000/change/", "admin/accounts/user/"),
        ("/privacy/erasures/01900000-0000-7000-8000-000000000000/", "privacy/erasures/"),
        (f"/events/{SECRET}/forget/", "events/"),
    ],
)
def test_a_refused_form_names_the_route_and_no_id(lines: list[str], path: str, route: str) -> None:
    Client(enforce_csrf_checks=True).post(path)

    (refused,) = [line for line in lines if "CSRF" in line]
    assert "01900000" not in "".join(lines)
    assert "piano" not in "".join(lines)
    assert "unicode" not in refused
    assert route in refused


def test_a_request_that_broke_names_the_route_and_no_id(rf: RequestFactory, lines: list[str]) -> None:
    path = f"/portraits/user/{SECRET}/"
    request = rf.get(path)
    log_response("Internal Server Error: %s", path, response=HttpResponse(status=500), request=request)

    (broken,) = [line for line in lines if "Internal Server Error" in line]
    assert "piano" not in broken
    assert "unmatched" in broken
