"""FinClaw advises and never executes (B-11): what asks it to act, or carries what acting needs, is refused.

By the words alone, Chinese and English: who asks, what is remembered of them and how they like to be answered play no
part, and everybody gets the same answer. Asking whether, telling that one did or means to, and evidence of what others
did are no requests. The words are ``data/boundary.yaml``; the shapes of asking are ``english`` and ``chinese``;
``second_look`` is a model's.
"""

from __future__ import annotations

from typing import Any

from finclaw.brain.research.boundary import chinese, english
from finclaw.brain.research.boundary.exceptions import BoundaryRefused
from finclaw.brain.research.boundary.fields import holds_forbidden_field
from finclaw.brain.research.boundary.spelling import normalize_spelling
from foundation.text import split_sentences

__all__ = ["BoundaryRefused", "asks_to_execute", "refuse_execution", "refuse_fields"]


def refuse_execution(text: str) -> None:
    """Raise ``BoundaryRefused`` for a text that asks to act, or tells that it was done: before the model and after."""
    if asks_to_execute(text):
        raise BoundaryRefused()


def refuse_fields(payload: Any) -> None:
    """Raise ``BoundaryRefused`` for a value that carries a forbidden field, as a key at any depth or in its texts.

    The fields are the setting FORBIDDEN_EXECUTION_FIELDS: one joined by ``+`` is forbidden only where all of its names
    stand together. In a text a name counts where a value follows it, ``limit_price: 50``; a single word of English is
    also a word of analysis there (``Leverage: 3x``), and counts as a key alone.
    """
    if holds_forbidden_field(payload):
        raise BoundaryRefused()


def asks_to_execute(text: str) -> bool:
    """Whether a text asks for an order, a signature, a transfer or the like, or claims to have brought one about."""
    return any(
        english.asks_or_claims(sentence) or chinese.asks_or_claims(sentence)
        for sentence in map(normalize_spelling, split_sentences(text))
    )
