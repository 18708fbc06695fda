from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings

from foundation.model_usage.ceilings import ceiling_reader
from foundation.model_usage.usage_buffer import usage_buffer
from tests.support.model_server import ModelServer, Says

PRICES = {"big": {"input": 2, "cached_input": 0.5, "output": 8}, "little": {"input": "0.5", "output": 2}}


@pytest.fixture(autouse=True)
def _nothing_counted_yet() -> Iterator[None]:
    usage_buffer.take()
    ceiling_reader.forget()
    yield
    usage_buffer.take()
    ceiling_reader.forget()


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    """A large and a small model with prices. Each answer reads 1,000,000 tokens, half of them cached, and writes 0."""
    counted: dict[str, Any] = {"prompt_cache_hit_tokens": 500_000}
    with ModelServer(Says(prompt_tokens=1_000_000, completion_tokens=0, counted_besides=counted)) as running:
        settings.OPENAI_BASE_URL, settings.MODEL_MAX_RETRIES = running.base_url, 0
        settings.MODEL_LARGE, settings.MODEL_SMALL, settings.MODEL_PRICES = "big", "little", PRICES
        yield running
