"""What can be configured is written down, and what is written down is read."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
READ = re.compile(r"env\.\w+\(\s*\"([A-Z_]+)\"|environ\.get\(\s*\"([A-Z_]+)\"")
NOT_FOR_PEOPLE = {"FINCLAW_PROCESS"}  # set by the command that starts the process


def _read_in_code() -> set[str]:
    files = [*(ROOT / "finclaw" / "settings").glob("*.py"), ROOT / "finclaw" / "management" / "commands" / "up.py"]
    return {a or b for file in files for a, b in READ.findall(file.read_text())}


def test_the_example_lists_every_variable_and_no_other() -> None:
    listed = set(re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert listed == _read_in_code() - NOT_FOR_PEOPLE


def _in_a_process_of_its_own(code: str, environment: dict[str, str]) -> str:
    clean = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME"}}
    finished = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=clean | {"DJANGO_SETTINGS_MODULE": "finclaw.settings"} | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return finished.stdout.strip()


def test_the_example_as_it_stands_means_the_defaults() -> None:
    example = {
        name: value.partition(" ")[0]
        for name, value in re.findall(r"^([A-Z_]+)=(.*)$", (ROOT / ".env.example").read_text(), re.MULTILINE)
    }
    names = "DATA_DIR DATABASES ALLOWED_HOSTS CSRF_TRUSTED_ORIGINS RETRIEVAL_STRATEGY SESSION_TTL_HOURS DEBUG HTTPS"
    code = f"from django.conf import settings; print([getattr(settings, n) for n in {names.split()!r}])"
    assert _in_a_process_of_its_own(code, example) == _in_a_process_of_its_own(code, {})


def test_a_secret_may_come_from_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "key"
    secret.write_text("from a file\n")
    code = "from django.conf import settings; print(settings.OPENAI_API_KEY.strip())"
    assert _in_a_process_of_its_own(code, {"OPENAI_API_KEY_FILE": str(secret)}) == "from a file"


def test_only_web_processes_pool_their_connections() -> None:
    code = "from django.conf import settings; print('pool' in settings.DATABASES['default']['OPTIONS'])"
    assert _in_a_process_of_its_own(code, {"FINCLAW_PROCESS": "web"}) == "True"
    assert _in_a_process_of_its_own(code, {"FINCLAW_PROCESS": "worker"}) == "False"


@pytest.mark.parametrize("directive", ["script-src", "style-src", "default-src"])
def test_the_content_security_policy_allows_nothing_unsafe(directive: str) -> None:
    policy = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    assert not any("unsafe" in str(source) or source == "*" for source in policy[directive])


def test_no_lock_file_names_a_host() -> None:
    for lock in ROOT.glob("requirements*.lock"):
        assert not re.search(r"https?://|--(?:extra-)?index-url|--find-links", lock.read_text()), lock.name


def test_a_guess_at_a_password_is_as_dear_as_owasp_asks_outside_the_tests() -> None:
    code = (
        "import django; django.setup(); from django.contrib.auth.hashers import get_hasher;"
        " print(get_hasher().algorithm, get_hasher().iterations >= 600_000)"
    )
    assert _in_a_process_of_its_own(code, {}) == "pbkdf2_sha256 True"
