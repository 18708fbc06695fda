from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from foundation.outbox import jobs, stop_signal
from foundation.outbox.jobs import Handler
from tests.foundation.outbox import support


@pytest.fixture(autouse=True)
def _not_told_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test tells this process holds for that test alone."""
    monkeypatch.setattr(stop_signal, "STOP_REQUEST", stop_signal.StopRequest())


@pytest.fixture
def handlers(settings: Settings) -> Iterator[dict[str, Handler]]:
    """Topic → handler for this test alone: fill it, then drain."""
    settings.OUTBOX_HANDLERS = f"{support.__name__}.HANDLERS"
    settings.OUTBOX_RETRY_SECONDS = 2.0
    jobs.handlers.cache_clear()
    # handlers() copies the dict it finds, so the test fills the very copy that the worker reads.
    yield jobs.handlers()
    jobs.handlers.cache_clear()
