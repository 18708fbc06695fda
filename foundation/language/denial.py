"""Recognizes words that are denied: "no risk", "没有风险"."""

from __future__ import annotations

from foundation.language.language_choice import languages_in

_LOOKED_BACK = 40
"""Characters before a word in which its denial stands."""


def is_denied(sentence: str, at: int) -> bool:
    """Whether the words right before position ``at`` of a sentence deny what begins there."""
    before = sentence[max(0, at - _LOOKED_BACK) : at]
    return any(tables.denial.holds_for(before) for tables in languages_in(before))
