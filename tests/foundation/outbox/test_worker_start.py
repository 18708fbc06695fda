"""What a background worker does before its processes are forked. Needs no database."""

from __future__ import annotations

import os
import subprocess
import sys

from django.conf import settings

_LOADED = """
import django, sys, threading
django.setup()
from finclaw.server.warm_up import warm_up_jobs
warm_up_jobs()
print("onnxruntime" in sys.modules, threading.active_count())
"""


def _run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "DJANGO_SETTINGS_MODULE": "finclaw.settings", **environment}
    return subprocess.run(
        [sys.executable, *arguments], cwd=settings.BASE_DIR, env=variables, capture_output=True, text=True, check=False
    )


def test_with_settings_that_cannot_be_read_it_stops_and_names_the_check() -> None:
    ended = _run("manage.py", "worker", MODEL_PRICES='{"small": "cheap"}')

    assert ended.returncode != 0
    assert "model_usage.E001" in ended.stderr


def test_what_is_loaded_before_the_fork_outlives_it() -> None:
    """Neither the embedder's runtime nor another thread would be there on the other side."""
    assert _run("-c", _LOADED, EMBEDDER="e5").stdout.split() == ["False", "1"]
