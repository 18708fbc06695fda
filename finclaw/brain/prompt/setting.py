"""When, where and with whom a turn takes place, as a prompt says it: no model knows the day by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from foundation.sanitization.prompt_text import NOTHING, element, escape_text, in_one_line, join_texts, trusted_text
from foundation.sanitization.types import SafeText


@dataclass(frozen=True)
class TurnSetting:
    """``now`` is on the conversation's clock, ``zone`` names it; ``place`` and ``person`` are "" if unknown."""

    now: datetime
    zone: str
    place: SafeText = NOTHING
    person: SafeText = NOTHING


def setting_element(setting: TurnSetting) -> SafeText:
    """The setting as a prompt element, a line for each thing known: no value can begin another."""
    return element("setting", join_texts("\n", (NOTHING, *_setting_lines(setting), NOTHING)))


def _setting_lines(setting: TurnSetting) -> Iterator[SafeText]:
    offset = f"{setting.now:%z}"
    yield trusted_text(f"now: {setting.now:%A, %-d %B %Y, %H:%M}")
    yield trusted_text(f"time zone: {setting.zone} (UTC{offset[:3]}:{offset[3:5]})")
    for name, value in ((trusted_text("place"), setting.place), (trusted_text("person"), setting.person)):
        if value:
            yield join_texts(": ", (name, escape_text(in_one_line(value), quote=False)))
