"""What ``manage.py up`` does before web and worker start."""

from __future__ import annotations

import shutil
import socket
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from finclaw.catalogues import catalogue_path, translated_languages
from finclaw.management.commands.up import Command
from tests.support.ports import free_port


@pytest.fixture
def fresh_checkout(settings: Settings, tmp_path: Path) -> list[Path]:
    """Catalogues as a checkout holds them: nothing compiled. Where the compiled ones are to stand."""
    sources = [catalogue_path(language) for language in translated_languages()]
    settings.LOCALE_PATHS = [tmp_path]
    copies = [catalogue_path(language) for language in translated_languages()]
    for source, copy in zip(sources, copies, strict=True):
        copy.parent.mkdir(parents=True)
        shutil.copy(source, copy)
    return [copy.with_suffix(".mo") for copy in copies]


def test_the_catalogues_are_compiled(fresh_checkout: list[Path]) -> None:
    out = StringIO()

    Command(stdout=out).compile_catalogues()

    assert fresh_checkout
    assert all(compiled.exists() for compiled in fresh_checkout)
    assert out.getvalue() == ""


def test_where_they_cannot_be_written_one_line_says_what_to_do(
    fresh_checkout: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "write_bytes", refuse)
    out = StringIO()

    Command(stdout=out).compile_catalogues()

    (line,) = out.getvalue().splitlines()
    assert "manage.py compile_catalogues" in line


def test_a_port_that_is_taken_is_named_with_its_setting(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings.MCP_PORT = taken.getsockname()[1]

        with pytest.raises(CommandError, match=f"MCP_PORT={settings.MCP_PORT + 1} make run"):
            call_command("up", port=free_port())
