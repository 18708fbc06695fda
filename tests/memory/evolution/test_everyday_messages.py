"""The labelled messages: readable to the last label, in many voices, each written for itself, none of them an exam."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.data import VARIABLE
from bench.everyday.labels import BadLabel, LabelledMessage, read_voice, read_voices
from tests.support.near_duplicates import grams_of, near_duplicates


@pytest.fixture(scope="module")
def messages() -> list[LabelledMessage]:
    return [*read_voices("open"), *read_voices("closed")]


@pytest.mark.parametrize("line", ["no label", "{Z}unknown", "{F}", "{F@}nobody", "{-}nothing", "a {F}late"])
def test_a_label_that_cannot_be_read_is_named_by_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "en_somebody.txt"
    path.write_text(f"{{F}}I row.\n{line}\n", encoding="utf-8")
    with pytest.raises(BadLabel, match=r"en_somebody\.txt:2"):
        list(read_voice(path))


def test_a_brace_alone_is_text(tmp_path: Path) -> None:
    path = tmp_path / "en_somebody.txt"
    path.write_text("{F}one {", encoding="utf-8")
    assert [message.text for message in read_voice(path)] == ["one {"]


def test_a_line_gives_its_sentences_and_what_they_change(tmp_path: Path) -> None:
    path = tmp_path / "en_somebody.txt"
    path.write_text(r"{F@son!:lives in Leeds}Tom moved to York,\n{-s}phew", encoding="utf-8")
    [message] = read_voice(path)
    moved, relief = message.sentences
    assert (message.text, message.language, message.teaches) == ("Tom moved to York,\nphew", "en", True)
    assert (moved.kind, moved.about, moved.changes, moved.target) == ("fact", "son", True, "lives in Leeds")
    assert (relief.kind, relief.teaches, relief.changes) == ("small talk", False, False)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_at_least_ten_thousand_a_language_by_twenty_voices_and_three_closed_ones(
    messages: list[LabelledMessage], language: str
) -> None:
    own = [message for message in messages if message.language == language]
    assert len(own) >= 10_000
    assert len({message.voice for message in own}) >= 20
    assert len({message.voice for message in read_voices("closed") if message.language == language}) == 3
    assert 0.35 <= sum(message.teaches for message in own) / len(own) <= 0.6


def test_hardly_a_message_is_nearly_another(messages: list[LabelledMessage]) -> None:
    grams = [grams_of(message.text) for message in messages]
    near = [number for number, others in enumerate(near_duplicates(grams, grams)) if set(others) - {number}]
    assert len(near) <= 0.02 * len(messages)


def test_no_sentence_of_an_exam_stands_among_them(messages: list[LabelledMessage]) -> None:
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip(f"{VARIABLE} names no folder with the public data sets")
    exam = [grams_of(text) for text in _exam(Path(folder)) if len(text) >= 20]
    known = [grams_of(text) for message in messages for text in _parts(message) if len(text) >= 20]
    assert not any(near_duplicates(exam, known))


def _parts(message: LabelledMessage) -> Iterator[str]:
    yield message.text
    yield from (sentence.text for sentence in message.sentences)


def _exam(folder: Path) -> Iterator[str]:
    for line in (folder / "memory_dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield from (message["text"] for message in row.get("messages", [row]))
    for name in ("locomo_dev.json", "madial_zh_dev.json", "madial_en_dev.json"):
        for sample in json.loads((folder / name).read_bytes()):
            sessions = (value for value in sample["conversation"].values() if isinstance(value, list))
            yield from (turn["text"] for session in sessions for turn in session)
