"""A message is read once, and its reading says the same as the functions it stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finclaw.brain.types import TurnRequest
from foundation.ids import new_id
from foundation.language import ParsedMessage, language_of, normalize, split_sentences
from foundation.language import parsed_message as parsed_message_module


@given(st.text(max_size=200))
def test_it_says_what_the_functions_say(text: str) -> None:
    message = ParsedMessage(text)

    assert list(message.sentences) == split_sentences(text)
    assert message.normalized == normalize(text)
    assert message.language == language_of(text)


def test_the_spoken_form_has_one_apostrophe_and_one_space() -> None:
    assert ParsedMessage("Don’t  FORGET\n我的 話").spoken == "don't forget 我的 话"


def test_each_form_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def note_call(text: str) -> str:
        calls.append(text)
        return text

    monkeypatch.setattr(parsed_message_module, "normalize", note_call)
    message = ParsedMessage("Which of my memories are about gold?")

    for _ in range(2):
        assert message.spoken == message.normalized

    assert calls == ["Which of my memories are about gold?"]


def test_a_turn_has_one_reading_of_its_message() -> None:
    request = TurnRequest(
        new_id(), ({"type": "text", "text": "I follow gold."}, {"type": "text", "text": "And silver."})
    )

    assert request.message is request.message
    assert request.message.sentences == ("I follow gold.", "And silver.")
