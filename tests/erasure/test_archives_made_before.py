"""An archive made before an erasure was asked for is handed out no more, even before the worker deletes it (C-9)."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from foundation.accounts.models import User
from tests.consent.export.support import built
from tests.support.api import signed_in
from tests.support.cast import allow

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_is_refused_from_the_moment_of_asking(alice: User, settings: Settings, tmp_path: Path) -> None:
    settings.ERASURE_JOURNAL, settings.EXPORT_DIR = str(tmp_path / "journal.jsonl"), tmp_path / "exports"
    allow(alice)
    program, export = signed_in(alice), built(alice)
    link = program.get(f"/api/exports/{export.pk}").json()["download_url"]
    assert program.get(link).status_code == 200
    assert program.delete("/api/memories", {"confirm": "alice"}).status_code == 202
    assert program.get(link).status_code == 404
    link = program.get(f"/api/exports/{built(alice).pk}").json()["download_url"]
    assert program.get(link).status_code == 200
