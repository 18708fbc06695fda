"""A command that needs the database and finds none says in one line what to start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

NOWHERE = "postgresql://finclaw_app@127.0.0.1:1/finclaw"  # nothing listens on port 1


def _run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("DATABASE_")}
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(
        command, cwd=settings.BASE_DIR, env=own | environment, capture_output=True, text=True, check=False
    )


OTHERS = [
    pytest.param(command, marks=pytest.mark.proof) for command in (("erase_for", "--pending"), ("reembed", "--status"))
]


@pytest.mark.parametrize("command", [("kill_switch",), *OTHERS])
def test_it_says_how_to_start_the_embedded_server(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = _run(*command, FINCLAW_DATA_DIR=str(tmp_path))

    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    assert "manage.py database start" in line


def test_it_names_the_setting_of_a_database_of_ones_own(tmp_path: Path) -> None:
    done = _run("kill_switch", FINCLAW_DATA_DIR=str(tmp_path), DATABASE_URL=NOWHERE, DATABASE_OWNER_URL=NOWHERE)

    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    assert "DATABASE_URL" in line
    assert "127.0.0.1" not in line


def test_a_command_that_needs_none_works_without(tmp_path: Path) -> None:
    done = _run("database", "status", FINCLAW_DATA_DIR=str(tmp_path))

    assert (done.returncode, done.stdout.strip()) == (0, "PostgreSQL is not running.")
