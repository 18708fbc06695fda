"""Types of the rules that recognize style wishes; the rules are in ``wish_rules_en`` and ``wish_rules_zh``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from personas.types import Language, Mode, PreferenceKey


@dataclass(frozen=True)
class WishRule:
    """A rule for a clause that wishes for a style. A ``correction`` objects to how the assistant just behaved.

    ``mode`` is the one that grants the wish at once, None where it has nothing to do with any.
    """

    pattern: re.Pattern[str]
    key: PreferenceKey
    value: str
    correction: bool = False
    mode: Mode | None = None


@dataclass(frozen=True)
class WishRules:
    """One language's. ``command`` captures a word of ``words`` as ``mode``; ``back`` asks for the usual way again, and
    ``back_alone`` does where a sentence speaks of nothing else: "…, back to normal" may be said of a market.
    ``as_now`` is "answer like this".

    A wish is ``lasting`` where its clause says so, or one beside it; what begins with a ``habit`` tells how often as
    well. ``leaders`` are what a clause may open with and still be a wish; one that ``reports`` tells what somebody else
    said next. ``suggestions`` are what a message is about when a mode fits it.
    """

    language: Language
    split: re.Pattern[str]
    leaders: re.Pattern[str]
    lasting: re.Pattern[str]
    habit: re.Pattern[str]
    reports: re.Pattern[str]
    command: re.Pattern[str]
    words: Mapping[str, Mode]
    back: re.Pattern[str]
    back_alone: re.Pattern[str]
    as_now: re.Pattern[str]
    wishes: tuple[WishRule, ...]
    suggestions: tuple[tuple[re.Pattern[str], Mode], ...]
