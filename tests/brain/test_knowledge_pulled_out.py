"""B's acceptance: with the knowledge store replaced by a no-op, every conversation goes as it did (B-6, seed B §6).

The whole suite of the turn, once more.
"""

from __future__ import annotations

import pytest
from pytest_django import Settings

from knowledge.configuration import configured_store
from tests.brain.test_turn import *  # noqa: F403


@pytest.fixture(autouse=True)
def _pulled_out(settings: Settings) -> None:
    settings.KNOWLEDGE_STORE = "knowledge.stores.nothing.NothingStore"


def test_there_is_nothing_to_ask() -> None:
    assert configured_store().capabilities() == frozenset()
