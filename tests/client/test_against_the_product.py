"""Each method of the client does what it says against the running product, with and without ``await``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from finclaw_client import (
    AnswerPiece,
    AnswerStored,
    ApiError,
    AsyncFinClaw,
    AuthenticationError,
    ConsentError,
    FinClaw,
    NotFoundError,
)
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from foundation.outbox.tasks import drain
from tests.support.cast import allow_nothing
from tests.support.coroutines import run_coroutine
from tests.support.model_server import ModelServer, Says

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_outsider_finds_nothing_and_a_stranger_is_nobody(
    as_alice: FinClaw, charlie: User, sign_in: Callable[[str], FinClaw]
) -> None:
    [kept] = as_alice.memories.add_verbatim("I own a vineyard.")["results"]
    as_charlie = sign_in(issue_token(charlie)[1])
    with pytest.raises(NotFoundError):
        as_charlie.memories.get(kept["memory_id"])
    assert list(as_charlie.memories.list()) == []
    with pytest.raises(AuthenticationError) as refused:
        sign_in("made-up").user()
    assert refused.value.code == "token_invalid"


def test_a_mistake_names_its_field(as_alice: FinClaw) -> None:
    with pytest.raises(ApiError, match="query: ") as refused:
        as_alice.memories.search(query="")
    assert (refused.value.code, list(refused.value.details)) == ("validation_error", ["query"])


def test_without_consent_nothing_is_kept_and_the_error_says_so(bob: User, sign_in: Callable[[str], FinClaw]) -> None:
    client = sign_in(issue_token(bob)[1])
    assert client.consent.get() is None
    allow_nothing(bob)
    with pytest.raises(ConsentError) as refused:
        client.memories.add("I own a vineyard.")
    assert refused.value.code == "consent_scope_missing"
    assert client.context(query="What do I own?")["withheld"] == "consent_missing"
    assert (consent := client.consent.get()) is not None
    assert consent["memory_learning_allowed"] is False


def test_a_memory_is_learned_found_corrected_explained_and_forgotten(as_alice: FinClaw) -> None:
    job = as_alice.memories.add("Please remember that I only buy dividend stocks.")
    drain()
    [change] = as_alice.jobs.wait(job["job_id"])["results"]
    assert change["event"] == "ADD"
    [found] = as_alice.memories.search(query="Which stocks do I buy?")["results"]
    assert found["memory_id"] == change["memory_id"]
    changed = as_alice.memories.update(found["memory_id"], content="I only buy growth stocks.")
    assert [row["memory"] for row in as_alice.memories.list()] == [changed["memory"]]
    assert len(as_alice.memories.history(changed["memory_id"])["results"]) == 2
    assert "growth stocks" in as_alice.context(query="Which stocks do I buy?", tokens=500)["text"]
    receipt = as_alice.memories.delete(changed["memory_id"])
    assert as_alice.erasures.get(receipt["tombstone_id"])["scope"] == "item"
    assert list(as_alice.memories.list(include_invalid=True)) == []


def test_a_list_goes_on_over_its_pages(as_alice: FinClaw) -> None:
    titles = [f"Talk {number}" for number in range(5)]
    for title in titles:
        as_alice.sessions.create(title=title)
    rows, cursor = as_alice.sessions.list(page_size=2).page()
    assert len(rows) == 2
    assert cursor is not None
    assert [row["title"] for row in as_alice.sessions.list(page_size=2)] == titles[::-1]


def test_an_archive_is_downloaded_once_it_is_ready(as_alice: FinClaw, tmp_path: Path) -> None:
    export = as_alice.exports.create()
    drain()
    size = as_alice.exports.download(export["export_id"], tmp_path / "archive.zip")
    assert size == (tmp_path / "archive.zip").stat().st_size > 0
    with ZipFile(tmp_path / "archive.zip") as archive:
        assert archive.testzip() is None


def test_a_turn_is_answered_at_once_or_piece_by_piece_with_await(
    as_alice: FinClaw, alice: User, live_server: LiveServer, settings: Settings
) -> None:
    session, token = as_alice.sessions.create(title="Bonds")["session_id"], issue_token(alice)[1]

    async def talk() -> tuple[str, str, list[str]]:
        async with AsyncFinClaw(live_server.url, token) as client:
            said = (await client.turns.send(session, "What happened to bonds?"))["reply"]
            pieces, stored = "", ""
            async with client.turns.stream(session, "And to shares?") as events:
                async for event in events:
                    if isinstance(event, AnswerPiece):
                        pieces += event.text
                    elif isinstance(event, AnswerStored):
                        stored = event.turn["reply"]
            assert pieces == stored
            return said, stored, [row["role"] async for row in client.sessions.messages(session, page_size=3)]

    with ModelServer(Says(("They fell.",))) as server:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = server.base_url, "test"
        assert run_coroutine(talk) == ("They fell.", "They fell.", ["user", "assistant"] * 2)
