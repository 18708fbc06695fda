"""Whether a thesis reverses an earlier one; then the earlier one's invalidators no longer apply."""

from __future__ import annotations

import re
from typing import Final

from finclaw.brain.material.polarity import side_of
from finclaw.brain.research.comparison import SAME_MATTER, shared_words
from foundation.text import normalize

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
