"""Patterns for the objects of English execution verbs: amounts, assets, orders, what one owns."""

from __future__ import annotations

from typing import Final

from finclaw.brain.boundary.lexicon import EnglishWords, any_of, misspellings
from finclaw.brain.understanding.aliases import packaged_assets
from foundation.language import normalize
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

TICKER: Final = r"\$[a-z]{1,8}\b"
"""A ticker as ``spelling.normalize_spelling`` marks it: ``$nvda`` for NVDA."""
AMOUNT: Final = _WORDS.of("en").phrase("amount")
AT_ONCE: Final = _WORDS.of("en").phrase("at_once")
DETERMINER: Final = _WORDS.of("en").phrase("determiner")
_LONGEST_WORD_TICKER: Final = 3  # KO and MA are words too, unless written in capitals
GAP: Final = _WORDS.of("en").phrase("gap")
"""Some words of the same noun phrase."""


def kind_patterns(words: EnglishWords) -> dict[str, str]:
    """The pattern of each kind of object that an act may need."""
    end = rf"\b(?![\w'-])(?! (?:{any_of(words.compounds)})\b)"
    slips = {slip for name in words.things["orders"] if name.endswith("er") for slip in misspellings(name, frozenset())}
    noun = {kind: rf"(?:{any_of(names)}){end}" for kind, names in words.things.items()}
    noun["orders"] = rf"(?:{any_of((*words.things['orders'], *slips))}){end}"
    quantity = (
        rf"(?:{AMOUNT}(?: more| extra| additional)?(?: of)? ?(?:(?:{any_of(words.units)})\b|{TICKER})|[$€£¥] ?\d)"
    )
    owned = {kind: rf"{DETERMINER} {GAP}{pattern}" for kind, pattern in noun.items()}
    bare = {kind: rf"(?:{GAP}){pattern}" for kind, pattern in noun.items()}
    return owned | {
        "amount": rf"(?:me |us )?{AMOUNT}",
        "quantity": rf"(?:me |us )?{quantity}",
        "quantity_alone": rf"{quantity}(?=[,;.!]|$)",
        "sum": r"(?:me |us )?\d[\d,.]*[km]\b",
        "for_me": rf"{AMOUNT}[^;?!]{{0,40}}? (?:for me|on my behalf)\b|{DETERMINER} account for me\b",
        "whole": r"(?:me |us )?(?:all|half|everything|it|them|the rest|the lot)\b(?! (?:when|if) )",
        "mine": rf"(?:{DETERMINER} )?my (?![\w-]+ (?:{any_of(words.compounds)})\b)",
        "mine_alone": r"(?:all (?:of )?)?my\b",
        "asset": rf"(?:me )?(?:some )?(?:{TICKER}|(?:{_asset_pattern()})\b)(?!['’]|:)"
        rf"(?! (?:{any_of(words.compounds)})\b)",
        "if": r"(?:[^\s,;:?!]+ ){0,2}?(?:if|once|as soon as|when) (?:it|they|the (?:price|stock|shares?|market))\b",
        "at_once": rf"(?!orders?\b)[^;?!]{{1,40}}? {AT_ONCE}",
        "opened": rf"{DETERMINER} {GAP}(?:long|short|position){end}(?! that\b)",
        "orders": rf"{bare['orders']}(?! of (?!\d))",
        "orders_through": rf"{owned['orders']} (?:in|through|out|off)\b",
        "stops": bare["stops"],
        "sided": r"(?:long|short) (?:at|on|now)\b",
        "leverage": r"(?:(?:my|the) (?:[\w-]+ )?)(?:leverage|margin)\b"
        r"|(?:leverage|margin) (?:up )?(?:to|at) |\d+x leverage",
        "levered": r"(?:my|the) (?:[\w-]+ ){0,2}(?:up )?(?:to )?\d+x\b",
        "invested": rf"{quantity}[^;?!]{{0,30}}? (?:in|into|to)\b|{AMOUNT} of my\b"
        rf"|{AMOUNT} (?:more )?[^;?!]{{0,20}}?to my\b"
        r"|(?:all )?my (?:money|cash|savings|pension|401k|ira|portfolio|holdings)\b",
        "access": rf"my {GAP}{noun['access']}(?! of\b)",
        "offerings": rf"me (?:to|for|in) (?:\S+ ){{0,2}}?{noun['offerings']}",
        "end": r"(?=$|[,.!]| and\b| to\b)",
    }


def _asset_pattern() -> str:
    names = (normalize(name) for group in packaged_assets() for name in group)
    return any_of(name for name in names if name.isascii() and len(name) > _LONGEST_WORD_TICKER)
