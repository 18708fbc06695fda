"""Fixtures of the tests of memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.former import upgraded

DUMP = Path(__file__).parent / "data" / "stored_by_the_static_model.sql.gz"


@pytest.fixture(scope="module")
def former_release(
    django_db_setup: None, django_db_blocker: pytest.FixtureRequest, request: pytest.FixtureRequest
) -> Iterator[None]:
    """A database that 0.1.0 filled, migrated; its README names what is in it."""
    with django_db_blocker.unblock(), upgraded(DUMP):  # type: ignore[attr-defined]
        yield
