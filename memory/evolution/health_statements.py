"""Recognises statements about the user's health, which are kept only after the user confirms them. Pure.

Data concerning health is a special category (GDPR Art. 9) and sensitive personal information (PIPL Art. 28): consent to
learning in general does not reach it. Whoever says "remember that …" has confirmed already. Conditions, diagnoses and
medication are asked about; a bad night or a worry before an exam is an everyday complaint. An allergy and what is not
eaten are left out on purpose: they guard the user in every recommendation. Only the words listed here are recognised,
and what a model labels as health.
"""

from __future__ import annotations

import re
from typing import Final

from foundation.language import normalize
from foundation.lexicon import read_lexicon
from memory.evolution.types import StatementCandidate

_WORDS: Final = read_lexicon(__file__, "health")

SLOT: Final = "health"
RULE: Final = "gateway.health"
_STATED: Final = _WORDS.pattern("stated", re.IGNORECASE)
_MENTIONED: Final = _WORDS.pattern("mentioned", re.IGNORECASE)
_COMPLAINT: Final = _WORDS.pattern("complaint", re.IGNORECASE)
_ASKED_TO_REMEMBER: Final = ("en.remember:", "zh.remember:")


def states_health(text: str) -> bool:
    """Whether a first-person text states a condition of the speaker, or what they take against one."""
    return _STATED.search(normalize(text)) is not None


def names_health(text: str) -> bool:
    """Whether a text names a condition, a patient or a medication, whosever."""
    return _MENTIONED.search(normalize(text)) is not None


def needs_confirmation(candidate: StatementCandidate) -> bool:
    """Whether a candidate states the user's health and the user did not ask to have it remembered."""
    if candidate.attributes["polarity"] == "negative" or candidate.rule.startswith(_ASKED_TO_REMEMBER):
        return False
    if candidate.by_model and _MENTIONED.search(normalize(f"{candidate.content} {candidate.attributes['value']}")):
        return True  # a model may attribute to one message what another one said
    labelled = SLOT in (candidate.attributes["slot"], candidate.category)
    return (labelled and not is_everyday_complaint(candidate.quote)) or states_health(candidate.quote)


def is_everyday_complaint(quote: str) -> bool:
    """Whether a text that was labelled as health names an everyday complaint, and no condition."""
    words = normalize(quote)
    return _COMPLAINT.search(words) is not None and _MENTIONED.search(words) is None
