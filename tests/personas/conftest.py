from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from tests.support.speaking import persona_file


@pytest.fixture
def configure(tmp_path: Path, settings: Settings) -> Callable[[str], None]:
    """Let persona.yaml say this."""
    return persona_file(tmp_path, settings)
