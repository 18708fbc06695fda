"""The measurement of exports measures: a few rows of it, through a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from bench.export import measure


@pytest.mark.workers
@pytest.mark.django_db(transaction=True)
def test_a_few_memories_are_exported_and_verified(tmp_path: Path) -> None:
    figures = measure(settings.DATABASES["default"]["NAME"], 30, tmp_path)

    assert figures["rows"] >= 30
    assert 0 < figures["of it before MB"] <= figures["peak MB"]
