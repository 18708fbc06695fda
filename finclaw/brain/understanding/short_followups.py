"""Recognises short follow-ups: messages that only carry on with what was just said, and name nothing themselves."""

from __future__ import annotations

from typing import Final

from foundation.language import ParsedMessage
from foundation.lexicon import read_lexicon

FOLLOW_UP: Final = "follow_up"
"""The hint by which an intent says that its message only carries on."""
LONGEST: Final = 60
_FOLLOWUP: Final = read_lexicon(__file__).pattern("followup")


def is_short_followup(message: ParsedMessage) -> bool:
    """Whether the whole message is a follow-up such as "Why?" or "Tell me more", in Chinese or English.

    Without the conversation it says nothing that could be searched for or understood. Linear in its length.
    """
    return len(message.text) <= LONGEST and _FOLLOWUP.fullmatch(message.spoken) is not None
