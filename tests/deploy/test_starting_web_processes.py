"""``manage.py web`` becomes one web server of several, with connections and metrics of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from gunicorn.config import Config

from finclaw import standby
from finclaw.management.commands.up import web_arguments
from finclaw.server import gunicorn_settings, warm_up
from foundation import long_lived_heap
from tests.support.waiting import PATIENCE_SECONDS

FORKS = """
from gevent import monkey
monkey.patch_all()
import os, django
django.setup()
from finclaw.server import warm_up
warm_up.warm_up_head()
pid = os.fork()
if not pid:
    warm_up._rehearse("Why did yields fall?")
    os._exit(0)
print(os.waitpid(pid, 0)[1])
"""


class BecameAnother(Exception):
    """The process is another program now."""


@pytest.mark.parametrize(("projection", "web", "jobs"), [("searched", 1, 1), ("written", 0, 1), ("off", 0, 0)])
def test_qdrants_client_is_loaded_before_anybody_waits_for_it(
    monkeypatch: pytest.MonkeyPatch, projection: str, web: int, jobs: int
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr(warm_up, "load_library", lambda: loaded.append("qdrant"))
    monkeypatch.setattr(settings, "QDRANT_PATH", ":memory:")
    monkeypatch.setattr(settings, "MEMORY_PROJECTION", projection)
    warm_up.warm_up_head()
    assert len(loaded) == web
    warm_up.warm_up_jobs()
    assert len(loaded) == web + jobs


def test_it_becomes_the_web_server_at_its_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    became: list[tuple[list[str], dict[str, str]]] = []

    def execve(program: str, arguments: list[str], environment: dict[str, str]) -> None:
        became.append((arguments, environment))
        raise BecameAnother

    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    (tmp_path / "metrics-web-8001").mkdir()
    (tmp_path / "metrics-web-8001" / "counter_1.db").touch()
    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.setattr(os, "chdir", lambda _: None)
    with pytest.raises(BecameAnother):
        call_command("web", port=8001)
    ((arguments, environment),) = became
    assert "127.0.0.1:8001" in arguments
    assert environment["FINCLAW_PROCESS"] == "web"
    assert environment["PROMETHEUS_MULTIPROC_DIR"] == str(tmp_path / "metrics-web-8001")
    assert list((tmp_path / "metrics-web-8001").iterdir()) == []


def test_a_port_must_be_named() -> None:
    with pytest.raises(CommandError, match="port"):
        call_command("web")


def test_an_address_may_hold_a_long_question() -> None:
    given = Config().parser().parse_args(web_arguments("127.0.0.1", 8001)[2:])

    assert given.limit_request_line == 8190


def test_it_leaves_no_socket_in_the_home_of_whoever_starts_it() -> None:
    given = Config().parser().parse_args(web_arguments("127.0.0.1", 8001)[2:])

    assert given.control_socket_disable


def test_a_spare_waits_once_it_has_loaded_everything_and_before_it_binds_its_port(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []
    monkeypatch.setattr(warm_up, "warm_up_head", lambda: done.append("loaded"))
    monkeypatch.setattr(long_lived_heap, "freeze_heap", lambda: done.append("frozen"))
    monkeypatch.setattr(standby, "wait_until_needed", lambda: done.append("waited"))

    given = Config()
    given.set("on_starting", gunicorn_settings.on_starting)
    given.on_starting(None)

    assert done == ["loaded", "frozen", "waited"]


def test_what_its_main_process_loads_is_read_with_in_those_that_it_forks() -> None:
    own = {"DJANGO_SETTINGS_MODULE": "finclaw.settings", "EMBEDDER": "e5", "FINCLAW_PROCESS": "web"}
    finished = subprocess.run(
        [sys.executable, "-c", FORKS],
        cwd=settings.BASE_DIR,
        env=os.environ | own,
        stdout=subprocess.PIPE,
        timeout=PATIENCE_SECONDS,  # a thread of the main process would be waited for for ever
        check=True,
    )
    assert finished.stdout.split() == [b"0"]
