"""``docs/modules.md`` has every module with what it says of itself."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from finclaw.management.commands import document_modules


def test_the_page_says_what_the_modules_say() -> None:
    assert document_modules.PATH.read_text(encoding="utf-8") == document_modules.render_modules(), (
        "run manage.py document_modules"
    )


def test_a_stale_page_fails_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_modules, "PATH", tmp_path / "modules.md")
    with pytest.raises(CommandError, match=r"modules\.md"):
        call_command("document_modules", "--check", stdout=StringIO())
    call_command("document_modules", stdout=StringIO())
    call_command("document_modules", "--check", stdout=StringIO())


def test_a_module_stands_under_its_folder_with_its_first_sentence() -> None:
    page = document_modules.render_modules()
    folder = page[page.index("## `finclaw/web/`") :].split("\n## ")[0]
    [line] = [line for line in folder.splitlines() if line.startswith("- `links.py`: ")]
    assert line.endswith(".")
    assert "/migrations/" not in page
