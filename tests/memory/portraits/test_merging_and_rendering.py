"""What the rules make of one more line, and what Markdown makes of all of them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.ids import new_id
from memory.portraits.line_resolution import MOST_PARTS, merge_lines
from memory.portraits.lines import events_of, from_json, lines_holding, source_keys_of, to_json
from memory.portraits.manual_edits import edited_lines
from memory.portraits.markdown import ParsedLine, parse_markdown, render_markdown
from memory.portraits.sentence_classifier import classify_sentence, first_person, sentences_of
from memory.portraits.types import LineSource, PortraitLine
from tests.support.cast import A_MONDAY


def told(known: tuple[PortraitLine, ...], *sentences: str) -> tuple[PortraitLine, ...]:
    """The portrait of Alice after these, a day apart."""
    for sentence in sentences:
        at = A_MONDAY + timedelta(days=len(known))
        reading = classify_sentence(sentence, "Alice", at)
        source = LineSource("event", new_id(), event_id="r:1")
        new = PortraitLine(new_id(), sentence, reading.section, at, (source,), slot=reading.slot, value=reading.value)
        known = merge_lines(known, new, reading)
    return known


def texts(lines: tuple[PortraitLine, ...]) -> list[str]:
    return [line.text for line in lines]


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Alice likes tea.", "I like tea."),
        ("Alice really likes tea.", "I really like tea."),
        ("Alice's budget is 500 euros.", "My budget is 500 euros."),
        ("Alice no longer lives in Berlin.", "I no longer live in Berlin."),
        ("The user has two cats.", "I have two cats."),
        ("Prefers short answers.", "I prefer short answers."),
        ("Alice tries hard.", "I try hard."),
        ("Alice 喜欢茶。", "我喜欢茶。"),
        ("用户住在上海。", "我住在上海。"),
        ("The weather is fine.", "The weather is fine."),
    ],
)
def test_a_sentence_about_somebody_is_put_back_into_their_mouth(sentence: str, said: str) -> None:
    assert first_person(sentence, ("Alice", "The user", "用户")) == said


@pytest.mark.parametrize(
    ("sentences", "left"),
    [
        (("Alice likes tea.", "Alice likes tea!"), ["Alice likes tea."]),
        (("Alice likes tea.", "Alice likes green tea."), ["Alice likes green tea."]),
        (("Alice likes green tea.", "Alice likes tea."), ["Alice likes green tea."]),
        (("Alice likes tea.", "Alice dislikes tea."), ["Alice dislikes tea."]),
        (("Alice lives in Berlin.", "Alice moved to Munich."), ["Alice moved to Munich."]),
        (("Alice lives in Berlin.", "Alice no longer lives in Berlin."), []),
        (("Alice avoids nuts.", "Alice avoids peanuts."), ["Alice avoids nuts.", "Alice avoids peanuts."]),
        (("Alice 住在上海。", "Alice 住在北京。"), ["Alice 住在北京。"]),
        (("Alice 喜欢茶。", "Alice 喜欢咖啡。"), ["Alice 喜欢茶。", "Alice 喜欢咖啡。"]),
        (("Dogs chase cats.", "Cats chase dogs."), ["Dogs chase cats.", "Cats chase dogs."]),
    ],
)  # fmt: skip
def test_what_one_line_does_to_another(sentences: tuple[str, ...], left: list[str]) -> None:
    assert texts(told((), *sentences)) == left


def test_a_hundred_times_the_same_is_one_line_of_a_few_parts() -> None:
    lines = told((), *["Alice likes tea."] * 100)

    assert texts(lines) == ["Alice likes tea."]
    assert len(lines[0].parts) == MOST_PARTS


@given(st.lists(st.sampled_from(["tea", "coffee", "green tea", "Berlin", "茶"]), max_size=8), st.data())
def test_what_is_left_after_erasing_events_holds_none_of_them(values: list[str], data: st.DataObject) -> None:
    lines = told((), *(f"Alice likes {value}." for value in values))
    gone = data.draw(st.sets(st.sampled_from(sorted(events_of(lines))))) if lines else set()

    left = lines_holding(lines, lambda leaf: gone.isdisjoint(source_keys_of([leaf])))

    assert not events_of(left) & gone
    assert events_of(left) == events_of(lines) - gone
    assert from_json(to_json(left)) == left


@given(st.lists(st.text(alphabet="abc 茶。#-*123\t", min_size=1, max_size=12), max_size=8))
def test_markdown_that_is_written_and_read_again_stays(sentences: list[str]) -> None:
    once = edited_lines((), parse_markdown("\n".join(sentences)), "Alice", A_MONDAY)
    body = render_markdown("user", once)

    again = edited_lines(once, parse_markdown(body), "Alice", A_MONDAY)

    assert render_markdown("user", again) == body
    assert {line.id for line in again} == {line.id for line in once}


def test_headings_in_both_languages_and_a_persons_own_are_sections() -> None:
    written = parse_markdown(
        "# Whatever\nI swim\n## Preferences\n* Tea\n1. Coffee\n## 近期目标\n- 马拉松\n### My dog\n---\nRex\nRex"
    )

    assert written == [
        ParsedLine("who", "I swim"), ParsedLine("tastes", "Tea"), ParsedLine("tastes", "Coffee"),
        ParsedLine("plans", "马拉松"), ParsedLine("My dog", "Rex"),
    ]  # fmt: skip


def test_a_line_of_ones_own_inherits_only_from_what_it_replaces() -> None:
    tea, lisbon = told((), "Alice likes tea.", "Alice lives in Lisbon.")

    kept, reworded, fresh = edited_lines(
        (tea, lisbon),
        [ParsedLine("who", lisbon.text), ParsedLine("tastes", "Tea above all"), ParsedLine("who", "I swim")],
        "Alice",
        A_MONDAY,
    )

    assert kept == lisbon
    assert (reworded.sources, reworded.stated) == (tea.sources, True)
    assert fresh.sources == ()


def test_a_long_sentence_is_quoted_by_its_beginning() -> None:
    assert [len(one) for one in sentences_of("word " * 200)] == [300]
