"""The quality gateway: junk, questions, echoes and near-copies, by pure rules (M-13)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.confidence import Provenance
from memory.evolution.quality_gateway import (
    PrecedingAnswer,
    SimilarItem,
    reason_to_review,
    refusal_of,
    without_duplicates,
)
from memory.evolution.rule_analyzer import analyze
from memory.evolution.types import EvolutionDecision, KnownItem, StatementCandidate, Utterance

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
KNOWN = UUID(int=1)
ADD = EvolutionDecision("ADD", None, "")


def _candidate(quote: str, value: str = "tea", slot: str = "likes", **changes: object) -> StatementCandidate:
    made = StatementCandidate(
        memory_type="preference",
        content=f"Likes {value}",
        epistemic_type="preference",
        provenance="observation",
        confidence=0.5,
        category="preference",
        rule="test",
        quote=quote,
        valid_at=NOW,
        attributes={"subject": "user", "slot": slot, "value": value, "polarity": "positive"},
        by_model=True,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def _said(text: str, asked: str = "") -> Utterance:
    return Utterance(text, "Alice", NOW, asked)


def _known(value: str, slot: str = "likes", provenance: Provenance = "observation") -> KnownItem:
    return KnownItem(KNOWN, "user", slot, value, f"Likes {value}", "preference", provenance, 0.5, NOW)


@pytest.mark.parametrize(
    ("quote", "value", "reason"),
    [
        ("我叫【姓名】", "【姓名】", "no_value"),
        ("I live in [city]", "[city]", "no_value"),
        ("I like it", "it", "no_value"),
        ("我喜欢这个", "这个", "no_value"),
        ("I like the", "the ", "no_value"),
        ("I like x", "x", "too_short"),
        ("I like tea", "tea " * 200, "too_long"),
        ("I like coffee", "coffee", "not_said"),
        ("Do I like tea", "tea", "question"),
        ("我喜欢茶吗", "茶", "question"),
    ],
)
def test_what_says_nothing_is_refused(quote: str, value: str, reason: str) -> None:
    said = "" if reason == "not_said" else quote + ("?" if quote.isascii() and reason == "question" else "")
    assert refusal_of(_candidate(quote, value), _said(said or "I like tea"), PrecedingAnswer()) == reason


@pytest.mark.parametrize(("quote", "value"), [("I like tea", "tea"), ("我喜欢茶", "茶"), ("我喜欢 BTC", "BTC")])
def test_what_its_person_said_passes(quote: str, value: str) -> None:
    assert (
        refusal_of(_candidate(quote, value), _said(f"Well, {quote}."), PrecedingAnswer("Noted.", ("Owns a boat",)))
        is None
    )


@pytest.mark.parametrize(
    "text",
    [
        "<user_memory kind='item'>I like tea</user_memory>",
        "<knowledge>I like tea</knowledge> thanks",
        "<user_context>I like tea",
    ],
)
def test_words_inside_an_injected_block_are_not_what_its_person_said(text: str) -> None:
    assert refusal_of(_candidate("I like tea"), _said(text), PrecedingAnswer()) == "not_said"
    assert analyze(_said(text)) == []


@pytest.mark.parametrize(
    ("said_before", "quote", "value"),
    [("You told me: I like oolong tea, remember.", "I like oolong tea", "oolong tea"),
     ("你说过：我喜欢喝乌龙茶。", "我喜欢喝乌龙茶", "乌龙茶"),
     ("I remember: “I like oolong tea.” (you, 3 May)", "I like oolong tea", "oolong tea"),
     ("我记得：“我喜欢喝乌龙茶。”（你5月3日说的）", "我喜欢喝乌龙茶", "乌龙茶")],
)  # fmt: skip
def test_the_assistants_words_pasted_back_are_not_learned(said_before: str, quote: str, value: str) -> None:
    candidate = _candidate(quote, value)
    assert refusal_of(candidate, _said(quote), PrecedingAnswer(said_before)) == "said_by_the_assistant"
    assert refusal_of(replace(candidate, replaces=True), _said(quote), PrecedingAnswer(said_before)) is None
    assert (
        refusal_of(replace(candidate, provenance="confirmed_by_user"), _said(quote), PrecedingAnswer(said_before))
        is None
    )


@pytest.mark.parametrize(
    ("memory", "text", "quote", "value"),
    [("Likes oolong tea", "It says: likes oolong tea, since May", "likes oolong tea", "oolong tea"),
     ("喜欢喝乌龙茶", "上面写着喜欢喝乌龙茶", "喜欢喝乌龙茶", "乌龙茶")],
)  # fmt: skip
def test_a_memory_quoted_back_is_not_learned_and_what_is_said_beside_it_is(
    memory: str, text: str, quote: str, value: str
) -> None:
    assert refusal_of(_candidate(quote, value), _said(text), PrecedingAnswer("", (memory,))) == "said_by_the_assistant"
    beside = f"{text}. I like jazz"
    assert refusal_of(_candidate("I like jazz", "jazz"), _said(beside), PrecedingAnswer("", (memory,))) is None


@given(st.text(max_size=80), st.text(max_size=80), st.lists(st.text(max_size=40), max_size=3))
def test_any_text_is_decided_upon(text: str, asked: str, injected: list[str]) -> None:
    for candidate in [*analyze(_said(text, asked)), _candidate(text[:20], text[20:30] or "tea")]:
        refusal_of(candidate, _said(text, asked), PrecedingAnswer(asked, tuple(injected)))


@pytest.mark.parametrize(
    ("value", "known", "action"),
    [("tea green", "green tea", "NONE"), ("tea", "green tea", "NONE"), ("green tea", "tea", "SUPERSEDE"),
     ("绿茶", "茶", "ADD"), ("coffee", "tea", "ADD"), ("iPhone 15", "iPhone", "ADD"), ("no tea", "tea", "ADD")],
)  # fmt: skip
def test_near_in_meaning_is_the_same_only_where_the_words_say_so(value: str, known: str, action: str) -> None:
    near = [SimilarItem(_known(known), 0.95)]
    assert without_duplicates(_candidate(f"I like {value}", value), ADD, near).action == action


def test_what_is_not_near_stands_beside() -> None:
    assert without_duplicates(_candidate("I like tea"), ADD, []).action == "ADD"


def test_a_confirmed_memory_is_put_away_by_no_passing_mention() -> None:
    near = [SimilarItem(_known("tea", provenance="confirmed_by_user"), 0.95)]
    assert without_duplicates(_candidate("I like green tea", "green tea"), ADD, near).action == "ADD"


def test_said_on_purpose_in_the_same_words_confirms() -> None:
    near = [SimilarItem(_known("green tea"), 0.99)]
    candidate = _candidate("I like tea, green", "tea green", provenance="confirmed_by_user")
    assert without_duplicates(candidate, ADD, near).action == "CONFIRM"


def test_in_a_list_of_what_harms_the_wider_value_stands_for_no_narrower_one() -> None:
    near = [SimilarItem(_known("peanuts", "allergy"), 0.95)]
    assert without_duplicates(_candidate("peanut butter", "peanut butter", "allergy"), ADD, near).action == "ADD"


def test_little_confidence_waits_for_its_person() -> None:
    assert reason_to_review(_candidate("I like tea", confidence=0.3), ADD, [], 0.35) == "gateway.confidence"
    assert not reason_to_review(_candidate("I like tea", confidence=0.35), ADD, [], 0.35)


@pytest.mark.parametrize("action", ["SUPERSEDE", "RETIRE"])
def test_a_models_passing_reading_puts_away_nothing_its_person_confirmed(action: str) -> None:
    home = _known("Berlin", "home", "confirmed_by_user")
    decision = EvolutionDecision(action, KNOWN, "")  # type: ignore[arg-type]
    visiting = _candidate("I am in Paris", "Paris", "home")
    assert reason_to_review(visiting, decision, [home], 0.35) == "gateway.provenance"
    for firm in ({"replaces": True}, {"provenance": "confirmed_by_user", "confidence": 1.0}):
        said_by_model = replace(visiting, **firm)
        assert reason_to_review(said_by_model, decision, [home], 0.35) == "gateway.provenance"
    assert not reason_to_review(replace(visiting, by_model=False), decision, [home], 0.35)
    assert not reason_to_review(visiting, decision, [_known("Berlin", "home")], 0.35)
