"""Finds private keys: PEM, PuTTY files, Bitcoin's WIF, extended keys (BIP-32), Nostr's, and raw ones called so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import base58

from consent.sensitive.candidate_spans import LONG_RUN, matches_in
from consent.sensitive.nearby_words import stands_before, word_pattern
from consent.sensitive.types import Finding, SensitiveKind
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)
_BASE58 = "1-9A-HJ-NP-Za-km-z"
_BEGIN, _END = r"(?<![0-9A-Za-z_+/-])", r"(?![0-9A-Za-z_+/-])"
_FILE = re.compile(
    r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}|PuTTY-User-Key-File-[0-9]{1,2}:",
    re.IGNORECASE,
)
_FILE_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{1,50}-{4,5}|Private-MAC: ?[0-9a-f]{40,64}", re.IGNORECASE)
_WIF = re.compile(rf"{_BEGIN}(?:5[{_BASE58}]{{50}}|[KL][{_BASE58}]{{51}}){_END}")
_EXTENDED = re.compile(rf"{_BEGIN}[xyzt]prv[{_BASE58}]{{107}}{_END}")
_NOSTR = re.compile(rf"{_BEGIN}nsec1[02-9ac-hj-np-z]{{58}}{_END}")
_RAW = re.compile(rf"{_BEGIN}(?:(?:0x)?[0-9a-fA-F]{{64}}|[{_BASE58}]{{86,88}}){_END}")  # secp256k1, Ed25519
_IN_BASE64 = re.compile(rf"{_BEGIN}[A-Za-z0-9+/]{{43}}={_END}")  # WireGuard's
_CALLED_PRIVATE = word_pattern(*_WORDS.words("called_private"))
_CALLED = word_pattern(*_WORDS.words("called"))
_NO_KEY = word_pattern(*_WORDS.words("no_key"))


def find(text: str) -> Iterator[Finding]:
    """Keys by their own shape and checksum; 32 or 64 bare bytes may be any hash, and must be called a key."""
    for match in _FILE.finditer(text):
        end = _FILE_END.search(text, match.end())
        yield Finding(SensitiveKind.PRIVATE_KEY, match.start(), end.end() if end else len(text))
    for match in matches_in(LONG_RUN, text, _WIF, _EXTENDED):
        if _checksum_holds(match.group()):
            yield Finding(SensitiveKind.PRIVATE_KEY, *match.span())
    for match in matches_in(LONG_RUN, text, _RAW):
        if stands_before(_CALLED, text, match.start()) and not stands_before(_NO_KEY, text, match.start()):
            yield Finding(SensitiveKind.PRIVATE_KEY, *match.span())
    for match in matches_in(LONG_RUN, text, _IN_BASE64, _NOSTR):
        if match.re is _NOSTR or stands_before(_CALLED_PRIVATE, text, match.start()):
            yield Finding(SensitiveKind.PRIVATE_KEY, *match.span())


def _checksum_holds(key: str) -> bool:
    try:
        return bool(base58.b58decode_check(key))
    except ValueError:
        return False
