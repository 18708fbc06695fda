"""What a background worker does before its processes are forked. Needs no database."""

from __future__ import annotations

import os
import subprocess
import sys

from django.conf import settings

_LOADED = """
import django, os, threading
django.setup()
from finclaw.server.warm_up import warm_up_jobs
from foundation.encoder import e5, embedded_encoder
warm_up_jobs()
assert e5._loaded and threading.active_count() == 1
made = embedded_encoder().embed_passages(["I follow BTC."]).tobytes()
pid = os.fork()
if not pid:
    os._exit(made != embedded_encoder().embed_passages(["I follow BTC."]).tobytes())
print(os.waitpid(pid, 0)[1])
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


def test_the_encoder_is_loaded_before_the_fork_and_outlives_it() -> None:
    assert _run("-c", _LOADED, EMBEDDER="e5").stdout.split() == ["0"]
