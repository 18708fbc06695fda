"""What a model names in a message is kept under the slots that were asked for, and no longer than a name is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import override_settings

from finclaw.brain.understanding.intent import LONGEST_ENTITY, MOST_ENTITIES, read_intent
from foundation.language import ParsedMessage
from foundation.llm import configured_model
from tests.support.model_server import ModelServer, Says

ANSWER = {"intent_type": "chat", "confidence": 0.9, "action_required": False, "context_hints": []}


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
def test_slots_are_those_asked_for_and_bounded(named: dict[str, Any], kept: dict[str, list[str]]) -> None:
    with (
        ModelServer() as server,
        override_settings(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="k", MODEL_MAX_RETRIES=0),
    ):
        server.script([Says((json.dumps(ANSWER | {"extracted_entities": named}),))])
        intent = read_intent(ParsedMessage("What about Nvidia?"), configured_model(None))

    assert intent.extracted_entities == kept
