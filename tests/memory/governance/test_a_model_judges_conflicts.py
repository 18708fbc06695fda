"""The small model is asked outside any transaction, hears only what is in conflict, and never has the last word."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import pytest
from django.test import override_settings

from foundation.accounts.models import User
from memory.governance.governor import UpkeepStep
from memory.models import MemoryItem
from tests.support.cast import A_MONDAY, allow
from tests.support.model_server import ModelServer, Refuses, Says
from tests.support.talk import memories
from tests.support.upkeep import govern, remember, reread

LATER = A_MONDAY + timedelta(days=30)


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    with (
        ModelServer() as server,
        override_settings(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="k", MODEL_MAX_RETRIES=0),
    ):
        yield server


def _conflict(user: User) -> tuple[MemoryItem, MemoryItem]:
    loser = remember(user, "Lives in Berlin", value="Berlin")
    return loser, remember(user, "Lives in Hamburg", value="Hamburg", valid_at=LATER)


def _verdicts(**by_id: str) -> Says:
    answers = [{"memory_id": key.removeprefix("id_"), "verdict": verdict} for key, verdict in by_id.items()]
    return Says((json.dumps({"verdicts": answers}),))


def _named(key: UUID) -> str:
    return f"id_{key}"


@pytest.mark.parametrize(("verdict", "left"), [("keep", 2), ("retire", 1), ("merge", 1)])
def test_its_verdict_on_a_loser_counts(alice: User, model_server: ModelServer, verdict: str, left: int) -> None:
    allow(alice)
    loser, _ = _conflict(alice)
    model_server.script([_verdicts(**{_named(loser.pk): verdict})])
    govern(alice, UpkeepStep.RESOLVE)
    assert len(memories(alice, superseded_at=None)) == left


def test_only_what_is_in_conflict_is_put_before_it(alice: User, model_server: ModelServer) -> None:
    allow(alice)
    _conflict(alice)
    remember(alice, "Follows BTC", "follows", "BTC")
    govern(alice, UpkeepStep.RESOLVE)
    [request] = model_server.requests
    asked = request.body["messages"][-1]["content"]
    assert "Lives in Berlin" in asked
    assert "BTC" not in asked


def test_it_retires_neither_the_winner_nor_what_it_was_not_asked_about(alice: User, model_server: ModelServer) -> None:
    allow(alice)
    loser, winner = _conflict(alice)
    fact = remember(alice, "Is allergic to peanuts", "allergy", "peanuts", epistemic_type="fact")
    wild = {_named(winner.pk): "retire", _named(fact.pk): "retire", _named(loser.pk): "keep"}
    model_server.script([_verdicts(**wild)])
    govern(alice, UpkeepStep.RESOLVE)
    assert {reread(alice, one.pk).state for one in (winner, fact, loser)} == {"active"}


@pytest.mark.parametrize("failing", [Refuses(500), Says(("no json",)), Says(('{"verdicts": [{"memory_id": 7}]}',))])
def test_when_it_fails_the_rule_decides_and_says_so(
    alice: User, model_server: ModelServer, failing: Refuses | Says
) -> None:
    allow(alice)
    loser, _ = _conflict(alice)
    model_server.script([failing])
    assert govern(alice, UpkeepStep.RESOLVE) == {"changed": {"resolve": 1}, "degraded": ["small_model_unavailable"]}
    assert reread(alice, loser.pk).state == "superseded"


def test_without_a_conflict_it_is_not_asked(alice: User, model_server: ModelServer) -> None:
    allow(alice)
    remember(alice, "Lives in Berlin", value="Berlin")
    govern(alice)
    assert model_server.requests == []
