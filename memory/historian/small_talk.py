"""Recognises sentences that tell nothing of what happened to their speaker or of what the speaker is: promises to try
something, agreement, moods, opinions, talk of the chat itself.
"""

# ruff: noqa: E501 - a pattern and what it means are read on one line

from __future__ import annotations

import re
from typing import Final

from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

_PROMISE: Final = _WORDS.pattern("promise", re.IGNORECASE)
"""What somebody answers to advice: "I will give it a try", "我会去试试"."""
_VAGUE: Final = _WORDS.pattern("vague", re.IGNORECASE)
"""What says that there is something, and not what."""
_ATTITUDE: Final = _WORDS.pattern("attitude", re.IGNORECASE)
"""Agreement, thanks and resolve: how somebody takes what was said, and nothing that happened."""
_STATE_OF_MIND: Final = _WORDS.of("en").pattern("state_of_mind", re.IGNORECASE)
"""A sentence whose first verb says what its speaker feels or thinks: a state of mind, and no event in Vendler's sense."""
_STATE_OF_MIND_ZH: Final = _WORDS.of("zh").pattern("state_of_mind")
_EVALUATION: Final = _WORDS.of("en").pattern("evaluation", re.IGNORECASE)
"""What praises something in general: "Travel is a great way to learn"."""
_WISH: Final = _WORDS.pattern("wish")
"""What somebody wishes: such a sentence is told only where the gate is sure that it teaches something."""
_NEEDS: Final = _WORDS.pattern("needs", re.IGNORECASE)


def is_small_talk(text: str) -> bool:
    """Whether a sentence promises to try something, agrees, gives thanks, or names nothing."""
    return any(pattern.search(text) for pattern in (_PROMISE, _VAGUE, _ATTITUDE))


def is_state_of_mind(text: str) -> bool:
    """Whether a sentence says how its speaker feels, or what they think of something: "I feel lost", "我觉得很好"."""
    return (
        _STATE_OF_MIND.search(text) is not None
        or _STATE_OF_MIND_ZH.match(text) is not None
        or _EVALUATION.search(text) is not None
    )


def is_wish(text: str) -> bool:
    """Whether a sentence says what its speaker would have, or strives for: "I want to inspire people"."""
    return _WISH.search(text) is not None


def names_a_need(text: str) -> bool:
    """Whether a sentence says what its speaker wants or does not know: before a question it is part of the question."""
    return _NEEDS.search(text) is not None
