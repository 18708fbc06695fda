"""A command that is killed while it fills the store goes on where it was, and ends with the same points."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from pytest_django import Settings

from foundation.embeddings import LocalEmbedder
from memory.models import Projection
from memory.projection import walk
from tests.support.cast import allow, make_person
from tests.support.embedders import embedding_with
from tests.support.projection import all_points, entries_of
from tests.support.talk import open_session, say

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[3]
PAGE = 4
# The second page stands in the store when the process dies, and its place is not noted yet.
KILLED = f"""
import os, signal, django
django.setup()
from django.core.management import call_command
from memory.projection import walk
walk.PAGE, note, pages = {PAGE}, walk._note_place, []
def noting(*arguments):
    pages.append(arguments)
    if len(pages) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    note(*arguments)
walk._note_place = noting
call_command("project_memory")
"""


def test_killed_it_goes_on_where_it_was(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.QDRANT_PATH = str(tmp_path / "store")
    monkeypatch.setattr(walk, "PAGE", PAGE)
    with embedding_with(LocalEmbedder()):
        alice = make_person("alice")
        allow(alice)
        say(alice, open_session(alice), *(f"I like tea number {number}." for number in range(6)))
        environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "bench.worker_settings",
            "BENCH_DATABASE": connection.settings_dict["NAME"],
            "QDRANT_PATH": settings.QDRANT_PATH,
            "MEMORY_PROJECTION": "written",
        }
        child = subprocess.run([sys.executable, "-c", KILLED], cwd=ROOT, env=environment, capture_output=True)
        assert child.returncode == -signal.SIGKILL, child.stderr.decode()
        left = Projection.objects.get()
        assert (left.written, left.walked_at) == (PAGE, None)
        assert len(all_points()) == 2 * PAGE

        out = StringIO()
        call_command("project_memory", stdout=out)

        entries = entries_of(alice)
        assert len(entries) > 2 * PAGE
        assert out.getvalue().split()[0] == str(2 * PAGE)  # it does not begin with the first page
        assert set(all_points()) == entries
        assert Projection.objects.get().written == len(entries)
