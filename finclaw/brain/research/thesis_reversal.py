"""Whether a thesis reverses an earlier one; then the earlier one's invalidators no longer apply."""

from __future__ import annotations

import re
from typing import Final, Literal

from finclaw.brain.material.polarity import speaks_against, speaks_for
from finclaw.brain.material.sentence_mood import condition_in
from finclaw.brain.research.comparison import SAME_MATTER, shared_words
from foundation.text import normalize

ThesisSide = Literal["for", "against", ""]
_SIDES: Final = re.compile(
    r"\b(?P<for>bullish|overweight|optimistic|undervalued|constructive|positive)\b"
    r"|(?P<zh_for>看好|看多|看涨|乐观|低估|做多)"
    r"|\b(?P<against>bearish|underweight|pessimistic|overvalued|sceptical|skeptical|negative|cautious)\b"
    r"|(?P<zh_against>看空|看跌|看淡|悲观|高估|做空|谨慎)",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:no longer|not|never|neither|\w+n't)(?: \w+)?\s$|(?:不再|并不|没有|不)$", re.IGNORECASE
)
_COMMA: Final = re.compile(r"[,，]")
_RETRACTED: Final = re.compile(
    r"\b(?:i|we) (?:no longer|do not|don't) (?:\w+ )?(?:think|believe|expect|see|hold)\b"
    r"|不再(?:认为|相信|觉得|预计|预期)",
    re.IGNORECASE,
)


def is_reversed(before: str, after: str) -> bool:
    """Whether ``after`` takes the opposite side of ``before``, or withdraws it; where one takes no side, whether it is
    about another matter.

    Rewording reverses nothing, nor does an empty thesis.
    """
    if not before or not after or normalize(before) == normalize(after):
        return False
    if _RETRACTED.search(after):
        return _RETRACTED.search(before) is None
    sides = {side_of(before), side_of(after)}
    if "" in sides:
        return shared_words(before, after) < SAME_MATTER
    return len(sides) > 1


def side_of(thesis: str) -> ThesisSide:
    """The side a thesis takes in its own words, its invalidating condition aside; "" for none."""
    thesis = _without_condition(thesis)
    named = {_side_of_match(thesis, found) for found in _SIDES.finditer(thesis)}
    if len(named) == 1:
        return named.pop()
    if speaks_against(thesis):
        return "against"
    return "for" if speaks_for(thesis) else ""


def _without_condition(thesis: str) -> str:
    found = condition_in(thesis)
    if found is None:
        return thesis
    return thesis[: found.start()] if found.start() else _COMMA.split(thesis, maxsplit=1)[-1]


def _side_of_match(thesis: str, found: re.Match[str]) -> ThesisSide:
    is_for = bool(found["for"] or found["zh_for"])
    is_denied = _DENIED.search(thesis[: found.start()]) is not None
    return "for" if is_for != is_denied else "against"
