from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.embedders import WordsEmbedder, embedding_with


@pytest.fixture
def old() -> str:
    """The model that embeds what is said before another is configured."""
    return "old-1"


@pytest.fixture
def new(old: str) -> Iterator[WordsEmbedder]:
    """Another model, with which a test says where it begins: the old one is configured at first."""
    with embedding_with(WordsEmbedder(old, dimensions=20)):
        yield WordsEmbedder("new-1")
