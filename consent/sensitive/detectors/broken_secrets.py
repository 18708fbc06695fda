"""Finds keys, wallets and account numbers written in pieces: over two lines, in blocks, a character at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import hexdigits
from typing import Final

import base58
from stdnum import iban

from consent.sensitive.ascii_shadow import ascii_shadow
from consent.sensitive.nearby_words import stands_before, word_pattern
from consent.sensitive.types import Finding, SensitiveKind
from foundation.sanitization.rules import holds_any

_B58: Final = "1-9A-HJ-NP-Za-km-z"
_GAP: Final = r"[ \n]{1,2}"
_HEX: Final = (
    re.compile(rf"0(?<![A-Za-z0-9].)x[0-9a-fA-F]{{2,40}}(?:{_GAP}[0-9a-fA-F]{{2,40}}){{1,20}}(?![A-Za-z0-9])"),
    re.compile(rf"(?<![A-Za-z0-9])[0-9a-fA-F]{{8,40}}(?:{_GAP}[0-9a-fA-F]{{8,40}}){{1,7}}(?![A-Za-z0-9])"),
)
_BASE58: Final = re.compile(
    rf"[13T5KL](?<![A-Za-z0-9].)[{_B58}]{{5,30}}(?:{_GAP}[{_B58}]{{2,30}}){{1,6}}(?![A-Za-z0-9])"
)
_OPENAI: Final = re.compile(rf"(?<![A-Za-z0-9])sk-[A-Za-z0-9-]{{2,40}}(?:{_GAP}-?[A-Za-z0-9_-]{{2,40}}){{1,12}}")
_SINGLES: Final = re.compile(r"(?<![!-~])[!-~](?:[ *~.|-][!-~]){7,70}(?![A-Za-z0-9])")
_IBAN: Final = re.compile(r"[A-Z](?<![0-9A-Za-z].)[ *~.-]?[A-Z][ *~.-]?[0-9][ *~.-]?[0-9](?:[ \n*~.-]?[0-9A-Z]){11,30}")
_DIGIT: Final = re.compile("[0-9]")
_ARRAY: Final = re.compile(r"\[(?:[0-9]{1,3}, ?){63}[0-9]{1,3}\]")
_CALLED_WORDS: Final = ("key", "token", "pw", "password", "secret", "letters apart", "密钥", "密码", "口令", "密鑰")
_CALLED: Final = word_pattern(*_CALLED_WORDS)
_LEAST_HEX: Final = 8
_IN_HEX: Final = bytes(ord("f") if chr(code) in hexdigits else ord("-") for code in range(256))
_SHORTEST_IBAN: Final = 15
_PIECE: Final = re.compile(r"\S+")
_MARKS: Final = re.compile(r"[^0-9A-Za-z]")
_WALLET, _KEY = 42, (64, 66)


def find(text: str) -> Iterator[Finding]:
    """Strings that are a key, a wallet or an account number once their pieces are joined."""
    if _DIGIT.search(text) is None:
        return
    shadow = ascii_shadow(text)
    if b"[" in shadow:
        yield from (Finding(SensitiveKind.PRIVATE_KEY, *match.span()) for match in _ARRAY.finditer(text))
    if b"0x" in shadow or b"f" * _LEAST_HEX in shadow.translate(_IN_HEX):
        yield from _in_hex(text)
    for match in _BASE58.finditer(text):
        yield from _base58(match)
    for match in _OPENAI.finditer(text) if b"sk-" in shadow else ():
        yield from _openai(match)
    for match in _SINGLES.finditer(text) if holds_any(text.lower(), _CALLED_WORDS) else ():
        if _spells_secret(match.group()) and stands_before(_CALLED, text, match.start()):
            yield Finding(SensitiveKind.API_KEY, *match.span())
    yield from _accounts(text)


def _in_hex(text: str) -> Iterator[Finding]:
    for pattern in _HEX:
        for match in pattern.finditer(text):
            kind = _hex_kind("".join(match.group().split()))
            if kind is not None:
                yield Finding(kind, *match.span())


def _spells_secret(spaced: str) -> bool:
    return any(map(str.isalpha, spaced)) and any(map(str.isdigit, spaced))


def _accounts(text: str) -> Iterator[Finding]:
    for match in _IBAN.finditer(text):
        end = _iban_end(match.group())
        if end and not text[match.start() + end : match.start() + end + 1].isalnum():
            yield Finding(SensitiveKind.IBAN, match.start(), match.start() + end)


def _hex_kind(joined: str) -> SensitiveKind | None:
    if joined.startswith("0x") and len(joined) == _WALLET:
        return SensitiveKind.WALLET_ADDRESS
    return SensitiveKind.PRIVATE_KEY if len(joined) in _KEY and not joined.isdigit() else None


def _base58(match: re.Match[str]) -> Iterator[Finding]:
    """The pieces of one address or key; what follows them may be words."""
    pieces = list(_PIECE.finditer(match.group()))
    for count in range(len(pieces), 1, -1):
        joined = "".join(piece.group() for piece in pieces[:count])
        if 26 <= len(joined) <= 52:
            try:
                base58.b58decode_check(joined)
            except ValueError:
                continue
            kind = SensitiveKind.PRIVATE_KEY if joined[0] in "5KL" else SensitiveKind.WALLET_ADDRESS
            yield Finding(kind, match.start(), match.start() + pieces[count - 1].end())
            return


def _openai(match: re.Match[str]) -> Iterator[Finding]:
    end, length = 0, 0
    for number, piece in enumerate(_PIECE.finditer(match.group())):
        if number and piece.group().isalpha() and piece.group() in {piece.group().lower(), piece.group().capitalize()}:
            break
        end, length = piece.end(), length + len(piece.group())
    if length >= 20 and any(map(str.isdigit, match.group()[:end])):
        yield Finding(SensitiveKind.API_KEY, match.start(), match.start() + end)


def _iban_end(candidate: str) -> int:
    """How many characters of the candidate are an account number, 0 for none."""
    for end in range(len(candidate), _SHORTEST_IBAN - 1, -1):
        if candidate[end - 1].isalnum() and iban.is_valid(_MARKS.sub("", candidate[:end]), check_country=False):
            return end
    return 0
