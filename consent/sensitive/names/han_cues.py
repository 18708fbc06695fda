"""Looks up the words right before and after a Chinese name that hint at one: kin, a role, a label, a verb."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__, "names")

Codes = NDArray[np.uint64]


def cues_around(text: str, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> tuple[Codes, Codes]:
    """The group numbers of the hint words right before and right after each candidate; 0 for none."""
    left = [_cue_before(text, at) for at in starts.tolist()]
    right = [_cue_after(text, at) for at in ends.tolist()]
    return np.array(left, dtype=np.uint64), np.array(right, dtype=np.uint64)


def _cue_before(text: str, end: int) -> int:
    cues, _, lasts, _ = _cue_words()
    if text[end - 1 : end] not in lasts:
        return 0
    return next((cues[word] for size in (4, 3, 2, 1) if (word := text[max(0, end - size) : end]) in cues), 0)


def _cue_after(text: str, start: int) -> int:
    _, cues, _, firsts = _cue_words()
    if text[start : start + 1] not in firsts:
        return 0
    return next((cues[word] for size in (3, 2, 1) if (word := text[start : start + size]) in cues), 0)


@cache
def _cue_words() -> tuple[dict[str, int], dict[str, int], frozenset[str], frozenset[str]]:
    """The group number of each hint word before a name and of each after it; the last characters of the former, and the
    first of the latter.
    """
    groups = (_WORDS.of("zh").groups(side) for side in ("before", "after"))
    before, after = (
        {word: number for number, words in enumerate(group.values(), 1) for word in reversed(words)} for group in groups
    )
    return before, after, frozenset(word[-1] for word in before), frozenset(word[0] for word in after)
