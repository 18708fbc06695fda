"""Defines the types of the sensitive input classifier."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.utils.translation import gettext_lazy as _


class SensitiveKind(StrEnum):
    """Kinds of sensitive text. Where findings overlap, the kind named first here wins."""

    PRIVATE_KEY = "private_key"
    SEED_PHRASE = "seed_phrase"
    API_KEY = "api_key"
    IBAN = "iban"
    IDENTITY_CARD = "identity_card"
    PASSPORT = "passport"
    SOCIAL_SECURITY = "social_security"
    HKID = "hkid"
    TW_ID = "tw_id"
    BANK_CARD = "bank_card"
    WALLET_ADDRESS = "wallet_address"
    EMAIL = "email"
    PHONE = "phone"
    PERSONAL_NAME = "personal_name"


KIND_NAMES: Final = {
    SensitiveKind.PRIVATE_KEY: _("private key"),
    SensitiveKind.SEED_PHRASE: _("seed phrase"),
    SensitiveKind.API_KEY: _("api key"),
    SensitiveKind.IBAN: _("iban"),
    SensitiveKind.IDENTITY_CARD: _("identity card"),
    SensitiveKind.PASSPORT: _("passport"),
    SensitiveKind.SOCIAL_SECURITY: _("social security number"),
    SensitiveKind.HKID: _("Hong Kong identity card"),
    SensitiveKind.TW_ID: _("Taiwan identity card"),
    SensitiveKind.BANK_CARD: _("bank card"),
    SensitiveKind.WALLET_ADDRESS: _("wallet address"),
    SensitiveKind.EMAIL: _("email"),
    SensitiveKind.PHONE: _("phone"),
    SensitiveKind.PERSONAL_NAME: _("personal name"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A stretch ``[start, end)`` of a text, in code points. It never contains the words themselves."""

    kind: SensitiveKind
    start: int
    end: int


Detector = Callable[[str], Iterator[Finding]]
"""A detector yields the findings of one kind, or a few related ones, in a folded text."""
