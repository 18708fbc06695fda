"""An old ``end_summaries.json`` becomes events of one person, once, through the historian's own door."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import override_settings

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.importing.end_summaries import read
from memory.importing.types import RefusedRecord
from memory.models import CognitiveEvent, CognitiveJob, Session
from tests.support.cast import allow

pytestmark = pytest.mark.django_db
OLD = [
    {"summary": "昨天用户买入了腾讯。", "timestamp": "2026-02-21T14:30:00+08:00",
     "location": {"type": "group", "name": "研究群"}},
    {"summary": "Explained duration to Alice.", "timestamp": "2026-02-22 09:00:00",
     "location": {"type": "private", "name": "Null"}, "unknown": [1]},
]  # fmt: skip


def written(tmp_path: Path, document: Any) -> Path:
    path = tmp_path / "end_summaries.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path


def run(path: Path, *options: str) -> tuple[str, str]:
    """Import, and answer what was printed and what was refused: where anything was, the command fails."""
    out, err = StringIO(), StringIO()
    ending = pytest.raises(CommandError, match=r"\d+ refused") if "refuse" in options else nullcontext()
    arguments = [one for one in options if one != "refuse"]
    with ending:
        call_command("import_end_summaries", str(path), "--user=alice", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def outcome(out: str) -> list[int]:
    """How many were imported, skipped and refused, by what was printed."""
    return [int(count) for count in re.findall(r"^(?:Imported|Skipped|Refused): (\d+) \(\w", out, re.MULTILINE)]


def events(user: User) -> list[CognitiveEvent]:
    drain()
    with acting_as(user.pk):
        return list(CognitiveEvent.objects.order_by("timestamp_utc"))


def test_each_entry_becomes_an_event_at_its_own_time_and_place(alice: User, tmp_path: Path) -> None:
    allow(alice)
    alice.time_zone = "Asia/Shanghai"
    alice.save()

    out, err = run(written(tmp_path, OLD))
    bought, explained = events(alice)

    assert (outcome(out), err) == ([2, 0, 0], "")
    assert "2026年2月20日" in bought.canonical_text
    assert (bought.timestamp_local, bought.location_abs) == ("2026-02-21T14:30:00+08:00", "研究群")
    assert explained.timestamp_utc == datetime(2026, 2, 22, 1, tzinfo=UTC)
    assert explained.location_abs == ""
    assert "duration" in explained.canonical_text
    assert not explained.has_new_info


def test_a_second_run_adds_nothing_and_a_longer_file_only_what_is_new(alice: User, tmp_path: Path) -> None:
    allow(alice)
    run(written(tmp_path, OLD))
    events(alice)

    out, _ = run(written(tmp_path, [*OLD[1:], {"summary": "Compared two ETFs.", "timestamp": "2026-02-23T09:00:00Z"}]))

    assert outcome(out) == [1, 1, 0]
    assert len(events(alice)) == 3
    with acting_as(alice.pk):
        assert Session.objects.count() == 1


def test_an_entry_that_stands_twice_is_imported_once(alice: User, tmp_path: Path) -> None:
    allow(alice)

    out, _ = run(written(tmp_path, [OLD[0], OLD[0]]))

    assert outcome(out) == [1, 1, 0]
    assert len(events(alice)) == 1


def test_what_names_an_entry_proves_no_guess_at_its_words(alice: User, bob: User, tmp_path: Path) -> None:
    """The id outlives an erased event, and whoever reads it must not be able to test what had been said."""
    path = written(tmp_path, OLD[:1])
    for user in (alice, bob):
        allow(user)
        call_command("import_end_summaries", path, user=user.username, skip_checks=True, stdout=StringIO())

    [[hers], [his]] = [[event.request_id for event in events(user)] for user in (alice, bob)]
    assert hers != his


def test_bare_sentences_need_to_be_told_when_they_were(alice: User, tmp_path: Path) -> None:
    allow(alice)
    path = written(tmp_path, ["Talked about rates.", "  "])

    _, refused = run(path, "refuse")
    assert refused.splitlines()[0] == "entry 1: It has no timestamp: say when with --undated."
    out, refused = run(path, "refuse", "--undated=2026-01-01T00:00:00+08:00")

    assert outcome(out) == [1, 0, 1]
    assert refused == "entry 2: Its summary is missing, empty or no text.\n"
    assert [event.timestamp_local[:4] for event in events(alice)] == ["2025"]


def test_bad_entries_are_told_by_their_number_and_never_quoted(alice: User, tmp_path: Path) -> None:
    allow(alice)
    stamp = {"timestamp": "2026-02-21T14:30:00+08:00"}
    bad: list[Any] = [
        {"summary": "", **stamp}, {"timestamp": "2026-02-21"}, {"summary": 7, **stamp}, 7, None, ["krugerrand"],
        {"summary": "krugerrand", "timestamp": "yesterday"}, {"summary": "krugerrand\x00", **stamp},
        {"summary": "krugerrand" * 1_000, **stamp}, {"summary": "krugerrand", "location": "x" * 121, **stamp},
        {"summary": "krugerrand", "timestamp": "0001-01-01T00:00:00Z"},
        {"summary": "My API key is sk-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH", **stamp},
    ]  # fmt: skip

    out, refused = run(written(tmp_path, [*bad, OLD[0]]), "refuse")

    assert outcome(out) == [1, 0, len(bad)]
    assert [line.split(":")[0] for line in refused.splitlines()] == [f"entry {at}" for at in range(1, len(bad) + 1)]
    assert not any(word in refused for word in ("krugerrand", "sk-abc"))
    assert len(events(alice)) == 1


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (7, "It is neither a sentence nor a summary."),
        ({"action_summary": 7}, "Its summary is missing, empty or no text."),
        ({"summary": "Compared ETFs.", "new_info": 7}, "Its new_info is no text."),
        ({"summary": "Compared ETFs.", "time": "soon"}, "Its timestamp is no time like 2026-02-21T14:30:00+08:00."),
        (
            {"summary": "Compared ETFs.", "location": {"type": "planet", "name": "Mars"}},
            'Its location is neither a name nor {"type": "group" or "private", "name": "..."}.',
        ),
    ],
)
def test_why_an_entry_is_refused_is_said_in_plain_words(entry: Any, reason: str) -> None:
    assert list(read([entry], User(time_zone="Asia/Shanghai"))) == [RefusedRecord("entry 1", reason)]


def test_a_lone_surrogate_is_refused(alice: User, tmp_path: Path) -> None:
    allow(alice)

    _, refused = run(written(tmp_path, '[{"summary": "a \\ud800 b", "timestamp": "2026-02-21T14:30:00Z"}]'), "refuse")

    assert refused.startswith("entry 1: ")


@pytest.mark.parametrize("document", ["{", "{}", '"x"', "7"])
def test_what_is_no_list_is_refused_whole(alice: User, tmp_path: Path, document: str) -> None:
    allow(alice)
    with pytest.raises(CommandError):
        call_command("import_end_summaries", written(tmp_path, document), user="alice", skip_checks=True)


def test_nobodys_file_and_nobodys_name_are_refused(alice: User, tmp_path: Path) -> None:
    allow(alice)
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_end_summaries", tmp_path / "none.json", user="alice", skip_checks=True)
    with pytest.raises(CommandError, match="Nobody goes by"):
        call_command("import_end_summaries", written(tmp_path, OLD), user="nobody", skip_checks=True)


@pytest.mark.parametrize("undated", ["yesterday", "2026-01-01", "2026-01-01T00:00:00"])
def test_undated_wants_a_moment(alice: User, tmp_path: Path, undated: str) -> None:
    with pytest.raises(CommandError):
        call_command("import_end_summaries", str(written(tmp_path, OLD)), "--user=alice", f"--undated={undated}")


def test_without_consent_to_learning_nothing_is_stored(alice: User, tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        call_command("import_end_summaries", written(tmp_path, OLD), user="alice", skip_checks=True)
    allow(alice, ConsentScope.SAVE_TO_PROFILE)

    _, refused = run(written(tmp_path, OLD), "refuse")

    assert refused.splitlines() == [f"entry {at}: The person does not allow learning." for at in (1, 2)]
    with acting_as(alice.pk):
        assert not CognitiveJob.objects.exists()
        assert not OutboxMessage.objects.exists()


def test_with_cognitive_memory_off_nothing_is_stored(alice: User, tmp_path: Path) -> None:
    allow(alice)
    with override_settings(COGNITIVE_ENABLED=False):
        _, refused = run(written(tmp_path, OLD[:1]), "refuse")

    assert refused == "entry 1: Cognitive memory is switched off (COGNITIVE_ENABLED).\n"
    assert events(alice) == []


def test_an_entry_that_fails_leaves_nothing_behind(
    alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(alice)

    def broken(job: CognitiveJob) -> None:
        raise RuntimeError

    monkeypatch.setattr("memory.historian.services._add", broken)
    with pytest.raises(RuntimeError):
        call_command("import_end_summaries", written(tmp_path, OLD), user="alice", skip_checks=True, stdout=StringIO())

    with acting_as(alice.pk):
        assert not OutboxMessage.objects.exists()
