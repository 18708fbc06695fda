from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.model_server import ModelServer


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running
