"""The units of systemd and the compose file start what is there, with variables that are read."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands

from tests.deploy.proxies import EXAMPLES

UNITS = sorted((EXAMPLES / "systemd").glob("*.service"))
STARTED = {"python": "/opt/finclaw/.venv/bin/python", "patroni": "/opt/finclaw-patroni/bin/patroni"}
COMPOSE: dict[str, Any] = yaml.safe_load((EXAMPLES / "compose.yml").read_text())


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_takes_a_unit(unit: Path, tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    assert program, "systemd-analyze is not here: .ci/system-packages installs it on Debian"
    text = unit.read_text()
    for installed in STARTED.values():
        text = text.replace(installed, "/bin/true")
    own = tmp_path / unit.name
    own.write_text(text)
    verified = subprocess.run([program, "verify", "--man=no", str(own)], capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stderr) == (0, "")


def test_units_and_containers_run_commands_that_there_are() -> None:
    texts = [unit.read_text() for unit in UNITS]
    texts += [(EXAMPLES / name).read_text() for name in ("compose.yml", "Dockerfile")]
    commands = {found for text in texts for found in re.findall(r"manage\.py,? (\w+)", text)}

    assert {"web", "worker", "migrate"} <= commands <= set(get_commands())


def test_the_environment_names_only_variables_that_are_read() -> None:
    named = set(re.findall(r"^([A-Z_]+)=", (EXAMPLES / "finclaw.env.example").read_text(), re.MULTILINE))
    read = set(re.findall(r"^([A-Z_]+)=", (settings.BASE_DIR / ".env.example").read_text(), re.MULTILINE))

    assert named <= read
    assert {"SECRET_KEY", "DATABASE_URL", "ERASURE_JOURNAL"} <= named


def test_the_web_containers_listen_where_nginx_looks_for_them() -> None:
    ports = {service["environment"]["PORT"] for name, service in _services().items() if name.startswith("web")}
    looked_for = set(re.findall(r"server 127\.0\.0\.1:(\d+) max_fails", (EXAMPLES / "nginx.conf").read_text()))

    assert ports == looked_for
    assert all(service["network_mode"] == "service:nginx" for name, service in _services().items() if "web" in name)


def _services() -> dict[str, Any]:
    services: dict[str, Any] = COMPOSE["services"]
    return services
