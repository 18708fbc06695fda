"""Extracts hold what was said and nothing else, within their room, in order, in both languages."""

from __future__ import annotations

from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.text import estimate_tokens
from memory.services.extracts import (
    SENTENCE_CHARS,
    best_sentences,
    extract,
    extract_sentence,
    select_best_lines,
    sentences_of,
)
from memory.types import TranscriptLine
from tests.support.cast import A_MONDAY

SENTENCES = (
    "I bought 200 shares of BYD at 265.3.",
    "The margin of BYD fell in the third quarter.",
    "Thanks, that is all.",
    "我持有600519.SH三百股，成本价1480元。",
    "白酒板块的估值还是偏高。",
    "好的，谢谢。",
)
texts = st.lists(st.sampled_from(SENTENCES) | st.text(max_size=300), max_size=5).map(" ".join)
lines = st.lists(st.builds(lambda text, role: line(text, role=role), texts, st.sampled_from(["user", "assistant"])))


def line(text: str, speaker: str = "Alice", role: str = "user") -> TranscriptLine:
    return TranscriptLine(uuid4(), 1, role, speaker, text, A_MONDAY)


def quotations(extracted: str) -> list[str]:
    """The words between the marks, without the sign of a shortened one."""
    return [one.partition(": “")[2].removesuffix("”").removesuffix("…") for one in extracted.split("\n") if one]


@given(lines, st.integers(0, 200))
def test_an_extract_holds_only_what_was_said_within_its_room(said: list[TranscriptLine], room: int) -> None:
    extracted = extract(said, room)
    everything = [" ".join(one.text.split()) for one in said]
    assert all(any(words in text for text in everything) for words in quotations(extracted))
    assert estimate_tokens(extracted) <= room


@given(lines, st.integers(0, 200))
def test_what_is_condensed_again_are_lines_that_stood_there(said: list[TranscriptLine], room: int) -> None:
    once = extract(said, 300)
    again = select_best_lines([once, once], room)
    assert set(again.split("\n")) - {""} <= set(once.split("\n"))
    assert estimate_tokens(again) <= room


def test_each_sentence_stands_behind_its_speakers_name() -> None:
    said = [line("I follow BTC."), line("Gold is safer. Silver is not.", speaker="Bob")]
    assert extract(said, 100) == "Alice: “I follow BTC.”\nBob: “Gold is safer.”\nBob: “Silver is not.”"


@pytest.mark.parametrize(
    ("talk", "told"),
    [
        (
            "Hello there. The margin of BYD fell. Hm. I sold BYD because its margin fell. Bye.",
            "Alice: “I sold BYD because its margin fell.”",
        ),
        (
            "你好。比亚迪的毛利率下降了。嗯。我卖出比亚迪，因为毛利率下降。再见。",
            "Alice: “我卖出比亚迪，因为毛利率下降。”",
        ),
    ],
)
def test_in_little_room_the_sentence_that_covers_most_is_kept(talk: str, told: str) -> None:
    assert extract([line(talk)], estimate_tokens(told)) == told


def test_a_person_is_heard_before_the_assistant() -> None:
    said = [line("Copper is in deficit.", "FinClaw", "assistant"), line("Copper is in deficit.")]
    assert extract(said, 12) == "Alice: “Copper is in deficit.”"


def test_the_same_words_are_kept_once_and_nothing_without_words() -> None:
    assert best_sentences([extract_sentence(one) for one in ("I follow BTC.", "…", "I follow BTC.")], 100) == [0]


def test_a_long_sentence_is_quoted_by_its_beginning() -> None:
    [sentence] = sentences_of("利" * 500)
    assert sentence == "利" * (SENTENCE_CHARS - 1) + "…"
