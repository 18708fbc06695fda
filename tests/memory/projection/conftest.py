from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from memory.models import Projection
from memory.projection.registry import begin_projection
from tests.support.embedders import WordsEmbedder, embedding_with
from tests.support.projection import forget_stores


@pytest.fixture(autouse=True)
def model(settings: Settings) -> Iterator[WordsEmbedder]:
    """Memory is written into a store of this process, embedded by a model of short vectors."""
    settings.QDRANT_URL, settings.QDRANT_PATH, settings.MEMORY_PROJECTION = "", ":memory:", "written"
    with embedding_with(embedder := WordsEmbedder("words-1")):
        yield embedder
    forget_stores()


@pytest.fixture
def projection(model: WordsEmbedder, db: None) -> Projection:
    """The projection, before anybody said anything."""
    return begin_projection()
