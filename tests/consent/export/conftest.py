from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Settings) -> Path:
    """Where this test's archives go."""
    settings.EXPORT_DIR = tmp_path / "exports"
    return tmp_path / "exports"
