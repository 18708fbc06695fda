"""What a model reads in a message is kept under the slots that were asked for, no longer than a name is, and once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import override_settings

from finclaw.brain.types import Intent
from finclaw.brain.understanding import message_reading
from finclaw.brain.understanding.message_reading import (
    LONGEST_ENTITY,
    MOST_ENTITIES,
    UnderstoodMessage,
    joined_reading,
    read_message,
)
from foundation.llm import configured_model
from tests.support.model_server import ModelServer, Says

ANSWER = {
    "intent_type": "chat", "confidence": 0.9, "action_required": False, "context_hints": [], "extracted_entities": {},
    "queries": [],
}  # fmt: skip


@pytest.fixture
def server() -> Iterator[ModelServer]:
    message_reading._cache.clear()
    with (
        ModelServer() as server,
        override_settings(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="k", MODEL_MAX_RETRIES=0),
    ):
        yield server


def _answers(server: ModelServer, **given: Any) -> None:
    server.script([Says((json.dumps(ANSWER | given),))])


@pytest.mark.parametrize(
    ("named", "kept"),
    [
        ({"tickers": ["NVDA"], "role": ["admin"]}, {"tickers": ["NVDA"]}),
        ({"places": ["x" * 500]}, {"places": ["x" * LONGEST_ENTITY]}),
        ({"metrics": [str(n) for n in range(99)]}, {"metrics": [str(n) for n in range(MOST_ENTITIES)]}),
        ({"people": []}, {}),
    ],
    ids=["another slot", "a long name", "many names", "none"],
)
def test_slots_are_those_asked_for_and_bounded(
    server: ModelServer, named: dict[str, Any], kept: dict[str, list[str]]
) -> None:
    _answers(server, extracted_entities=named)
    assert read_message("What about Nvidia?", configured_model(None)).intent.extracted_entities == kept


def test_the_same_message_is_sent_once(server: ModelServer) -> None:
    _answers(server, queries=["risk appetite"])
    first = read_message("Should I buy Moutai?", configured_model(None))
    assert read_message("should I buy MOUTAI?", configured_model(None)) == first
    assert first.queries == ("risk appetite",)
    assert len(server.requests) == 1


def test_a_query_that_holds_a_secret_is_dropped(server: ModelServer) -> None:
    _answers(server, queries=["card 4242 4242 4242 4242", "cards"])
    assert read_message("My cards?", configured_model(None)).queries == ("cards",)


def test_what_the_rules_recognised_stays_beside_it() -> None:
    by_rules = Intent("chat", 0.4, True, {"tickers": ["NVDA"], "times": ["today"]}, ("question",))
    read = Intent("research", 0.9, False, {"tickers": ["NVDA", "AMD"]}, ("question", "shares"))
    joined = joined_reading(by_rules, UnderstoodMessage(read, ("chips",)))
    assert joined == UnderstoodMessage(
        Intent("research", 0.9, True, {"tickers": ["NVDA", "AMD"], "times": ["today"]}, ("question", "shares")),
        ("chips",),
    )
