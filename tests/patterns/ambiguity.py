"""Find what a repeat can read in two ways: on such a word, over and over, a backtracking engine takes exponential time.

By the algorithm of Sardinas and Patterson: a set of words is uniquely decodable when no rest of one word in another
can be continued until both readings end together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

_LONGEST: Final = 24
"""Characters of an ambiguous word: a longer one repeats too seldom in a probe of 50."""


def find_ambiguous(words: Sequence[str], most: int = 12) -> list[str]:
    """Texts that are made of ``words`` in more than one way, the shortest first; words given twice are such."""
    twice = [word for word, count in Counter(words).items() if count > 1]
    return sorted({*twice, *_decoded_twice(sorted(set(words)))}, key=lambda one: (len(one), one))[:most]


def _decoded_twice(words: Sequence[str]) -> Iterator[str]:
    """Each text whose two readings end together. A rest is what the longer reading is ahead by."""
    known = frozenset(words)
    rests = {longer[len(word) :]: longer for longer in words for word in _proper_prefixes(longer) if word in known}
    seen = set(rests)
    while rests:
        further: dict[str, str] = {}
        for rest, text in rests.items():
            if rest in known:
                yield text
            for word in words:
                if word.startswith(rest) and len(word) > len(rest):
                    further.setdefault(word[len(rest) :], text + word[len(rest) :])
            for word in _proper_prefixes(rest):
                if word in known:
                    further.setdefault(rest[len(word) :], text)
        rests = {rest: text for rest, text in further.items() if rest not in seen and len(text) <= _LONGEST}
        seen |= set(rests)


def _proper_prefixes(word: str) -> Iterator[str]:
    return (word[:end] for end in range(1, len(word)))
