"""Every change of a memory is told in plain words, whoever made it and by whatever rule."""

from __future__ import annotations

from typing import Any

import pytest

from finclaw.web.memory_changes import describe_change, describe_undone
from memory.models import EvolutionEvent, MemoryItem

JARGON = {"item", "receipt", "tombstone", "quarantine", "supersede", "confidence", "calibrat", "fuse", "governor"}


def change(action: str, actor: str = "governor", **fields: Any) -> EvolutionEvent:
    return EvolutionEvent(action=action, actor=actor, **fields)


@pytest.mark.parametrize("actor", EvolutionEvent.Actor.values)
@pytest.mark.parametrize("action", EvolutionEvent.Action.values)
def test_each_kind_of_change_has_plain_words(action: str, actor: str) -> None:
    told = describe_change(change(action, actor))
    assert len(told.split()) > 1
    assert not {word for word in JARGON if word in told.lower()}


@pytest.mark.parametrize(
    ("action", "fields", "told"),
    [
        ("calibrated", {"before": {"confidence": 0.5}, "after": {"confidence": 0.6}}, "I am surer of it"),
        ("calibrated", {"before": {"confidence": 0.5}, "after": {"confidence": 0.3}}, "I am less sure of it"),
        ("calibrated", {"before": {}, "after": {"confidence": 0.2, "state": "quarantined"}}, "until you decide"),
        ("resolved", {"rule": "conflict.newer"}, "something newer that contradicts it"),
        ("resolved", {"rule": "conflict.keep"}, "kept both"),
        ("resolved", {"rule": "a rule of tomorrow"}, "contradicted something else"),
        ("retired", {"rule": "validity over"}, "Its time is over"),
    ],
)
def test_the_rule_tells_more_than_the_kind(action: str, fields: dict[str, Any], told: str) -> None:
    assert told in describe_change(change(action, **fields))


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("active", "Undone. I go by “喜欢简约的” again."),
        ("quarantined", "Undone. It waits for your word again."),
        ("invalid", "Undone."),
    ],
)
def test_an_undo_says_what_holds_since(state: str, told: str) -> None:
    assert describe_undone(MemoryItem(content="喜欢简约的", state=state)) == told
