"""Operators import files of knowledge on the server."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from finclaw import operator_sign_in
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from knowledge.models import KnowledgeEntry
from tests.support.cast import PASSWORD

CSV = "external_id,text\nhours,We open at nine.\n,Refunds take five days.\n"


def _count() -> int:
    with in_role(OPERATOR_ROLE):
        return KnowledgeEntry.objects.count()


@pytest.fixture
def tenant(db: None) -> Tenant:
    return Tenant.objects.create(name="Krugerrand Ltd")


@pytest.fixture
def run(operator: User, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Callable[..., str]:
    """Runs the command as Olivia, who types her password."""
    settings.OPERATOR_SECOND_FACTOR = False
    monkeypatch.setattr(operator_sign_in, "getpass", lambda prompt: PASSWORD)

    def called(*arguments: str) -> str:
        out = StringIO()
        call_command("import_knowledge", *arguments, "--operator", "olivia", stdout=out)
        return out.getvalue()

    return called


def test_an_operator_imports_on_the_server(tenant: Tenant, run: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "entries.csv"
    path.write_text(CSV, encoding="utf-8")
    assert "Nothing was written: 2 added" in run(str(path), "--tenant", tenant.name, "--dry-run")
    assert _count() == 0
    assert "Written: 2 added, 0 changed" in run(str(path), "--tenant", tenant.name)
    assert "Written: 0 added, 0 changed, 2 same" in run(str(path), "--tenant", tenant.name)
    path.write_text("text\nAsk wang.xiaoming@example.com.\n", encoding="utf-8")
    with pytest.raises(CommandError, match="line 2: "):
        run(str(path), "--tenant", tenant.name)
    with pytest.raises(CommandError, match="must end in"):
        run(str(tmp_path / "entries.xls"), "--tenant", tenant.name)
