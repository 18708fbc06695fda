"""The command brings its own database up where none runs, and leaves things as it found them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.conf import settings

from foundation.database.embedded_server import EmbeddedServer
from tests.memory.retrieval.test_evaluation_command import QUESTIONS, locomo_file

pytestmark = pytest.mark.workers


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    """One that does not run yet. Not in pytest's own folder: another pytest closes that one to PostgreSQL's account."""
    with TemporaryDirectory(prefix="finclaw-evaluation-") as folder:
        own = EmbeddedServer(Path(folder))
        yield own
        own.stop()


def evaluated(server: EmbeddedServer, dataset: Path) -> str:
    """What the command prints in a process of its own."""
    finished = subprocess.run(
        [sys.executable, "manage.py", "evaluate_retrieval", str(dataset)],
        cwd=settings.BASE_DIR,
        env=os.environ | {"FINCLAW_DATA_DIR": str(server.data_dir), "DATABASE_URL": "", "DATABASE_OWNER_URL": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_an_embedded_server_is_started_migrated_and_stopped_and_one_that_runs_goes_on(
    server: EmbeddedServer, tmp_path: Path
) -> None:
    dataset = locomo_file(tmp_path, QUESTIONS)

    assert "talk" in evaluated(server, dataset)
    assert not server.is_running()

    server.start()
    assert "talk" in evaluated(server, dataset)
    assert server.is_running()
