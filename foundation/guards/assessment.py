"""Assesses a text by a guard: its words first, then what is suspicious in context."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from django.core.cache.backends.locmem import LocMemCache

from foundation.encoder import E5Embedder, embedded_encoder
from foundation.guards.context_classifier import LAYERS, normalized_states
from foundation.guards.types import Assessment, GuardName
from foundation.guards.weights import ALWAYS_READ_SHORT, GuardModel, guard_model
from foundation.language import normalize

CONTEXT_CHARACTERS: Final = 320
"""Of a suspicious text that are read in context; of a longer one, those around its most suspicious window."""

PATTERN_ODDS: Final = 2.0
"""Chosen on voices left out: a quarter of the requests to act match a pattern, and so do .024 of what looks alike; with
two nats recall rises by .02 at the same precision, with more the precision falls.
"""

# An in-process cache, whatever CACHES says, of verdicts under the hash of what was read: what is recalled again and
# again is read once. It holds no text.
_in_context: Final = LocMemCache("guards.in_context", {"timeout": 3600, "max_entries": 4096})


def assess(guard: GuardName, text: str, *, matches_pattern: bool = False) -> Assessment:
    """Assess a text by a guard. Deterministic, and linear in its length; only 8,000 characters of a long text are read.

    The words of each window of up to three sentences decide whether the text is suspicious; then the embedded encoder
    reads the most suspicious stretch. ``matches_pattern`` says that one of the caller's patterns matches the text: with
    the encoder that adds ``PATTERN_ODDS``. Where the encoder is not configured, the patterns decide alone: words by
    themselves find too little where they may flag hardly anything (.13 of what is to be found at .003).
    """
    encoder = embedded_encoder()
    if encoder is None:
        return Assessment(None, is_positive=matches_pattern)
    model, normalized = guard_model(guard), normalize(text)
    odds, start, end = max(model.words.window_odds(normalized))
    is_short = len(normalized) <= CONTEXT_CHARACTERS
    if odds < model.suspicious and not matches_pattern and not (is_short and guard in ALWAYS_READ_SHORT):
        return Assessment(odds, is_positive=False)
    mixed = _odds_in_context(guard, odds, stretch_around(normalized, start, end), encoder)
    mixed += PATTERN_ODDS * matches_pattern
    return Assessment(mixed, mixed > 0, read_in_context=True)


def stretch_around(text: str, start: int, end: int) -> str:
    """The window of a text with what stands around it, as far as ``CONTEXT_CHARACTERS`` go."""
    room = max(CONTEXT_CHARACTERS, end - start)
    begin = max(0, min(start - (room - (end - start)) // 2, len(text) - room))
    return text[begin : begin + room]


def _odds_in_context(guard: GuardName, odds: float, text: str, encoder: E5Embedder) -> float:
    key = sha256(f"{guard} {odds} {text}".encode()).hexdigest()
    known: float | None = _in_context.get(key)
    if known is None:
        known = _mixed_odds(guard_model(guard), odds, text, encoder)
        _in_context.set(key, known)
    return known


def _mixed_odds(model: GuardModel, odds: float, text: str, encoder: E5Embedder) -> float:
    states = normalized_states(encoder.token_states(text, LAYERS))
    context = model.networks.odds(states)
    word_weight, context_weight, offset = model.mixture
    return word_weight * odds + context_weight * context + offset
