from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def _nobody_registered_before() -> Iterator[None]:
    """Registrations are limited by the address, and all tests have one."""
    cache.clear()
    yield
    cache.clear()
