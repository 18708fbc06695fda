"""The window is divided so that it is never passed, and nothing that cannot be cut is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from finclaw.brain.checks import the_context_window_holds_what_cannot_be_cut
from finclaw.brain.prompt.budget import (
    BOUNDS,
    BUDGET_ALLOCATOR_FALLBACK,
    COMPRESSIBLE,
    INCOMPRESSIBLE,
    POLICIES,
    Allocation,
    FixedNeeds,
    Slot,
    TruncationPolicy,
    TurnSignals,
    cut_by_priority,
    divide_window,
    safety_margin,
)
from foundation.exceptions import ValidationFailed
from tests.support.degradations import with_degraded


def gives_too_much(slots: Mapping[Slot, int], available: int) -> Allocation:
    """A policy that cuts nothing."""
    return dict.fromkeys(slots, available)


def fails(slots: Mapping[Slot, int], available: int) -> Allocation:
    """A policy with a fault."""
    raise ZeroDivisionError


PLAIN = TurnSignals(memory_richness=0.0, knowledge_relevance=0.0, conversation_depth=0)
SMALL_NEEDS = FixedNeeds(800, 50, 1_500)
strategies = st.sampled_from([POLICIES[name] for name in sorted(POLICIES)])
policies = st.one_of(strategies, st.just(gives_too_much), st.just(fails))
windows = st.integers(1_000, 200_000)
needs = st.builds(FixedNeeds, st.integers(0, 4_000), st.integers(0, 10_000), st.integers(0, 6_000))
share = st.floats(allow_nan=True, allow_infinity=True)
signals = st.builds(TurnSignals, share, st.none() | share, st.integers(0, 10_000))


def whole(window: int, wanted: FixedNeeds) -> bool:
    return wanted.system_prompt + wanted.last_user_turn + wanted.generation_buffer + safety_margin(window) <= window


@given(windows, needs, signals, policies)
def test_all_slots_and_the_margin_fit_the_window_and_what_cannot_be_cut_is_whole(
    window: int, wanted: FixedNeeds, given_signals: TurnSignals, policy: TruncationPolicy
) -> None:
    if not whole(window, wanted):
        with pytest.raises(ValidationFailed):
            divide_window(window, wanted, given_signals, policy)
        return
    slots = divide_window(window, wanted, given_signals, policy)
    assert set(slots) == set(Slot)
    assert min(slots.values()) >= 0
    assert sum(slots.values()) + safety_margin(window) <= window
    for slot, tokens in zip(
        INCOMPRESSIBLE, (wanted.system_prompt, wanted.last_user_turn, wanted.generation_buffer), strict=True
    ):
        assert slots[slot] >= tokens


@given(
    strategies,
    st.fixed_dictionaries({slot: st.integers(0, BOUNDS[slot].most) for slot in COMPRESSIBLE}),
    st.integers(0, 60_000),
)
def test_a_policy_only_cuts_and_no_more_than_it_must(
    policy: TruncationPolicy, slots: dict[Slot, int], available: int
) -> None:
    left = policy(slots, available)
    assert all(0 <= left[slot] <= slots[slot] for slot in slots)
    assert sum(left.values()) <= available
    assert sum(left.values()) >= min(sum(slots.values()), available) - len(slots)  # rounding


@given(strategies, st.integers(6_500, 30_000))
def test_a_policy_cuts_no_slot_below_its_least_while_there_is_room(policy: TruncationPolicy, available: int) -> None:
    left = policy({slot: BOUNDS[slot].usual for slot in COMPRESSIBLE}, available)
    assert all(left[slot] >= BOUNDS[slot].least for slot in left)


def test_knowledge_is_cut_first_and_memories_last() -> None:
    baseline = {slot: BOUNDS[slot].usual for slot in COMPRESSIBLE}
    left = cut_by_priority(baseline, sum(baseline.values()) - 8_500)
    assert left == baseline | {Slot.KNOWLEDGE_CONTEXT: 0, Slot.SUMMARY_BLOCKS: 2_500}


def test_the_optimising_policy_takes_from_all_in_proportion_to_what_they_can_give() -> None:
    baseline = {slot: BOUNDS[slot].usual for slot in COMPRESSIBLE}
    slack = sum(BOUNDS[slot].usual - BOUNDS[slot].least for slot in COMPRESSIBLE)
    left = POLICIES["constraint_optimization"](baseline, sum(baseline.values()) - slack // 2)
    for slot in COMPRESSIBLE:
        assert left[slot] == pytest.approx((BOUNDS[slot].usual + BOUNDS[slot].least) / 2, abs=1)


@pytest.mark.parametrize(
    ("rich", "raised", "lowered"),
    [
        (TurnSignals(1.0, 0.0, 0), Slot.PERSONAL_CONTEXT, Slot.SUMMARY_BLOCKS),
        (TurnSignals(0.0, 1.0, 0), Slot.KNOWLEDGE_CONTEXT, Slot.ACTIVE_WINDOW),
        (TurnSignals(0.0, 0.0, 40), Slot.ACTIVE_WINDOW, Slot.KNOWLEDGE_CONTEXT),
    ],
)
def test_a_turn_gives_more_to_what_it_is_rich_in(rich: TurnSignals, raised: Slot, lowered: Slot) -> None:
    plain = divide_window(128_000, SMALL_NEEDS, PLAIN, cut_by_priority)
    moved = divide_window(128_000, SMALL_NEEDS, rich, cut_by_priority)
    assert moved[raised] == BOUNDS[raised].most > plain[raised]
    assert moved[lowered] == BOUNDS[lowered].least < plain[lowered]


def test_without_knowledge_its_slot_is_empty() -> None:
    signs = TurnSignals(0.0, None, 0)
    slots, degraded = with_degraded(lambda: divide_window(32_000, SMALL_NEEDS, signs, cut_by_priority))
    assert slots[Slot.KNOWLEDGE_CONTEXT] == 0
    assert degraded == ()


@pytest.mark.parametrize("policy", [fails, gives_too_much])
def test_a_policy_that_fails_leaves_the_static_baseline(policy: TruncationPolicy) -> None:
    slots, degraded = with_degraded(lambda: divide_window(32_000, SMALL_NEEDS, PLAIN, policy))
    assert slots == {slot: BOUNDS[slot].usual for slot in Slot}
    assert degraded == (BUDGET_ALLOCATOR_FALLBACK,)


def test_a_message_longer_than_its_slot_stands_whole_and_the_others_shrink() -> None:
    slots = divide_window(32_000, FixedNeeds(800, 8_000, 1_500), PLAIN, cut_by_priority)
    assert slots[Slot.LAST_USER_TURN] == 8_000
    assert slots[Slot.KNOWLEDGE_CONTEXT] < BOUNDS[Slot.KNOWLEDGE_CONTEXT].usual


def test_a_window_that_holds_a_turn_but_not_with_the_longest_persona_is_noticed(
    settings: Settings, tmp_path: Path
) -> None:
    settings.PERSONA_FILE = str(tmp_path / "persona.yaml")
    settings.MODEL_CONTEXT_WINDOW, settings.MAX_MESSAGE_CHARS = 16_000, 8_000
    for max_chars, errors in ((1_500, []), (8_000, ["brain.E002"])):
        Path(settings.PERSONA_FILE).write_text(f"max_chars: {max_chars}")
        assert [error.id for error in the_context_window_holds_what_cannot_be_cut()] == errors


@pytest.mark.parametrize(
    ("window", "reply", "errors"),
    [
        (32_000, 1_500, []),
        (4_000, 1_500, ["brain.E001"]),
        (8_000, 1_500, ["brain.E002"]),
        (32_000, 7_000, ["brain.E003"]),
    ],
)
def test_limits_that_cannot_hold_a_turn_are_noticed_at_start(window: int, reply: int, errors: list[str]) -> None:
    with override_settings(MODEL_CONTEXT_WINDOW=window, MODEL_MAX_OUTPUT_TOKENS=reply, MAX_MESSAGE_CHARS=8_000):
        assert [error.id for error in the_context_window_holds_what_cannot_be_cut()] == errors
