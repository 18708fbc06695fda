"""Decides which persona mode holds: the user's request, else a rule's suggestion, else the default. Pure.

A user's request takes effect at once. Every mode but the default ends after its number of turns (messages of the user).
A rule changes nothing while a mode that the user asked for holds, or during the cool-down after a switch by a rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from personas.configuration import PersonaConfig
from personas.notes import note_of_change, note_without_mode
from personas.types import (
    MessageWishes,
    Mode,
    ModeChange,
    ModeEnd,
    ModeInForce,
    ModeRequest,
    PreferenceSignal,
    StoredMode,
    Wishes,
)


def mode_in_force(
    stored_mode: StoredMode | None, turn: int, config: PersonaConfig, default: Mode | None = None
) -> ModeInForce:
    """The mode at ``turn``, with the turns that are left of it.

    ``default`` is the user's preferred mode, which replaces the configured one. If modes are switched off, neither it
    nor ``stored_mode`` counts.
    """
    if not config.dynamic_modes:
        return ModeInForce(config.default_mode, "default")
    wishes = stored_mode.wishes if stored_mode else ()
    if stored_mode is None or stored_mode.source == "default" or _turns_left(stored_mode, turn) == 0:
        notes = stored_mode.notes if stored_mode and stored_mode.ttl_turns == 0 else ""  # a mode's notes end with it
        return ModeInForce(default or config.default_mode, "default", notes=notes, wishes=wishes)
    return ModeInForce(
        stored_mode.mode,
        stored_mode.source,
        stored_mode.since,
        _turns_left(stored_mode, turn),
        stored_mode.notes,
        wishes,
    )


def resolve_request(
    stored_mode: StoredMode | None,
    request: ModeRequest | None,
    turn: int,
    now: datetime,
    config: PersonaConfig,
    default: Mode | None = None,
) -> ModeChange:
    """The mode change that ``request`` makes at ``turn``."""
    before = mode_in_force(stored_mode, turn, config, default)
    if request is None or not _is_request_effective(before, stored_mode, request, turn, config):
        return ModeChange(before.mode, before)
    if request.mode is None:
        change = (
            cleared_mode(stored_mode, turn, now, config, default) if stored_mode else ModeChange(before.mode, before)
        )
        return replace(change, is_reset=True)
    changed = StoredMode(
        mode=request.mode,
        source=request.source,
        since=now,
        since_turn=turn,
        ttl_turns=config.ttl_turns if request.ttl_turns is None else request.ttl_turns,
        notes=request.notes,
        ruled_turn=turn if request.source == "rule" else _last_rule_switch(stored_mode),
        wishes=_wishes_kept_beside(request, before.wishes),
    )
    return ModeChange(before.mode, mode_in_force(changed, turn, config, default), changed)


def cleared_mode(
    stored_mode: StoredMode, turn: int, now: datetime, config: PersonaConfig, default: Mode | None = None
) -> ModeChange:
    """The change back to the default mode; the time of the last switch by a rule is kept."""
    before = mode_in_force(stored_mode, turn, config, default)
    empty = StoredMode(default or config.default_mode, "default", now, turn, ruled_turn=stored_mode.ruled_turn)
    return ModeChange(before.mode, mode_in_force(empty, turn, config, default), empty)


def add_wishes(
    change: ModeChange,
    stored_mode: StoredMode | None,
    signals: Iterable[PreferenceSignal],
    turn: int,
    now: datetime,
    config: PersonaConfig,
) -> ModeChange:
    """The change with the style wishes of ``signals`` for this conversation; the latest of a key counts."""
    if not config.dynamic_modes:
        return change
    new = {
        signal.key: signal.value for signal in signals if signal.key != "mode" and not (signal.as_now or signal.turns)
    }
    wishes = tuple(sorted((dict(change.after.wishes) | new).items()))
    if wishes == change.after.wishes:
        return change
    row = change.stored_mode or stored_mode or StoredMode(change.after.mode, "default", now, turn)
    return replace(change, after=replace(change.after, wishes=wishes), stored_mode=replace(row, wishes=wishes))


def note_message(change: ModeChange, stored_mode: StoredMode | None, inferred: MessageWishes) -> ModeChange:
    """The change with notes of what the message asked for.

    Notes that the user wrote on a page about a mode stay as long as the mode.
    """
    if change.stored_mode is None:
        return change
    if (
        stored_mode is not None
        and stored_mode.notes
        and stored_mode.noted_in is None
        and change.stored_mode.since == stored_mode.since
    ):
        return change
    notes = note_of_change(change, inferred)
    row, after = replace(change.stored_mode, notes=notes), replace(change.after, notes=notes)
    return replace(change, after=after, stored_mode=row, has_notes=bool(notes))


def record_ends(
    change: ModeChange, stored_mode: StoredMode | None, turn: int, config: PersonaConfig, default: Mode | None = None
) -> ModeChange:
    """The change, with the modes added whose turns were over before this turn, or are over with it."""
    if not config.dynamic_modes:
        return change
    default_mode = default or config.default_mode
    is_replaced = (
        change.stored_mode is not None and stored_mode is not None and change.stored_mode.since != stored_mode.since
    )
    lapsed = _mode_end(stored_mode, turn, default_mode) if is_replaced else None
    ends = _mode_end(change.stored_mode or stored_mode, turn + 1, default_mode, has_notes=change.has_notes)
    return replace(change, ended_mode=lapsed, ending_mode=ends)


def _mode_end(stored_mode: StoredMode | None, turn: int, default: Mode, *, has_notes: bool = False) -> ModeEnd | None:
    """The end of a mode that is over at ``turn``; None for one that holds, or whose end was recorded."""
    if (
        stored_mode is None
        or stored_mode.source == "default"
        or stored_mode.ttl_turns == 0
        or _turns_left(stored_mode, turn)
    ):
        return None
    notes = note_without_mode(stored_mode.notes, stored_mode.wishes) if has_notes or stored_mode.noted_in else ""
    return ModeEnd(stored_mode.mode, default, stored_mode.since, notes)


def _wishes_kept_beside(request: ModeRequest, wishes: Wishes) -> Wishes:
    """The earlier wishes without the tone, where the user asks for a mode: each mode has its own tone."""
    return tuple(wish for wish in wishes if request.source == "rule" or wish[0] != "reply_tone")


def _is_request_effective(
    before: ModeInForce, stored_mode: StoredMode | None, request: ModeRequest, turn: int, config: PersonaConfig
) -> bool:
    if not config.dynamic_modes:
        return False
    if request.source == "user":
        return True
    ruled = _last_rule_switch(stored_mode)
    cooling = ruled is not None and turn - ruled < config.cool_down_turns
    return before.mode_source != "user" and before.mode != request.mode and not cooling


def _turns_left(stored_mode: StoredMode, turn: int) -> int:
    return max(0, stored_mode.since_turn + stored_mode.ttl_turns - turn)


def _last_rule_switch(stored_mode: StoredMode | None) -> int | None:
    return stored_mode.ruled_turn if stored_mode else None
