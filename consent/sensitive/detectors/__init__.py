"""Detectors of sensitive text, a module for each kind; each reads folded text."""

import re

from consent.sensitive.candidate_spans import LONG_NUMBER, LONG_RUN
from consent.sensitive.detectors import (
    api_keys,
    bank_cards,
    chinese_names,
    emails,
    english_names,
    ibans,
    identity_cards,
    phones,
    private_keys,
    seed_phrases,
    wallets,
)
from consent.sensitive.types import Detector

# Each group is asked only where its pattern occurs, so that ordinary text costs next to nothing.
GROUPS: tuple[tuple[re.Pattern[str], tuple[Detector, ...]], ...] = (
    (LONG_RUN, (private_keys.find, api_keys.find, wallets.find)),
    (LONG_NUMBER, (identity_cards.find, bank_cards.find, ibans.find, phones.find)),
    (re.compile(""), (emails.find, phones.find_called, seed_phrases.find, english_names.find, chinese_names.find)),
)
