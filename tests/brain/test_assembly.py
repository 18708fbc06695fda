"""What goes into the prompt of what was recalled: within the budget, the best at the ends, each decided once."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finclaw.brain.prompt.budget import personal_budget
from finclaw.brain.prompt.memory_lines import memory_tokens
from finclaw.brain.prompt.selection import assemble, edge_first_positions
from finclaw.brain.types import Intent, IntentType, PromptCandidate

INTENTS: list[IntentType] = [
    "small_talk", "research", "correction", "knowledge_question", "memory_check", "statement", "chat",
]  # fmt: skip
candidates = st.lists(
    st.builds(
        PromptCandidate,
        kind=st.sampled_from(["item", "event", "turn"]),
        id=st.builds(uuid4),
        text=st.text(max_size=20),
        score=st.floats(0, 2),
        tokens=st.integers(1, 3000),
        occurred_at=st.just(datetime(2026, 1, 1, tzinfo=UTC)),
        epistemic_type=st.sampled_from([None, "fact", "preference", "outdated"]),
        relevant=st.booleans(),
        sanitization=st.sampled_from(["pass", "sanitized", "blocked"]),
    ),
    max_size=30,
)
intents = st.builds(Intent, st.sampled_from(INTENTS), st.just(1.0))


def candidate(**fields: object) -> PromptCandidate:
    values: dict[str, object] = {
        "kind": "item", "id": uuid4(), "text": "Follows BTC", "score": 1.0, "tokens": 10,
        "occurred_at": datetime(2026, 1, 1, tzinfo=UTC), "sanitization": "pass",
    }  # fmt: skip
    return PromptCandidate(**(values | fields))  # type: ignore[arg-type]


@given(candidates, intents, st.integers(0, 8_000))
def test_the_budget_is_never_exceeded(found: list[PromptCandidate], intent: Intent, slot: int) -> None:
    injected = assemble(found, intent, slot).injected
    assert sum(one.tokens for one in injected) <= personal_budget(intent.intent_type, slot) <= slot


@given(candidates, intents)
def test_every_candidate_is_decided_once_and_positions_are_complete(
    found: list[PromptCandidate], intent: Intent
) -> None:
    decisions = assemble(found, intent).decisions
    assert sorted(decision.candidate.id for decision in decisions) == sorted(one.id for one in found)
    positions = sorted(decision.position or 0 for decision in decisions if decision.accepted)
    assert positions == list(range(1, len(positions) + 1))


@given(candidates, intents)
def test_what_stands_in_the_prompt_is_u_shaped(found: list[PromptCandidate], intent: Intent) -> None:
    assembly = assemble(found, intent)
    by_rank = [decision.candidate.id for decision in assembly.decisions if decision.accepted]
    shown = [one.id for one in assembly.injected]
    ends_first = [shown.pop(0 if rank % 2 == 0 else -1) for rank in range(len(shown))]
    assert ends_first == by_rank


@given(candidates, intents)
def test_what_is_not_relevant_never_goes_in(found: list[PromptCandidate], intent: Intent) -> None:
    some_relevant = any(one.relevant for one in found)
    asked_for_all = intent.intent_type == "memory_check" and not some_relevant
    injected = assemble(found, intent).injected
    assert all(one.relevant or (asked_for_all and one.kind == "item") for one in injected)


@given(candidates, intents)
def test_what_is_blocked_never_goes_in_and_the_decision_says_so(found: list[PromptCandidate], intent: Intent) -> None:
    for decision in assemble(found, intent).decisions:
        blocked = decision.candidate.sanitization == "blocked"
        assert (decision.reason == "blocked") == blocked
        assert not (blocked and decision.accepted)


def test_a_decision_carries_what_sanitization_said() -> None:
    [decision] = assemble([candidate(sanitization="blocked", guardrail="override")], Intent("chat", 1.0)).decisions
    assert (decision.candidate.sanitization, decision.candidate.guardrail, decision.position) == (
        "blocked",
        "override",
        None,
    )


@pytest.mark.parametrize("intent_type", INTENTS)
def test_what_is_outdated_is_shown_only_to_who_asks_what_is_remembered(intent_type: IntentType) -> None:
    [decision] = assemble([candidate(epistemic_type="outdated")], Intent(intent_type, 1.0)).decisions
    assert decision.accepted == (intent_type == "memory_check")
    assert decision.reason == ("relevance" if decision.accepted else "outdated")


def test_who_asks_what_is_remembered_naming_nothing_is_shown_the_latest() -> None:
    [decision] = assemble([candidate(relevant=False)], Intent("memory_check", 1.0)).decisions
    assert (decision.accepted, decision.reason) == (True, "recency")


@pytest.mark.parametrize(("confidence", "reason"), [(0.9, "confidence"), (0.8, "confidence"), (0.5, None)])
@pytest.mark.parametrize("slot", ["reply_style", "language.reply", "address", "instruction"])
def test_how_answers_should_be_holds_for_every_answer_where_it_was_stated_outright(
    confidence: float, reason: str | None, slot: str
) -> None:
    preference = candidate(relevant=False, epistemic_type="preference", confidence=confidence, slot=slot)
    [decision] = assemble([preference], Intent("chat", 1.0)).decisions
    assert (decision.reason if decision.accepted else None) == reason


@pytest.mark.parametrize("intent_type", INTENTS)
def test_what_no_advice_may_pass_over_holds_for_advice(intent_type: IntentType) -> None:
    avoids = candidate(relevant=False, epistemic_type="preference", confidence=0.9, slot="constraint.avoid")
    likes = candidate(relevant=False, epistemic_type="preference", confidence=0.9, slot="likes")
    shown = assemble([avoids, likes, candidate()], Intent(intent_type, 1.0)).injected
    assert (avoids in shown) == (intent_type == "research")
    assert likes not in shown


@pytest.mark.parametrize("intent_type", INTENTS)
def test_small_talk_brings_up_no_messages(intent_type: IntentType) -> None:
    [decision] = assemble([candidate(kind="turn", text="Good morning!")], Intent(intent_type, 1.0)).decisions
    assert decision.accepted == (intent_type != "small_talk")
    assert decision.reason == "relevance"


@given(candidates, intents)
def test_what_was_left_out_before_stays_out_for_its_reason(found: list[PromptCandidate], intent: Intent) -> None:
    past = [replace(one, left_out="superseded", sanitization="pass") for one in found]
    decisions = assemble(past, intent).decisions
    assert {(decision.accepted, decision.reason) for decision in decisions} <= {(False, "superseded")}


def test_a_memory_stands_for_the_message_that_says_no_more() -> None:
    said = candidate(kind="turn", text="I live in Berlin.")
    more = candidate(kind="turn", text="I live in Berlin because my wife found a job at the Charité there.")
    home = candidate(text="Lives in Berlin", said_in=(said.id, more.id))
    reasons = {one.candidate.id: one.reason for one in assemble([said, more, home], Intent("chat", 1.0)).decisions}
    assert reasons == {said.id: "duplicate", more.id: "relevance", home.id: "relevance"}


def test_a_message_keeps_the_sentences_that_no_memory_says() -> None:
    said = candidate(kind="turn", text="I live in Berlin. My cat is called Miso. 我在柏林有一套公寓。")
    home = candidate(text="Lives in Berlin", said_in=(said.id,))
    [shown] = [one for one in assemble([said, home], Intent("chat", 1.0)).injected if one.kind == "turn"]
    assert shown.text == "My cat is called Miso. 我在柏林有一套公寓。"
    assert shown.tokens == memory_tokens(shown)


@pytest.mark.parametrize("speaker", ["FinClaw", "Assistant", "ChatGPT"])
def test_an_old_answer_is_left_out_where_it_only_repeats(speaker: str) -> None:
    home = candidate(text="Lives in Berlin near the Charité")
    echo = candidate(kind="turn", text="Noted, you live in Berlin near the Charité.", said_by=speaker, score=9.0)
    more = candidate(kind="turn", text="Flats in Berlin cost 14 euros a metre.", said_by=speaker)
    reasons = {one.candidate.id: one.reason for one in assemble([echo, more, home], Intent("chat", 1.0)).decisions}
    assert reasons == {echo.id: "duplicate", more.id: "relevance", home.id: "relevance"}


def test_what_the_user_said_comes_before_the_answer_that_repeats_it() -> None:
    said = candidate(kind="turn", text="My cat is called Miso.", said_by="user")
    echo = candidate(kind="turn", text="So your cat is called Miso!", said_by="FinClaw", score=9.0)
    assert assemble([echo, said], Intent("chat", 1.0)).injected == [said]


def test_a_message_stands_for_itself_where_its_memory_is_left_out() -> None:
    said = candidate(kind="turn", text="I live in Berlin.")
    home = candidate(text="Lives in Berlin", said_in=(said.id,), relevant=False)
    assert assemble([said, home], Intent("chat", 1.0)).injected == [said]


@pytest.mark.parametrize(
    ("intent_type", "tokens"),
    [
        ("small_talk", 500), ("research", 3_000), ("correction", 2_000), ("knowledge_question", 1_000),
        ("memory_check", 4_000),
    ],
)  # fmt: skip
def test_the_amount_follows_the_intent(intent_type: IntentType, tokens: int) -> None:
    assert personal_budget(intent_type) == tokens


@given(st.integers(0, 50))
def test_the_best_stand_at_the_ends(count: int) -> None:
    positions = edge_first_positions(count)
    assert sorted(positions) == list(range(1, count + 1))
    assert positions[:2] == [1, count][: min(count, 2)]
