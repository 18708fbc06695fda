"""What counts as learned, and what does not. No database."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from memory.evaluation.labelled_chats import (
    BadChat,
    Change,
    ExpectedStatement,
    LabelledChat,
    LabelledChatMessage,
    read_chats,
)
from memory.evaluation.learning_scores import (
    LearnedChat,
    LearnedMemory,
    LearningFigures,
    figures_of,
    match_statements,
)

BRISTOL, LEEDS = "Lives in Bristol", "They moved to Leeds last month"


def _message(text: str, *patterns: str) -> LabelledChatMessage:
    found = tuple(ExpectedStatement(one, re.compile(one, re.IGNORECASE)) for one in patterns)
    return LabelledChatMessage(text, found)


def _pair(change: Change = "update") -> LabelledChat:
    messages = _message("I live in Bristol", "bristol"), _message("we moved to Leeds last month", "leeds")
    must_not = None if change == "both" else re.compile("bristol", re.IGNORECASE)
    return LabelledChat("p1", "en", messages, change, "Where do I live?", re.compile("leeds", re.IGNORECASE), must_not)


def _memory(content: str, *taught_by: int, asked: bool = False, chain: UUID | None = None) -> LearnedMemory:
    return LearnedMemory(chain or uuid4(), content, "asked" if asked else "in_force", frozenset(taught_by))


def _figures(chat: LabelledChat, *after: list[LearnedMemory], answer: str = "", top: str = "") -> LearningFigures:
    learned = LearnedChat(chat, tuple(tuple(one) for one in after), answer, (top,))
    return figures_of([learned])[0]


def test_a_statement_is_kept_by_a_memory_in_force_of_its_own_message() -> None:
    figures = _figures(_pair(), [_memory(BRISTOL, 0)], [_memory(BRISTOL, 0)])

    assert (figures.statements, figures.kept, figures.memories, figures.wrong_memories) == (2, 1, 1, 0)


def test_the_same_words_of_another_message_count_for_nothing() -> None:
    figures = _figures(_pair(), [], [_memory(LEEDS, 0)])

    assert figures.kept == 0


def test_what_waits_for_its_person_is_not_kept_but_asked() -> None:
    figures = _figures(_pair(), [_memory(BRISTOL, 0, asked=True)], [])

    assert (figures.kept, figures.kept_or_asked, figures.memories, figures.asked_memories) == (0, 1, 0, 1)


def test_a_message_that_teaches_nothing_and_taught_is_counted_once() -> None:
    chat = LabelledChat("s1", "en", (_message("Is Bristol nice?"),))

    figures = _figures(chat, [_memory(BRISTOL, 0), _memory("Asks", 0), _memory("Perhaps", 0, asked=True)])

    assert (figures.idle_messages, figures.idle_taught, figures.idle_asked, figures.wrong_memories) == (1, 1, 1, 2)


def test_a_change_is_right_when_the_old_is_gone_and_the_new_stands() -> None:
    figures = _figures(_pair(), [_memory(BRISTOL, 0)], [_memory(LEEDS, 1)])

    assert (figures.changes, figures.first_kept, figures.changed_rightly, figures.wrong_ends) == (1, 1, 1, 0)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], [_memory(LEEDS, 1)]),  # nothing had been kept that could be changed
        ([_memory(BRISTOL, 0)], []),  # forgotten, but nothing in its place
    ],
)
def test_a_change_is_not_right_by_accident(before: list[LearnedMemory], after: list[LearnedMemory]) -> None:
    assert _figures(_pair(), before, after).changed_rightly == 0


def test_a_change_is_not_right_beside_the_old() -> None:
    old = _memory(BRISTOL, 0)

    figures = _figures(_pair(), [old], [old, _memory(LEEDS, 1)])

    assert (figures.first_kept, figures.put_away, figures.changed_rightly) == (1, 0, 0)


def test_two_that_stand_beside_each_other_are_right_only_together() -> None:
    old = _memory(BRISTOL, 0)

    assert _figures(_pair("both"), [old], [old, _memory(LEEDS, 1)]).changed_rightly == 1
    gone = _figures(_pair("both"), [old], [_memory(LEEDS, 1)])
    assert (gone.changed_rightly, gone.wrong_ends) == (0, 1)


def test_what_ended_beside_the_change_ended_wrongly() -> None:
    figures = _figures(_pair(), [_memory(BRISTOL, 0), _memory("Has two kids", 0)], [_memory(LEEDS, 1)])

    assert (figures.ends, figures.wrong_ends, figures.changed_rightly) == (2, 1, 1)


def test_answers_and_memories_that_say_what_is_past_are_counted_apart() -> None:
    figures = _figures(_pair(), [], [], answer="In Leeds.", top="I live in Bristol")

    assert (figures.must_forget, figures.stale_answers, figures.stale_top, figures.answered_rightly) == (1, 0, 1, 1)


def test_a_memory_counts_for_the_labelled_sentence_it_is_nearest_to() -> None:
    teaches = ExpectedStatement("fact", sentence="I've been a paramedic in Hull since 2019,")
    message = LabelledChatMessage("", (teaches,), (" just off a 12 hour shift", " so wrecked"))

    assert match_statements(message, ["Has been a paramedic in Hull since 2019"]) == ({0}, [])
    assert match_statements(message, ["Is off a 12 hour shift"]) == (set(), ["Is off a 12 hour shift"])
    assert match_statements(message, ["Likes tea"]) == (set(), ["Likes tea"])


def test_voices_and_rows_are_read_alike(tmp_path: Path) -> None:
    voice, rows = tmp_path / "en_medic.txt", tmp_path / "rows.jsonl"
    voice.write_text("{F}I'm a medic, {-s}so wrecked lol\n", "utf-8")
    rows.write_text(
        '{"id": "a", "lang": "en", "type": "single", "kind": "fact", "text": "I\'m a medic", '
        '"learn": [{"statement": "is a medic", "match": "medic"}]}\n',
        "utf-8",
    )

    (spoken,), (row,) = read_chats(tmp_path), read_chats(rows)

    assert spoken.messages[0].text == "I'm a medic, so wrecked lol"
    assert len(spoken.messages[0].statements) == len(row.messages[0].statements) == 1
    assert spoken.messages[0].other_sentences == ("so wrecked lol",)


@pytest.mark.parametrize(
    "row",
    [
        "[]",
        "{",
        '{"id": "a", "lang": "fr", "type": "single", "text": "x", "learn": []}',
        '{"id": "a", "lang": "en", "type": "pair", "op": "forget", "messages": []}',
        '{"id": "a", "lang": "en", "type": "single", "text": "x", "learn": [{"statement": "x", "match": "("}]}',
    ],
)
def test_a_row_of_no_known_format_is_named_by_its_line(tmp_path: Path, row: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{row}\n", "utf-8")

    with pytest.raises(BadChat, match=re.escape("rows.jsonl:1")):
        read_chats(path)
