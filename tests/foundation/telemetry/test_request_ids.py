"""Every answer carries the id under which it stands in the log."""

from __future__ import annotations

import logging
from uuid import UUID

import pytest
import structlog
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from foundation.telemetry.middleware import HEADER, RequestIdMiddleware, request_id


def _answer(given_id: str | None = None) -> tuple[str, str]:
    """The id in the answer, and the one that the view saw."""
    seen: list[str] = []

    def view(request: HttpRequest) -> HttpResponse:
        seen.append(request_id(request))
        return HttpResponse()

    headers = {} if given_id is None else {HEADER: given_id}
    response = RequestIdMiddleware(view)(RequestFactory().get("/", headers=headers))
    return response.headers[HEADER], seen[0]


@pytest.mark.parametrize("well_formed", ["abcdefgh", "Trace-1.2_3" * 5, "x" * 64])
def test_a_well_formed_id_is_taken_over(well_formed: str) -> None:
    assert _answer(well_formed) == (well_formed, well_formed)


@pytest.mark.parametrize("given_id", [None, "", "short", "x" * 65, "two words", "line\tbreak", "电话号码一二三四五六"])
def test_any_other_is_replaced_by_one_of_our_own(given_id: str | None) -> None:
    answered, seen = _answer(given_id)

    assert answered == seen
    assert UUID(answered).version == 7


@given(given_id=st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=80))
def test_nothing_that_could_break_a_log_line_gets_through(given_id: str) -> None:
    answered, _ = _answer(given_id)

    assert 8 <= len(answered) <= 64
    assert all(character.isalnum() or character in "._-" for character in answered)


def test_two_requests_have_two_ids() -> None:
    assert _answer()[0] != _answer()[0]


def test_the_id_does_not_stay_on_the_thread(caplog: pytest.LogCaptureFixture) -> None:
    _answer("abcdefgh")
    with caplog.at_level(logging.INFO):
        structlog.get_logger("test").info("afterwards")

    assert "abcdefgh" not in caplog.text
