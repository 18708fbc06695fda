"""What the formats are read into, and what is refused and where. No database."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory.importing.sources import open_source
from memory.importing.types import RefusedRecord, SessionPart

LINE = {"conversation": "c", "session": "s", "speaker": "Dora", "text": "Hello"}


def parts_of(path: Path, form: Any) -> list[SessionPart]:
    return [record for record in open_source(path, form).records if isinstance(record, SessionPart)]


def refusals_of(path: Path, form: Any) -> dict[str, str]:
    return {
        record.where: record.reason for record in open_source(path, form).records if isinstance(record, RefusedRecord)
    }


def write_lines(path: Path, *lines: object) -> Path:
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def test_a_locomo_session_keeps_its_time_its_order_and_its_pictures(locomo_file: Path) -> None:
    first, second = parts_of(locomo_file, "locomo")

    assert (first.session, first.people) == ("session_1", ("Ann", "Ben"))
    assert [turn.ref for turn in first.turns] == ["D1:1", "D1:2", "D1:3"]
    assert first.turns[0].at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert [turn.at for turn in first.turns] == sorted({turn.at for turn in first.turns if turn.at})
    assert [block["text"] for block in first.turns[2].blocks] == ["Look!", "[picture: a row of green pots]"]
    assert second.turns[0].person == "Ben"


def test_a_memorybank_day_is_a_session_of_the_person_and_the_assistant(memorybank_file: Path) -> None:
    first, second = parts_of(memorybank_file, "memorybank")

    assert (first.session, second.session) == ("2023-04-27", "2023-04-28")
    assert [turn.role for turn in first.turns] == ["user", "assistant"] * 2
    assert {turn.person for turn in first.turns} == {"赵敏"}
    assert first.turns[2].blocks[0]["text"] == "我养了一只橘猫，叫年糕。"


def test_lines_with_two_speakers_make_a_group_and_answers_belong_to_whom_they_answer(lines_file: Path) -> None:
    diary, desk = parts_of(lines_file, "jsonl")

    assert diary.people == ("Dora",)
    assert [(turn.person, turn.role) for turn in diary.turns] == [("Dora", "user"), ("Dora", "assistant")]
    assert (desk.people, desk.session) == (("Dora", "Emil"), "1")
    assert desk.turns[1].at == datetime(2026, 3, 2, 9, 31, tzinfo=UTC)


def test_a_bad_line_is_refused_by_number_and_does_not_cut_its_session(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "lines.jsonl",
        LINE,
        "{not json",
        LINE | {"text": "x" * 8_001},
        LINE | {"role": "robot"},
        {**LINE, "speaker": ""},
        LINE | {"at": "yesterday"},
        LINE | {"text": "Good bye"},
    )

    refused = refusals_of(path, "jsonl")

    assert set(refused) == {f"line {number}" for number in range(2, 7)}
    assert "longer than" in refused["line 3"]
    (part,) = parts_of(path, "jsonl")
    assert [turn.blocks[0]["text"] for turn in part.turns] == ["Hello", "Good bye"]


def test_a_refusal_never_quotes_what_it_refuses(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "lines.jsonl", LINE | {"at": "my secret", "role": "my secret", "extra": "my secret"})

    assert "my secret" not in json.dumps(refusals_of(path, "jsonl"))


def test_a_conversation_of_the_assistant_alone_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "lines.jsonl", LINE | {"speaker": "", "role": "assistant"})

    assert list(refusals_of(path, "jsonl")) == ["line 1"]


def test_a_long_session_comes_in_parts(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "lines.jsonl", *[LINE | {"text": f"Number {number}"} for number in range(450)])

    assert [len(part.turns) for part in parts_of(path, "jsonl")] == [200, 200, 50]
    assert open_source(path, "jsonl").total == 450


def test_bad_turns_and_days_are_refused_by_their_path(tmp_path: Path, locomo_document: list[dict[str, Any]]) -> None:
    conversation = locomo_document[0]["conversation"]
    conversation["session_1"][1]["speaker"] = "Charlie"
    conversation["session_1"][2] = {"dia_id": "D1:3"}
    conversation["session_2_date_time"] = "some day"
    path = tmp_path / "bad.json"
    path.write_text(json.dumps([*locomo_document, {"sample_id": "empty"}, "text"]), encoding="utf-8")

    assert list(refusals_of(path, "locomo")) == [
        "conversation garden, session_1, turn 2",
        "conversation garden, session_1, turn 3",
        "conversation garden, session_2",
        "conversation empty",
        "conversation ?",
    ]
    assert [[turn.ref for turn in part.turns] for part in parts_of(path, "locomo")] == [["D1:1"]]


def test_a_nul_character_is_refused_and_a_lone_surrogate_replaced(tmp_path: Path) -> None:
    path = tmp_path / "bank.json"
    history = {"2023-04-27": [{"query": "a\x00b"}, {"query": "a\ud800b"}]}
    path.write_text(json.dumps({"赵敏": {"history": history}}), encoding="utf-8")

    assert list(refusals_of(path, "memorybank")) == ["conversation 赵敏, 2023-04-27, turn 1"]
    assert parts_of(path, "memorybank")[0].turns[0].blocks[0]["text"] == "a?b"
