"""A knowledge store that is not there is told at start. Needs no database."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from knowledge.checks import the_knowledge_store_is_there


@pytest.mark.parametrize("path", ["no.such.Store", "knowledge.stores.empty_store.NoSuchStore", "nothing"])
def test_a_store_that_cannot_be_imported_is_refused(settings: Settings, path: str) -> None:
    settings.KNOWLEDGE_STORE = path
    assert [error.id for error in the_knowledge_store_is_there()] == ["knowledge.E001"]


@pytest.mark.parametrize("path", ["knowledge.stores.postgres.PostgresStore", "knowledge.stores.empty_store.EmptyStore"])
def test_those_that_come_along_are_there(settings: Settings, path: str) -> None:
    settings.KNOWLEDGE_STORE = path
    assert the_knowledge_store_is_there() == []
