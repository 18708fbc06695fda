"""Finds wallet addresses: Bitcoin, Ethereum, TRON, Solana and others. Addresses called contracts are public."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

import base58
from Crypto.Hash import keccak
from stdnum import bitcoin

from consent.sensitive.candidate_spans import LONG_RUN, matches_in
from consent.sensitive.nearby_words import stands_before, word_pattern
from consent.sensitive.types import Finding, SensitiveKind

_BASE58 = "1-9A-HJ-NP-Za-km-z"
_BEGIN, _END = r"(?<![0-9A-Za-z_/+-])", r"(?![0-9A-Za-z_/+=-])"
_BITCOIN = re.compile(rf"{_BEGIN}(?:[13][{_BASE58}]{{25,34}}|(?:bc1|BC1)[0-9A-Za-z]{{8,87}}){_END}")
_ETHEREUM = re.compile(rf"{_BEGIN}0[xX][0-9a-fA-F]{{40}}{_END}")
_TRON = re.compile(rf"{_BEGIN}T[{_BASE58}]{{33}}{_END}")
_DOGECOIN = re.compile(rf"{_BEGIN}D[5-9A-HJ-NP-U][{_BASE58}]{{32}}{_END}")
_LITECOIN = re.compile(rf"{_BEGIN}ltc1[02-9ac-hj-np-z]{{39,59}}{_END}")
_RIPPLE = re.compile(rf"{_BEGIN}r[{_BASE58}]{{24,34}}{_END}")
_SOLANA = re.compile(rf"{_BEGIN}[{_BASE58}]{{32,44}}{_END}")
_TRON_VERSION = 0x41
_BECH32M = 0x2BC830A3  # BIP-350; python-stdnum knows the older constant of BIP-173 only
_HUMAN_READABLE = (3, 3, 0, 2, 3)  # "bc", expanded as BIP-173 says
_LITECOIN_PART = (3, 3, 3, 0, 12, 20, 3)  # "ltc"
_BECH32_ALPHABET = {character: value for value, character in enumerate("qpzry9x8gf2tvdw0s3jn54khce6mua7l")}
_WALLET = word_pattern(
    "wallet", "address", "deposit", "phantom", "ledger", "metamask", "钱包", "錢包", "地址", "提币", "充币"
)
_OWN_WALLET = word_pattern("wallet", "钱包", "錢包")
_CONTRACT = word_pattern(
    "contract", "token", "mint", "program", "blockhash", "pool",
    "合约", "合約", "代币", "代幣", "程序", "池",
)  # fmt: skip


def find(text: str) -> Iterator[Finding]:
    """Addresses with a valid checksum, or of a kind without one, unless they are called a contract."""
    for match in matches_in(LONG_RUN, text, *_IS_ADDRESS):
        called = stands_before(_WALLET, text, match.start())
        if _IS_ADDRESS[match.re](match.group(), called) and not _is_contract(text, match.start()):
            yield Finding(SensitiveKind.WALLET_ADDRESS, *match.span())


def _is_contract(text: str, start: int) -> bool:
    return stands_before(_CONTRACT, text, start) and not stands_before(_OWN_WALLET, text, start)


def _is_bitcoin(address: str, called: bool) -> bool:
    return bitcoin.is_valid(address) or _is_taproot(address.lower())


def _is_taproot(address: str) -> bool:
    """Witness version 1 and later carry the checksum of BIP-350."""
    values = [_BECH32_ALPHABET.get(character, -1) for character in address[3:]]
    if not address.startswith("bc1") or -1 in values or not 1 <= values[0] <= 16:
        return False
    return bitcoin.bech32_checksum([*_HUMAN_READABLE, *values]) == _BECH32M


def _is_ethereum(address: str, called: bool) -> bool:
    """EIP-55: mixed case is a checksum; one case alone has none, and is an address all the same."""
    body = address[2:]
    if not body.strip("0"):
        return False  # the zero address, to which tokens are sent to burn them
    if called or body in {body.lower(), body.upper()}:
        return True
    digest = keccak.new(digest_bits=256, data=body.lower().encode()).hexdigest()
    return all(
        not character.isalpha() or character.isupper() == (int(nibble, 16) >= 8)
        for character, nibble in zip(body, digest, strict=False)
    )


def _is_tron(address: str, called: bool) -> bool:
    with suppress(ValueError):
        return base58.b58decode_check(address)[0] == _TRON_VERSION
    return False


def _is_solana(address: str, called: bool) -> bool:
    """32 bytes, with no checksum: unless words call it an address, it must be long, in mixed case and with digits."""
    looks_random = len(address) >= 43 and not address.isalpha() and address not in {address.lower(), address.upper()}
    return (called or looks_random) and len(base58.b58decode(address)) == 32


def _is_dogecoin(address: str, called: bool) -> bool:
    with suppress(ValueError):
        return bool(base58.b58decode_check(address))
    return False


def _is_litecoin(address: str, called: bool) -> bool:
    values = [_BECH32_ALPHABET.get(character, -1) for character in address[4:]]
    return -1 not in values and bitcoin.bech32_checksum([*_LITECOIN_PART, *values]) in {1, _BECH32M}


def _is_ripple(address: str, called: bool) -> bool:
    with suppress(ValueError):
        return bool(base58.b58decode_check(address, alphabet=base58.RIPPLE_ALPHABET))
    return False


_IS_ADDRESS = {
    _DOGECOIN: _is_dogecoin,
    _LITECOIN: _is_litecoin,
    _RIPPLE: _is_ripple,
    _BITCOIN: _is_bitcoin,
    _ETHEREUM: _is_ethereum,
    _TRON: _is_tron,
    _SOLANA: _is_solana,
}
