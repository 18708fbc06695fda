"""Labelled chats, said to the product as turns, and what it knows afterwards."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

pytestmark = pytest.mark.django_db
CHATS = [
    {
        "id": "moved", "lang": "en", "type": "pair", "op": "update",
        "messages": [
            {"text": "I live in Berlin.", "learn": [{"statement": "lives in Berlin", "match": "berlin"}]},
            {"text": "I live in Hamburg now.", "learn": [{"statement": "lives in Hamburg", "match": "hamburg"}]},
        ],
        "question": "Where do I live?", "must": "hamburg", "must_not": "berlin",
    },
    {"id": "asked", "lang": "zh", "type": "single", "text": "北京今天多少度？", "learn": []},
    {
        "id": "unheard", "lang": "en", "type": "single", "text": "I live in Paris.",
        "learn": [{"statement": "has a yacht", "match": "yacht"}],
    },
]  # fmt: skip


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    path = tmp_path / "chats.jsonl"
    path.write_text("\n".join(map(json.dumps, CHATS)), "utf-8")
    return path


def test_what_is_said_is_learned_changed_and_asked_about(chats: Path, tmp_path: Path) -> None:
    report, out = tmp_path / "report.json", StringIO()

    call_command("evaluate_learning", chats, in_place=True, misses=True, json=report, stdout=out)

    told = json.loads(report.read_text("utf-8"))
    english, chinese = told["languages"]["en"], told["languages"]["zh"]
    assert (english["statements"], english["kept"], english["wrong_memories"]) == (3, 2, 1)
    assert (english["changed_rightly"], english["stale_answers"], english["stale_top"]) == (1, 0, 0)
    assert (chinese["idle_messages"], chinese["idle_taught"]) == (1, 0)
    assert {(miss["chat"], miss["what"]) for miss in told["misses"]} == {
        ("unheard", "missed"), ("unheard", "kept wrongly"),
    }  # fmt: skip
    assert "has a yacht" in out.getvalue()


def test_only_so_many_of_a_file(chats: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"

    call_command("evaluate_learning", chats, in_place=True, limit=1, json=report, stdout=StringIO())

    assert set(json.loads(report.read_text("utf-8"))["languages"]) == {"en"}


def test_a_file_that_is_none_is_an_error_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "chats.jsonl").write_text("{}\n", "utf-8")

    with pytest.raises(CommandError, match=r"Not a labelled chat: chats\.jsonl:1"):
        call_command("evaluate_learning", tmp_path / "chats.jsonl", in_place=True)
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("evaluate_learning", tmp_path / "none.jsonl", in_place=True)


def test_what_was_learned_is_said_again_wrapped(chats: Path) -> None:
    out = StringIO()

    call_command("evaluate_learning", chats, in_place=True, wrapped=True, stdout=out)

    table = out.getvalue().partition("What was learned wrapped")[2]
    rows = [line.split() for line in table.splitlines() if line.split()[:1] == ["en"]]
    kept, again, share, known, known_again, known_share = rows[0][1:]
    assert int(known) >= int(kept) > 10  # of two statements, each in all wraps that change it
    assert 0.0 < float(share) <= float(known_share) <= 1.0
    assert int(again) <= int(known_again) <= int(kept)
    assert ["en", "emoji"] in [row[:2] for row in rows]
