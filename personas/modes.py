"""Which persona mode holds: the user's request, else a rule's suggestion, else the default. Pure.

What a user asks for acts at once. Every mode but the default ends after its turns. A rule waits its cool-down after a
rule switched, and as long as a user's word lasts it changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from personas.configuration import PersonaConfig
from personas.types import Mode, ModeChange, ModeInForce, ModeRequest, PreferenceSignal, StoredMode, Wishes


def mode_in_force(
    kept: StoredMode | None, turn: int, config: PersonaConfig, default: Mode | None = None
) -> ModeInForce:
    """The mode at ``turn``, with the turns that are left of it.

    ``default`` is the mode somebody prefers for good, in place of the configured one; with modes switched off neither
    it nor anything kept counts.
    """
    if not config.dynamic_modes:
        return ModeInForce(config.default_mode, "default")
    wishes = kept.wishes if kept else ()
    if kept is None or kept.source == "default" or _turns_left(kept, turn) == 0:
        return ModeInForce(default or config.default_mode, "default", wishes=wishes)
    return ModeInForce(kept.mode, kept.source, kept.since, _turns_left(kept, turn), kept.notes, wishes)


def resolve_request(
    kept: StoredMode | None,
    request: ModeRequest | None,
    turn: int,
    now: datetime,
    config: PersonaConfig,
    default: Mode | None = None,
) -> ModeChange:
    """The mode change that ``request`` makes at ``turn``."""
    before = mode_in_force(kept, turn, config, default)
    if request is None or not _is_request_effective(before, kept, request, turn, config):
        return ModeChange(before.mode, before)
    if request.mode is None:
        change = cleared_mode(kept, turn, now, config, default) if kept else ModeChange(before.mode, before)
        return replace(change, taken_back=True)
    changed = StoredMode(
        mode=request.mode,
        source=request.source,
        since=now,
        since_turn=turn,
        ttl_turns=config.ttl_turns if request.ttl_turns is None else request.ttl_turns,
        notes=request.notes,
        ruled_turn=turn if request.source == "rule" else _last_rule_switch(kept),
        wishes=_wishes_kept_beside(request, before.wishes),
    )
    return ModeChange(before.mode, mode_in_force(changed, turn, config, default), changed)


def cleared_mode(
    kept: StoredMode, turn: int, now: datetime, config: PersonaConfig, default: Mode | None = None
) -> ModeChange:
    """The change back to the default mode; the time of the last switch by a rule is kept."""
    before = mode_in_force(kept, turn, config, default)
    empty = StoredMode(default or config.default_mode, "default", now, turn, ruled_turn=kept.ruled_turn)
    return ModeChange(before.mode, mode_in_force(empty, turn, config, default), empty)


def add_wishes(
    change: ModeChange,
    kept: StoredMode | None,
    signals: Iterable[PreferenceSignal],
    turn: int,
    now: datetime,
    config: PersonaConfig,
) -> ModeChange:
    """The change with the style wishes of ``signals`` for this conversation; the latest of a key counts."""
    if not config.dynamic_modes:
        return change
    new = {signal.key: signal.value for signal in signals if signal.key != "mode" and not signal.as_now}
    wishes = tuple(sorted((dict(change.after.wishes) | new).items()))
    if wishes == change.after.wishes:
        return change
    row = change.kept or kept or StoredMode(change.after.mode, "default", now, turn)
    return replace(change, after=replace(change.after, wishes=wishes), kept=replace(row, wishes=wishes))


def _wishes_kept_beside(request: ModeRequest, wishes: Wishes) -> Wishes:
    """The earlier wishes without the tone, where the user asks for a mode: each mode has its own tone."""
    return tuple(wish for wish in wishes if request.source == "rule" or wish[0] != "reply_tone")


def _is_request_effective(
    before: ModeInForce, kept: StoredMode | None, request: ModeRequest, turn: int, config: PersonaConfig
) -> bool:
    if not config.dynamic_modes:
        return False
    if request.source == "user":
        return True
    ruled = _last_rule_switch(kept)
    cooling = ruled is not None and turn - ruled < config.cool_down_turns
    return before.mode_source != "user" and before.mode != request.mode and not cooling


def _turns_left(kept: StoredMode, turn: int) -> int:
    return max(0, kept.since_turn + kept.ttl_turns - turn)


def _last_rule_switch(kept: StoredMode | None) -> int | None:
    return kept.ruled_turn if kept else None
