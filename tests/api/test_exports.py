"""Everything about oneself, asked for and fetched over the API (C-12)."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from consent.export.verification import verify_archive
from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from tests.api.test_route_policy import METHODS
from tests.support.api import MISSING, code_of, post, send
from tests.support.cast import allow
from tests.support.talk import open_session, say


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, settings: Settings) -> None:
    settings.EXPORT_DIR = tmp_path / "exports"


def _asked(client: APIClient) -> dict[str, Any]:
    answer = post(client, "/api/users/me/export")
    assert answer.status_code == 202
    return dict(answer.json())


def test_nobody_exports_or_sees_anothers(
    alice: User, as_alice: APIClient, charlie: User, as_charlie: APIClient
) -> None:
    export = _asked(as_alice)["export_id"]

    assert code_of(post(as_charlie, f"/api/users/{alice.pk}/export")) == "not_found"
    assert code_of(as_charlie.get(f"/api/exports/{export}")) == "not_found"
    assert as_charlie.get("/api/exports").json()["results"] == []
    assert code_of(as_alice.get(f"/api/exports/{MISSING}")) == "not_found"


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("users/me/export", "POST"), ("exports", "GET"), (f"exports/{MISSING}", "GET"), ("exports/download/x", "GET")],
)
def test_other_methods_are_refused(as_alice: APIClient, path: str, allowed: str) -> None:
    refused = [send(as_alice, method, f"/api/{path}", b"").status_code for method in METHODS if method != allowed]

    assert refused == [405] * 4


@pytest.mark.parametrize("body", [b'{"user_id": "x"}', b"[1]", b'"all"', b"{"])
def test_asking_takes_no_body(as_alice: APIClient, body: bytes) -> None:
    answer = send(as_alice, "POST", "/api/users/me/export", body)

    assert answer.status_code == 400
    assert as_alice.get("/api/exports").json()["results"] == []


@pytest.mark.parametrize("token", ["x", "a:b:c", "%00", "茶", "x" * 2_000, "..%2f..%2fsecret_key"])
def test_a_link_that_was_never_given_opens_nothing(db: None, token: str) -> None:
    answer = APIClient().get(f"/api/exports/download/{token}")

    assert code_of(answer) == "not_found"


def test_one_that_waits_is_shown_and_answered_again(alice: User, as_alice: APIClient) -> None:
    first, second = _asked(as_alice), _asked(as_alice)

    assert first == second
    assert first | {"export_id": ""} == {
        "export_id": "", "state": "pending", "progress": 0, "size": None, "sha256": "", "expires_at": None,
        "download_url": None,
    }  # fmt: skip
    assert as_alice.get("/api/exports").json()["results"] == [first]
    assert as_alice.get(f"/api/exports/{first['export_id']}").json() == first
    assert post(as_alice, f"/api/users/{alice.pk}/export").json() == first


@pytest.mark.django_db(transaction=True)
def test_a_ready_one_is_fetched_by_its_link_alone_until_it_expires(
    alice: User, as_alice: APIClient, tmp_path: Path
) -> None:
    allow(alice)
    say(alice, open_session(alice), "I follow BTC.")
    path = f"/api/exports/{_asked(as_alice)['export_id']}"
    drain()

    export = as_alice.get(path).json()
    assert (export["state"], export["progress"]) == ("ready", 100)
    url = urlsplit(export["download_url"])
    assert (url.scheme, url.netloc) == ("http", "testserver")
    answer: Any = APIClient().get(url.path)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    assert answer["Content-Disposition"].startswith('attachment; filename="finclaw-')
    assert "no-store" in answer["Cache-Control"]
    assert answer.streaming
    fetched = b"".join(answer.streaming_content)
    assert (len(fetched), hashlib.sha256(fetched).hexdigest()) == (export["size"], export["sha256"])
    (tmp_path / "fetched.zip").write_bytes(fetched)
    assert verify_archive(tmp_path / "fetched.zip").is_sound

    with time_machine.travel(timezone.now() + timedelta(days=8), tick=False):
        assert code_of(APIClient().get(url.path)) == "not_found"
        assert as_alice.get(path).json()["download_url"] is None
