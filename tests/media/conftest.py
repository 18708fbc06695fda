"""Files of tests lie in a folder of their own, and are gone after each test."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from finclaw.settings.media import storages_for
from foundation.accounts.models import User
from media.extraction import services
from tests.media.attaching import extract_without_pictures
from tests.support.api import signed_in


@pytest.fixture(autouse=True)
def media_folder(tmp_path: Path, settings: Settings) -> Path:
    """The folder of the storage."""
    folder = tmp_path / "media"
    settings.STORAGES = storages_for(folder)
    return folder


@pytest.fixture(autouse=True)
def pictures_say_nothing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading a picture takes seconds: only a test that asks for ``reads_pictures`` has it done."""
    if "reads_pictures" not in request.fixturenames:
        monkeypatch.setattr(services, "extract_apart", extract_without_pictures)


@pytest.fixture
def reads_pictures() -> None:
    """What pictures say is read."""


@pytest.fixture
def as_alice(alice: User) -> APIClient:
    """Alice, by a token of hers."""
    return signed_in(alice)


@pytest.fixture
def as_bob(bob: User) -> APIClient:
    """Bob, by a token of his."""
    return signed_in(bob)


@pytest.fixture
def as_charlie(charlie: User) -> APIClient:
    """Charlie, who never decided on consent."""
    return signed_in(charlie)
