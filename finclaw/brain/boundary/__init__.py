"""The execution boundary: FinClaw advises and never trades, so requests to act and fields that acting needs are
refused.

Judged by the words alone, Chinese and English: who asks and what is remembered of them play no part, and everybody gets
the same answer. Asking whether to act, telling what one did or plans, and evidence on others' trades are no requests.
The words are in ``data/lexicon``, the sentence patterns in ``english`` and ``chinese``. A trained guard
(``foundation/guards``) reads what they do not recognise, and ``second_look`` asks a model.
"""

from __future__ import annotations

from typing import Any

from finclaw.brain.boundary import chinese, english
from finclaw.brain.boundary.exceptions import BoundaryRefused
from finclaw.brain.boundary.fields import holds_forbidden_field
from finclaw.brain.boundary.spelling import normalize_sentences
from foundation.guards import assess

__all__ = ["BoundaryRefused", "asks_to_execute", "refuse_execution", "refuse_fields"]


def refuse_execution(text: str) -> None:
    """Raise ``BoundaryRefused`` for a text that asks to act, or claims to have acted. Applied before and after the
    model.
    """
    if asks_to_execute(text):
        raise BoundaryRefused()


def refuse_fields(payload: Any) -> None:
    """Raise ``BoundaryRefused`` for a value with a forbidden field, as a key at any depth or in its texts.

    The fields are the setting FORBIDDEN_EXECUTION_FIELDS; names joined by ``+`` are forbidden only together. In a text
    a name counts where a value follows it (``limit_price: 50``); a single English word is also a word of analysis there
    (``Leverage: 3x``), and counts as a key only.
    """
    if holds_forbidden_field(payload):
        raise BoundaryRefused()


def asks_to_execute(text: str) -> bool:
    """Whether a text asks for an order, a signature, a transfer or the like, or claims to have made one: by the
    sentence patterns and the trained guard together.
    """
    return assess("boundary", text, matches_pattern=_stands_in_patterns(text)).is_positive


def _stands_in_patterns(text: str) -> bool:
    return any(
        english.asks_or_claims(sentence) or chinese.asks_or_claims(sentence) for sentence in normalize_sentences(text)
    )
