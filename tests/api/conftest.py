from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from rest_framework.test import APIClient

from foundation.accounts.models import User
from tests.support.api import signed_in


@pytest.fixture(autouse=True)
def _fresh_rate_limits() -> Iterator[None]:
    """One test's requests do not count against the next one's limit."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def as_alice(alice: User) -> APIClient:
    return signed_in(alice)


@pytest.fixture
def as_bob(bob: User) -> APIClient:
    return signed_in(bob)


@pytest.fixture
def as_charlie(charlie: User) -> APIClient:
    return signed_in(charlie)
