"""Export files of other assistants, handed in and undone over the API."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from tests.api.test_route_policy import METHODS
from tests.memory.importing.exports import MEM0
from tests.memory.importing.test_bringing_chats_in import CHAT
from tests.support.api import MISSING, code_of, send
from tests.support.cast import allow, allow_nothing

FILE = json.dumps([CHAT]).encode()


def hand_in(client: APIClient, body: bytes = FILE, media_type: str = "application/json", query: str = "") -> Any:
    address = f"/api/imports{query}"
    return client.generic("POST", address, body, content_type=media_type)  # type: ignore[arg-type]  # bytes too


def shown(client: APIClient, import_id: str) -> dict[str, Any]:
    return dict(client.get(f"/api/imports/{import_id}").json())


def test_nobody_sees_or_undoes_anothers(alice: User, charlie: User, as_alice: APIClient, as_charlie: APIClient) -> None:
    allow(alice)
    allow(charlie)
    address = f"/api/imports/{hand_in(as_alice).json()['import_id']}"
    assert code_of(as_charlie.get(address)) == "not_found"
    assert code_of(as_charlie.delete(address)) == "not_found"
    assert as_charlie.get("/api/imports").json()["results"] == []
    assert code_of(as_alice.get(f"/api/imports/{MISSING}")) == "not_found"


def test_who_is_not_signed_in_hands_nothing_in() -> None:
    assert hand_in(APIClient()).status_code == 401


@pytest.mark.parametrize(("path", "allowed"), [("imports", {"GET", "POST"}), (f"imports/{MISSING}", {"GET", "DELETE"})])
def test_other_methods_are_refused(as_alice: APIClient, path: str, allowed: set[str]) -> None:
    refused = [send(as_alice, method, f"/api/{path}", b"").status_code for method in METHODS if method not in allowed]
    assert set(refused) == {405}


def test_a_file_is_brought_in_watched_and_undone(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    answer = hand_in(as_alice)
    assert (answer.status_code, answer.json()["state"]) == (202, "pending")
    key = answer.json()["import_id"]
    assert code_of(hand_in(as_alice)) == "import_under_way"
    drain()
    done = shown(as_alice, key)
    assert (done["state"], done["assistant"], done["recorded"], done["reason"]) == ("done", "chatgpt", 2, "")
    assert done["understood"] == {"found_by_words": 2, "found_by_meaning": 2}
    assert [one["import_id"] for one in as_alice.get("/api/imports").json()["results"]] == [key]
    undone = as_alice.delete(f"/api/imports/{key}")
    assert (undone.status_code, undone.json()["state"]) == (202, "undone")
    drain()
    assert as_alice.get("/api/sessions").json()["results"] == []


def test_the_memories_of_a_program_say_where_they_come_from(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    body = json.dumps(MEM0).encode()
    key = hand_in(as_alice, body, query="?program=mem0").json()["import_id"]
    drain()
    done = shown(as_alice, key)
    assert (done["state"], done["assistant"], done["recorded"], done["conversations"]) == ("done", "mem0", 2, 0)
    [bees] = [one for one in as_alice.get("/api/memories").json()["results"] if "bees" in one["memory"]]
    assert (bees["provenance"]["imported_from"], bees["valid_at"]) == ("mem0", "2024-07-26T06:57:00.108347Z")
    hand_in(as_alice, body, query="?program=zep")
    drain()
    assert as_alice.get("/api/imports").json()["results"][0]["state"] == "refused"


def test_a_program_nobody_knows_is_refused(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    assert code_of(hand_in(as_alice, query="?program=clippy")) == "validation_error"


def test_the_list_asks_no_more_for_more_imports(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    asked = []
    for number in range(3):
        hand_in(as_alice, json.dumps([CHAT | {"conversation_id": f"c{number}"}]).encode())
        drain()
        with CaptureQueriesContext(connection) as queries:
            results = as_alice.get("/api/imports").json()["results"]
        asked.append(len(queries))
    assert [one["understood"]["found_by_meaning"] for one in results] == [2, 2, 2]
    assert asked[1] == asked[2]


@pytest.mark.parametrize("media_type", ["text/plain", "multipart/form-data; boundary=x", ""])
def test_other_bodies_are_refused(alice: User, as_alice: APIClient, media_type: str) -> None:
    allow(alice)
    assert code_of(hand_in(as_alice, media_type=media_type)) == "unsupported_media_type"


def test_a_broken_file_says_where(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    key = hand_in(as_alice, b"[\n{]").json()["import_id"]
    drain()
    refused = shown(as_alice, key)
    assert (refused["state"], refused["recorded"]) == ("refused", 0)
    assert refused["reason"].startswith("Line 2, character 2:")


def test_it_takes_the_learning_scope(alice: User, as_alice: APIClient) -> None:
    assert code_of(hand_in(as_alice)) == "profile_consent_required"
    allow_nothing(alice)
    assert code_of(hand_in(as_alice)) == "consent_scope_missing"


def test_a_file_may_be_larger_than_any_other_body_up_to_a_bound(
    alice: User, as_alice: APIClient, settings: Settings
) -> None:
    allow(alice)
    settings.MAX_BODY_BYTES = 1_000
    settings.MAX_IMPORT_BYTES = 5_000
    padded = io.BytesIO(FILE + b" " * (4_900 - len(FILE))).getvalue()
    assert hand_in(as_alice, padded).status_code == 202
    drain()
    assert code_of(hand_in(as_alice, FILE + b" " * 5_000)) == "payload_too_large"
    assert code_of(hand_in(as_alice, FILE + b" " * 9_000)) == "payload_too_large"
    assert code_of(send(as_alice, "POST", "/api/sessions", b" " * 1_500)) == "payload_too_large"


def test_an_erasure_by_scope_alone_undoes_no_import(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    body = json.dumps({"scope": "import", "target_id": MISSING, "confirm": "alice"}).encode()
    assert code_of(send(as_alice, "POST", "/api/users/me/erasure", body)) == "validation_error"
