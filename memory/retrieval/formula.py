"""The constants of hybrid search, and the factors of the rerank. Pure, table-tested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

# BM25 over binary term presence; measured on conversation turns and Chinese sentences.
K1 = 0.9
B = 0.3
NEAR_WEIGHT = 0.5  # of a term found only one message away: as good as .75 in chats, better among unrelated notes
FAR_WEIGHT = 0.25  # of a term found only two messages away
# The weight of BM25 in the fused score; the vector has the rest. It is multiplied by the root of the best entry's BM25
# divided by the whole question's idf, so that one chance word decides nothing where a question uses other words than
# the memory. Chosen with the e5 model on the development halves of LoCoMo, MADial (both languages), BEAM 100K and CMRC,
# R@10: .799, .632, .604, .500, .952; a weight of .4 without the factor: .803, .571, .501, .511, .952.
LEXICAL_WEIGHT = 0.6
# A time that the question names ("in June") counts as this many words that are as rare as entries of that time.
# R@10 at 0, 1, 2, 3 on the development halves, in a simulation: LifeBench .431, .451, .471, .485; LoCoMo .696, .712,
# .718, .721.
PERIOD_WEIGHT = 2
RRF_K = 60  # the constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)
RRF_DEPTH = 20  # top_k of each leg
MAX_TERMS = 64  # of a longer question only the words are searched that the fewest of the user's entries hold
# A user with at most this many entries has all of them read, so the result is exact: a first look would cost more than
# it saves.
FEW = 1_536
SAMPLE = 1_536  # entries of very many, nearest by their vectors, among which a long question's words are chosen
# How many entries the second look reads: a twentieth of the user's, and at least ``SECOND_LOOK``.
SECOND_LOOK = 768
SECOND_LOOK_SHARE = 20
FALSE_POSITIVES = 0.014  # of the Bloom filters of entries without a word, those that seem to hold it
MOST_WORDS = 0.6  # of the question's idf: a row five times as long as the average that holds all words has so much BM25
# The first look weighs words this much more than the score does, because signs tell a cosine only roughly. Of the best
# ten that reading all gives it so keeps .957, .942, .944 for memories of 2,600, 10,000 and 50,000 sentences of the
# public data sets (e5's vectors, 80 questions that nothing was chosen on); a constant weight of .35 kept .899, .877,
# .876. Factors of 1.3 and 1.6 are within .007.
FIRST_LOOK_EMPHASIS = 1.5

_RECENCY: Sequence[tuple[int, float]] = ((7, 1.2), (30, 1.0), (90, 0.8))  # days since it was said → factor
_RECENCY_OLD = 0.6  # of what was said longer ago
_DECAY: Sequence[tuple[int, float]] = ((30, 1.0), (90, 0.85), (180, 0.6))  # days since it was validated → factor
_DECAY_OLD = 0.3  # of what was validated longer ago
_PROVENANCE = {"observation": 0.6, "analysis": 0.8, "confirmed_by_user": 1.0}  # factor by provenance
FREQUENCY_MIN_USES = 5  # with fewer verdicts their share says nothing
_DISUSE: Sequence[tuple[int, float]] = ((2, 1.0), (5, 0.9))  # times in a row that no answer drew on it → factor
_DISUSE_LONG = 0.8  # of what was passed over more often


@dataclass(frozen=True)
class ItemSignals:
    """What the rerank knows of an item beside its fused score.

    ``uses`` counts the injections on which the user passed a verdict, ``positive`` those that were welcomed; ``unused``
    how often in a row it stood before the model and the answer drew nothing from it.
    """

    age: timedelta
    since_validated: timedelta
    confidence: float
    provenance: str
    uses: int = 0
    positive: int = 0
    unused: int = 0

    @property
    def positive_rate(self) -> float:
        """The share of judged uses that was welcomed; 0 without any."""
        return self.positive / self.uses if self.uses else 0.0


def recency_boost(age: timedelta) -> float:
    """The factor by age: up to 7 days 1.2, to 30 days 1.0, to 90 days 0.8, older 0.6."""
    return _step_value(_RECENCY, age, _RECENCY_OLD)


def decay_factor(since_validated: timedelta) -> float:
    """The factor by time since validation: up to 30 days 1.0, to 90 days 0.85, to 180 days 0.6, older 0.3."""
    return _step_value(_DECAY, since_validated, _DECAY_OLD)


def confidence_effective(confidence: float, since_validated: timedelta) -> float:
    """The stored confidence, decayed for ordering only."""
    return confidence * decay_factor(since_validated)


def frequency_factor(uses: int, positive_rate: float) -> float:
    """The factor by welcome: from five judged uses on 1.1 above 70 % positive, 0.7 under 30 %; else 1.0."""
    if uses < FREQUENCY_MIN_USES:
        return 1.0
    if positive_rate > 0.7:
        return 1.1
    return 0.7 if positive_rate < 0.3 else 1.0


def disuse_factor(unused: int) -> float:
    """The factor by answers in a row that drew nothing from it: 1.0 up to two, 0.9 up to five, then 0.8."""
    return next((value for times, value in _DISUSE if unused <= times), _DISUSE_LONG)


def rerank_factors(signals: ItemSignals) -> dict[str, float]:
    """The rerank's factors by the names ``explain`` gives them; their product with the fused score orders."""
    return {
        "recency": recency_boost(signals.age),
        "confidence_effective": confidence_effective(signals.confidence, signals.since_validated),
        "provenance": _PROVENANCE.get(signals.provenance, _PROVENANCE["observation"]),
        "frequency": frequency_factor(signals.uses, signals.positive_rate) * disuse_factor(signals.unused),
    }


def _step_value(table: Sequence[tuple[int, float]], age: timedelta, beyond: float) -> float:
    return next((value for days, value in table if age <= timedelta(days=days)), beyond)
