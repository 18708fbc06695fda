"""What goes into the prompt: within the budget, the best at the ends."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from finclaw.brain.assembler import assemble, u_shape
from finclaw.brain.budget import personal_budget
from finclaw.brain.checks import the_context_window_holds_what_cannot_be_cut
from finclaw.brain.types import Candidate, Intent

candidates = st.lists(
    st.builds(
        Candidate,
        kind=st.sampled_from(["item", "event", "turn"]),
        id=st.builds(uuid4),
        text=st.text(max_size=20),
        score=st.floats(0, 2),
        tokens=st.integers(1, 3000),
        occurred_at=st.just(datetime(2026, 1, 1, tzinfo=UTC)),
        relevant=st.booleans(),
    ),
    max_size=30,
)
intents = st.sampled_from(["small_talk", "research", "correction", "knowledge_question", "memory_check", "chat"])


@given(candidates, intents)
def test_the_budget_is_never_exceeded(found: list[Candidate], intent_type: str) -> None:
    assembly = assemble(found, Intent(intent_type, 1.0))  # type: ignore[arg-type]
    assert sum(candidate.tokens for candidate in assembly.injected) <= personal_budget(intent_type)  # type: ignore[arg-type]


@given(candidates, intents)
def test_every_candidate_is_decided_once_and_positions_are_complete(found: list[Candidate], intent_type: str) -> None:
    assembly = assemble(found, Intent(intent_type, 1.0))  # type: ignore[arg-type]
    assert sorted(d.candidate.id for d in assembly.decisions) == sorted(candidate.id for candidate in found)
    positions = sorted(d.position or 0 for d in assembly.decisions if d.accepted)
    assert positions == list(range(1, len(positions) + 1))


@given(candidates, intents)
def test_what_is_not_relevant_never_goes_in(found: list[Candidate], intent_type: str) -> None:
    some_relevant = any(candidate.relevant for candidate in found)
    injected = assemble(found, Intent(intent_type, 1.0)).injected  # type: ignore[arg-type]
    asked_for_all = intent_type == "memory_check" and not some_relevant
    assert all(candidate.relevant or (asked_for_all and candidate.kind == "item") for candidate in injected)


@pytest.mark.parametrize(("confidence", "reason"), [(0.9, "confidence"), (0.8, "confidence"), (0.5, None)])
def test_a_preference_stated_outright_holds_for_every_answer(confidence: float, reason: str | None) -> None:
    preference = Candidate(
        kind="item", id=uuid4(), text="Wants concise answers", score=0.1, tokens=10, relevant=False,
        occurred_at=datetime(2026, 1, 1, tzinfo=UTC), epistemic_type="preference", confidence=confidence,
    )  # fmt: skip
    [decision] = assemble([preference], Intent("chat", 1.0)).decisions
    assert (decision.reason if decision.accepted else None) == reason


@given(st.integers(0, 50))
def test_the_best_stand_at_the_ends(count: int) -> None:
    positions = u_shape(count)
    assert sorted(positions) == list(range(1, count + 1))
    assert positions[:2] == [1, count][: min(count, 2)]


@pytest.mark.parametrize(("window", "errors"), [(32_000, []), (8_000, ["brain.E001"])])
def test_a_window_too_small_for_what_cannot_be_cut_is_noticed_at_start(window: int, errors: list[str]) -> None:
    with override_settings(MODEL_CONTEXT_WINDOW=window):
        assert [error.id for error in the_context_window_holds_what_cannot_be_cut()] == errors
