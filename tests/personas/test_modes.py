"""The mode machine: a user's word before a rule's guess before the default, and no flapping (P-2)."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from personas.configuration import PersonaConfig
from personas.modes import add_wishes, cleared_mode, mode_in_force, resolve_request
from personas.types import MODES, Mode, ModeChange, ModeRequest, PreferenceSignal, StoredMode

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
CONFIG = PersonaConfig()
modes = st.sampled_from(MODES)
requests = st.none() | st.builds(
    ModeRequest,
    mode=st.none() | modes,
    source=st.sampled_from(["user", "rule"]),
    ttl_turns=st.none() | st.integers(1, 8),
)
configs = st.builds(
    PersonaConfig,
    dynamic_modes=st.booleans(),
    default_mode=modes,
    ttl_turns=st.integers(1, 8),
    cool_down_turns=st.integers(0, 8),
)


def _asked(mode: Mode, *, ttl_turns: int | None = None) -> ModeRequest:
    return ModeRequest(mode, "user", ttl_turns)


def _suggested(mode: Mode) -> ModeRequest:
    return ModeRequest(mode, "rule")


def _run(conversation: list[ModeRequest | None], config: PersonaConfig) -> list[ModeChange]:
    """A turn a request, each stored before the next."""
    kept, changes = None, []
    for turn, request in enumerate(conversation):
        change = resolve_request(kept, request, turn, NOW, config)
        kept = change.stored_mode or kept
        changes.append(change)
    return changes


def test_there_are_the_four_modes_of_the_seed() -> None:
    assert get_args(Mode) == MODES == ("rational", "idol", "hybrid", "strict")


def test_the_default_holds_until_somebody_says_otherwise() -> None:
    state = mode_in_force(None, 7, CONFIG)

    assert (state.mode, state.mode_source, state.ttl_turns) == ("hybrid", "default", 0)


@given(st.lists(requests, max_size=30), configs)
def test_no_two_switches_by_rule_lie_within_the_cool_down(
    conversation: list[ModeRequest | None], config: PersonaConfig
) -> None:
    changes = _run(conversation, config)
    ruled = [turn for turn, change in enumerate(changes) if change.stored_mode and change.stored_mode.source == "rule"]

    assert all(later - earlier >= config.cool_down_turns for earlier, later in pairwise(ruled))


@given(st.lists(requests, max_size=30), configs)
def test_a_mode_that_a_user_asks_for_acts_at_once_and_no_rule_takes_it_back(
    conversation: list[ModeRequest | None], config: PersonaConfig
) -> None:
    asked, until = None, -1
    for turn, (request, change) in enumerate(zip(conversation, _run(conversation, config), strict=True)):
        if not config.dynamic_modes:
            continue
        if request is not None and request.source == "user":
            lasts = (request.ttl_turns or config.ttl_turns) if request.mode else 0
            asked, until = request.mode, turn + lasts
        if turn < until:
            assert (change.after.mode, change.after.mode_source) == (asked, "user")


@given(st.lists(requests, max_size=30), configs)
def test_every_mode_ends_with_its_turns_and_the_default_follows(
    conversation: list[ModeRequest | None], config: PersonaConfig
) -> None:
    kept: StoredMode | None = None
    for turn, request in enumerate(conversation):
        change = resolve_request(kept, request, turn, NOW, config)
        kept = change.stored_mode or kept
        if kept is None or not config.dynamic_modes:
            continue
        ends = kept.since_turn + kept.ttl_turns
        assert change.after.ttl_turns == max(0, ends - turn)
        assert mode_in_force(kept, ends - 1, config).mode == kept.mode
        after = mode_in_force(kept, ends, config)
        assert (after.mode, after.mode_source) == (config.default_mode, "default")


@given(st.lists(requests, max_size=30), configs)
def test_switched_off_nothing_but_the_default_ever_holds(
    conversation: list[ModeRequest | None], config: PersonaConfig
) -> None:
    off = config.model_copy(update={"dynamic_modes": False})

    for change in _run(conversation, off):
        assert (change.stored_mode, change.after.mode, change.after.mode_source) == (
            None,
            config.default_mode,
            "default",
        )


def test_switching_off_puts_a_chosen_mode_to_rest_and_switching_on_wakes_it() -> None:
    kept = resolve_request(None, _asked("strict"), 0, NOW, CONFIG).stored_mode

    assert mode_in_force(kept, 1, PersonaConfig(dynamic_modes=False)).mode == "hybrid"
    assert mode_in_force(kept, 1, CONFIG).mode == "strict"


def test_a_rule_does_not_begin_a_mode_anew_that_holds_already() -> None:
    first = resolve_request(None, _suggested("rational"), 0, NOW, CONFIG)
    again = resolve_request(first.stored_mode, _suggested("rational"), 10, NOW, CONFIG)

    assert again.stored_mode is None
    assert again.after.ttl_turns == 10


def test_after_the_cool_down_a_rule_may_switch_again() -> None:
    first = resolve_request(None, _suggested("rational"), 0, NOW, CONFIG)

    assert (
        resolve_request(first.stored_mode, _suggested("idol"), CONFIG.cool_down_turns - 1, NOW, CONFIG).stored_mode
        is None
    )
    assert (
        resolve_request(first.stored_mode, _suggested("idol"), CONFIG.cool_down_turns, NOW, CONFIG).after.mode == "idol"
    )


def test_a_rule_waits_its_cool_down_even_after_a_user_spoke_in_between() -> None:
    ruled = resolve_request(None, _suggested("rational"), 0, NOW, CONFIG)
    asked = resolve_request(ruled.stored_mode, _asked("strict", ttl_turns=1), 1, NOW, CONFIG)

    assert resolve_request(asked.stored_mode, _suggested("idol"), 2, NOW, CONFIG).stored_mode is None


def test_clearing_gives_the_default_back_and_remembers_when_a_rule_switched() -> None:
    ruled = resolve_request(None, _suggested("rational"), 3, NOW, CONFIG).stored_mode
    assert ruled is not None
    change = cleared_mode(ruled, 4, NOW, CONFIG)

    assert (change.before, change.after.mode, change.after.mode_source) == ("rational", "hybrid", "default")
    assert resolve_request(change.stored_mode, _suggested("idol"), 5, NOW, CONFIG).stored_mode is None


def test_a_lasting_preference_takes_the_place_of_the_configured_default() -> None:
    assert mode_in_force(None, 0, CONFIG, default="strict").mode == "strict"
    asked = resolve_request(None, ModeRequest(None, "user"), 0, NOW, CONFIG, default="strict")
    assert asked.after.mode == "strict"


def test_wishes_stay_with_the_conversation_and_the_latest_counts() -> None:
    begun = resolve_request(None, None, 0, NOW, CONFIG)
    short = add_wishes(begun, None, [PreferenceSignal("reply_length", "concise")], 0, NOW, CONFIG)
    long = add_wishes(
        short,
        short.stored_mode,
        [PreferenceSignal("reply_length", "detailed"), PreferenceSignal("mode", "idol")],
        1,
        NOW,
        CONFIG,
    )

    assert short.after.wishes == (("reply_length", "concise"),)
    assert long.after.wishes == (("reply_length", "detailed"),)
    assert mode_in_force(long.stored_mode, 500, CONFIG).wishes == long.after.wishes
    assert not long.changes_mode


def test_a_mode_that_was_asked_for_keeps_what_was_wished_for_before() -> None:
    wished = add_wishes(
        resolve_request(None, None, 0, NOW, CONFIG), None, [PreferenceSignal("reply_length", "concise")], 0, NOW, CONFIG
    )

    assert resolve_request(wished.stored_mode, _asked("idol"), 1, NOW, CONFIG).after.wishes == (
        ("reply_length", "concise"),
    )


def test_a_mode_that_was_asked_for_takes_the_place_of_the_tone_wished_for_before() -> None:
    warm = add_wishes(
        resolve_request(None, None, 0, NOW, CONFIG), None, [PreferenceSignal("reply_tone", "warm")], 0, NOW, CONFIG
    )

    assert resolve_request(warm.stored_mode, _asked("rational"), 1, NOW, CONFIG).after.wishes == ()
    assert resolve_request(warm.stored_mode, _suggested("rational"), 1, NOW, CONFIG).after.wishes == (
        ("reply_tone", "warm"),
    )


@given(st.lists(requests, max_size=10), configs)
def test_a_user_who_asks_for_the_usual_way_is_back_at_once_without_any_wish(
    conversation: list[ModeRequest | None], config: PersonaConfig
) -> None:
    kept = None
    for change in _run(conversation, config):
        kept = change.stored_mode or kept
    if kept is not None:
        kept = (
            add_wishes(
                ModeChange("hybrid", mode_in_force(kept, 9, config)),
                kept,
                [PreferenceSignal("reply_tone", "warm")],
                9,
                NOW,
                config,
            ).stored_mode
            or kept
        )
    back = resolve_request(kept, ModeRequest(None, "user"), 10, NOW, config).after

    assert (back.mode, back.mode_source) == (config.default_mode, "default")
    assert back.wishes == ()
