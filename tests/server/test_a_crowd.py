"""A crowd waits in line; who finds it too long is told when to come again, and liveness is answered all along."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

import httpx
import pytest
from django.db import connections, transaction

from foundation.accounts.models import ApiToken, User
from foundation.accounts.services import issue_token
from memory.models import Session
from tests.support.cast import allow
from tests.support.web_server import PATIENCE_SECONDS, WebServer, running_web_server

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True, databases=["default", "owner"])]


@pytest.fixture
def narrow_server(django_db_setup: None) -> Iterator[WebServer]:
    """One request computes at a time, one waits. In a single process: of three requests to two, none is refused."""
    narrow = {"WEB_COMPUTING": "1", "WEB_PLACE_SECONDS": "600", "WEB_LINE_LENGTH": "1", "WEB_LINE_SECONDS": "600"}
    with running_web_server(WEB_WORKERS="1", **narrow) as running:
        yield running


def test_who_comes_third_is_told_how_long_the_line_is(narrow_server: WebServer, alice: User) -> None:
    allow(alice)
    headers = {"Authorization": f"Token {issue_token(alice)[1]}"}

    def open_session(_: int) -> httpx.Response:
        return httpx.post(
            f"{narrow_server.address}/api/sessions", json={}, headers=headers, timeout=3 * PATIENCE_SECONDS
        )

    with ThreadPoolExecutor(3) as people:
        with transaction.atomic("owner"):
            with connections["owner"].cursor() as cursor:
                cursor.execute(f"LOCK TABLE {ApiToken._meta.db_table} IN ACCESS EXCLUSIVE MODE")
            answers = [people.submit(open_session, number) for number in range(3)]
            (refused,), _ = wait(answers, 3 * PATIENCE_SECONDS, FIRST_COMPLETED)
            assert httpx.get(f"{narrow_server.address}/health/live", timeout=PATIENCE_SECONDS).status_code == 200
        statuses = sorted(answer.result().status_code for answer in answers)
    assert refused.result().json()["code"] == "overloaded"
    assert refused.result().json()["details"] == {"waiting": 1}
    assert int(refused.result().headers["Retry-After"]) >= 1
    assert statuses == [201, 201, 503]
    assert Session.objects.count() <= 2
