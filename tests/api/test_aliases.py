"""Former names of fields: their successor says the same, their end is told, and whoever still reads them is found."""

from __future__ import annotations

from collections import Counter
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from rest_framework.test import APIClient

from finclaw.api.aliases import ALIASES, ITEM_ID, find_uses
from foundation.accounts.models import User
from tests.support.cast import allow
from tests.web.support import memory_of

PORT = ("finclaw/api", "finclaw/mem0_api", "finclaw/openai_api", "finclaw/web", "clients/mcp", "templates")
"""Where our own code speaks to programs and pages: nothing new there names an alias."""
MEANT_OTHERWISE = {
    "finclaw/api/aliases.py": 1,
    "finclaw/api/items.py": 2,  # the alias itself
    "finclaw/api/memories.py": 1,  # the column of a change
    "finclaw/api/proposals.py": 1,  # the column of a proposal
    "finclaw/openai_api/response_events.py": 2,  # OpenAI's own field
    "finclaw/web/memory_changes.py": 1,
    "finclaw/web/views/proposals.py": 1,
}


def test_an_alias_says_what_its_successor_says(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    memory_of(alice, "Alice follows BTC")
    [memory] = as_alice.get("/api/memories").json()["results"]
    assert memory[ITEM_ID.name] == memory[ITEM_ID.successor]


def test_the_reference_says_that_it_ends_and_when(as_alice: APIClient) -> None:
    schema = as_alice.get("/api/schema?format=json").json()["components"]["schemas"]["ItemOutput"]["properties"]
    assert schema[ITEM_ID.name]["deprecated"] is True
    assert str(ITEM_ID.ends_on) in schema[ITEM_ID.name]["description"]


def test_our_own_doors_name_no_alias_but_where_they_define_it() -> None:
    found = Counter(
        use.file.relative_to(settings.BASE_DIR).as_posix()
        for use in find_uses(Path(settings.BASE_DIR) / folder for folder in PORT)
    )
    assert found == MEANT_OTHERWISE


def test_a_program_that_reads_one_is_told_where(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("key = memory['memory_id']\nkey = memory['item_id']\nmy_item_id = item_ids = 1\n")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "copy.py").write_text("item_id")
    said = StringIO()
    with pytest.raises(CommandError, match="1 uses of deprecated fields"):
        call_command("find_aliases", str(tmp_path), stdout=said)
    assert said.getvalue().splitlines() == [f"{program}:2: item_id ends on {ITEM_ID.ends_on}: use memory_id"]


def test_a_program_that_reads_none_passes_and_a_missing_folder_does_not(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("key = memory['memory_id']\n")
    call_command("find_aliases", str(tmp_path), stdout=StringIO())
    with pytest.raises(CommandError, match="There is no"):
        call_command("find_aliases", str(tmp_path / "nowhere"), stdout=StringIO())
    assert len({alias.name for alias in ALIASES}) == len(ALIASES)
