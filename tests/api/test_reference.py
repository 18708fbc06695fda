"""The page on the HTTP contract says what the code does."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from finclaw.api.management.commands.document_api import PATH
from finclaw.api.reference import render_reference
from finclaw.statuses import STATUS_OF
from tests.api.test_route_policy import CONTRACT


def test_the_page_says_what_the_code_does() -> None:
    assert PATH.read_text(encoding="utf-8") == render_reference(), "run manage.py document_api"


def test_a_page_that_says_something_else_fails_the_check(tmp_path: Path) -> None:
    page = tmp_path / "api.md"
    with pytest.raises(CommandError, match=r"api\.md"):
        call_command("document_api", "--check", path=page, stdout=StringIO())
    call_command("document_api", path=page, stdout=StringIO())
    call_command("document_api", "--check", path=page, stdout=StringIO())
    page.write_text(page.read_text(encoding="utf-8").replace("Answer", "Question", 1), encoding="utf-8")
    with pytest.raises(CommandError, match=r"api\.md"):
        call_command("document_api", "--check", path=page, stdout=StringIO())


def test_every_operation_and_every_code_stands_in_it() -> None:
    page = render_reference()
    assert all(f"`{code}`" in page for code in STATUS_OF)
    described = sum(line.startswith("- `") and " /api/" in line for line in page.splitlines())
    assert described == sum(len(methods) for path, methods in CONTRACT.items() if path not in {"schema", "docs"})


def test_no_line_is_longer_than_a_page_is_wide() -> None:
    assert max(map(len, render_reference().splitlines())) <= 120


def test_a_deletion_that_needs_a_confirmation_says_so() -> None:
    page = render_reference()  # a schema has no body for DELETE: its description alone can tell
    said = page[page.index("`DELETE /api/memories` ") :].split("Answer:")[0]
    assert "A body must hold your user name under `confirm`." in " ".join(said.split())
