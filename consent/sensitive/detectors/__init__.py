"""Detectors of sensitive text, a module for each kind; each reads folded text."""

import re

from consent.sensitive.candidate_spans import LONG_NUMBER, LONG_RUN
from consent.sensitive.detectors import (
    api_keys,
    bank_cards,
    broken_secrets,
    chinese_names,
    emails,
    english_names,
    ibans,
    identity_cards,
    passwords,
    phones,
    private_keys,
    seed_phrases,
    spoken_emails,
    wallets,
    word_passwords,
    written_numbers,
)
from consent.sensitive.names import tagger
from consent.sensitive.types import Detector

# The detectors of a group run only where its pattern occurs, so that ordinary text costs next to nothing.
GROUPS: tuple[tuple[re.Pattern[str], tuple[Detector, ...]], ...] = (
    (LONG_RUN, (private_keys.find, api_keys.find, wallets.find)),
    (LONG_NUMBER, (identity_cards.find, bank_cards.find, ibans.find, phones.find)),
    (
        re.compile(""),
        (
            emails.find,
            spoken_emails.find,
            passwords.find,
            word_passwords.find,
            broken_secrets.find,
            phones.find_called,
            seed_phrases.find,
            written_numbers.find,
        ),
    ),
)
NAMES: tuple[Detector, ...] = (tagger.find, english_names.find, chinese_names.find)
"""The detectors of names. They do not run on decoded text: nobody encodes a mere name, and decoded random bytes may
look like one.
"""
