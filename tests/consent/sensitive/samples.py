"""One made-up value of every kind, in a sentence of either language."""

from __future__ import annotations

from typing import NamedTuple

from consent.sensitive.types import SensitiveKind


class Sample(NamedTuple):
    """A sentence, and the part of it that is sensitive."""

    kind: SensitiveKind
    text: str
    value: str


def _sample(kind: SensitiveKind, before: str, value: str, after: str = "") -> Sample:
    return Sample(kind, before + value + after, value)


_SEED = "legal winner thank year wave sausage worth useful legal winner thank yellow"  # BIP-39's test vector
_PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----"

SECRETS = (
    _sample(SensitiveKind.BANK_CARD, "charge ", "4242 4242 4242 4242", " please"),
    _sample(SensitiveKind.BANK_CARD, "我的卡号是", "6200000000000005"),
    _sample(SensitiveKind.IDENTITY_CARD, "身份证", "11010519491231002X", "，帮我开户"),
    _sample(SensitiveKind.API_KEY, "use ", "AKIAIOSFODNN7EXAMPLE"),
    _sample(SensitiveKind.PRIVATE_KEY, "key:\n", _PEM),
    _sample(
        SensitiveKind.PRIVATE_KEY,
        "我的私钥是",
        "0x" + "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
    ),
    _sample(SensitiveKind.SEED_PHRASE, "my seed is ", _SEED),
)
PERSONAL = (
    _sample(SensitiveKind.EMAIL, "write to ", "carol@example.com", " tonight"),
    _sample(SensitiveKind.EMAIL, "我的邮箱是", "carol@example.com", "，请通知我"),
    _sample(SensitiveKind.PHONE, "call ", "+1 415 555 0132"),
    _sample(SensitiveKind.PHONE, "手机", "13912345678", "，晚上联系"),
    _sample(SensitiveKind.IBAN, "wire it to ", "DE89 3704 0044 0532 0130 00"),
    _sample(SensitiveKind.WALLET_ADDRESS, "我的钱包是", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
    _sample(SensitiveKind.WALLET_ADDRESS, "send it to ", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"),
    _sample(SensitiveKind.PERSONAL_NAME, "My name is ", "Priya Patel", "."),
    _sample(SensitiveKind.PERSONAL_NAME, "我叫", "王小明", "，在上海"),
)
SAMPLES = SECRETS + PERSONAL
