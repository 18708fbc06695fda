"""An import masks and refuses like every other door, a record at a time."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.importing.imported_people import username_of
from memory.models import ConversationEvent

pytestmark = pytest.mark.django_db
_CARD = "4242 4242 4242 4242"


def _imported(tmp_path: Path, *lines: dict[str, Any]) -> tuple[str, list[str]]:
    """What the command says, and Dora's messages afterwards."""
    path, said = tmp_path / "lines.jsonl", StringIO()
    common = {"conversation": "diary", "session": "monday", "speaker": "Dora"}
    path.write_text("\n".join(json.dumps(common | line) for line in lines), encoding="utf-8")
    try:
        call_command("import_conversations", path, format="jsonl", stdout=said, stderr=said)
    except CommandError as error:
        said.write(str(error))
    dora = User.objects.filter(username=username_of("diary", "Dora")).first()
    if dora is None:
        return said.getvalue(), []
    with acting_as(dora.pk):
        return said.getvalue(), [event.text for event in ConversationEvent.objects.order_by("seq")]


def test_a_refused_line_is_named_by_its_number_and_the_rest_goes_on(tmp_path: Path) -> None:
    said, texts = _imported(tmp_path, {"text": "first"}, {"text": f"card {_CARD}"}, {"text": "third"})
    assert texts == ["first", "third"]
    assert "line 2: " in said
    assert "2 messages imported, 0 were there already, 1 records refused" in said
    assert _CARD not in said


def test_addresses_are_masked_and_speakers_keep_their_names(tmp_path: Path) -> None:
    _, texts = _imported(tmp_path, {"text": "Hi, I'm Dora."}, {"text": "我的邮箱是carol@example.com"})
    assert texts == ["Hi, I'm Dora.", "我的邮箱是[redacted:email]"]


@pytest.mark.parametrize("field", ["conversation", "session"])
def test_names_of_conversations_are_refused_without_being_shown(tmp_path: Path, field: str) -> None:
    said, texts = _imported(tmp_path, {"text": "first", field: f"card {_CARD}"})
    assert texts == []
    assert _CARD not in said
    assert "1 refused" in said
    assert not User.objects.filter(username__contains="4242").exists()
