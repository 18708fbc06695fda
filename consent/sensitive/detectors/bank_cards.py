"""Finds bank card numbers by Luhn's check digit, and an issuer's prefix or words that call them cards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stdnum import luhn

from consent.sensitive.candidate_spans import matches_in, number_of
from consent.sensitive.nearby_words import only_digits, stands_before, word_pattern
from consent.sensitive.types import Finding, SensitiveKind

_BEGIN, _END = r"(?<![0-9A-Za-z$€£¥#])(?<![0-9][.,-])", r"(?![0-9A-Za-z-])(?![.,][0-9])"
_NUMBER = re.compile(
    rf"{_BEGIN}(?:[0-9]{{13,19}}"
    r"|[0-9]{4}(?:(?P<gap>[ -])[0-9]{4})(?:(?P=gap)[0-9]{4}){1,2}(?P=gap)[0-9]{2,4}"
    rf"|3[0-9]{{3}}[ -][0-9]{{6}}[ -][0-9]{{4,5}}|[0-9]{{6}}[ -][0-9]{{10,13}}){_END}"
)
_STRETCH = number_of(13)
# ISO/IEC 7812 prefixes and lengths as the networks publish them.
ISSUED = re.compile(
    r"4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})"  # Visa
    r"|(?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}"  # Mastercard
    r"|3[47][0-9]{13}"  # American Express
    r"|3(?:0[0-5]|[689][0-9])[0-9]{11}"  # Diners Club
    r"|(?:6011|64[4-9][0-9]|65[0-9]{2})[0-9]{12}"  # Discover
    r"|35(?:2[89]|[3-8][0-9])[0-9]{12}"  # JCB
    r"|62[0-9]{14,17}"  # UnionPay
)
_CALLED = word_pattern(
    "card", "visa", "mastercard", "amex", "american express", "unionpay", "debit", "credit",
    "卡", "银联", "銀聯",
)  # fmt: skip
_CALLED_OTHERWISE = word_pattern(
    "order", "invoice", "tracking", "transaction", "trade", "ref", "serial", "ticket", "id",
    "订单", "訂單", "单号", "單號", "流水", "编号", "編號", "发票", "發票", "交易号",
)  # fmt: skip


def find(text: str) -> Iterator[Finding]:
    """Numbers of 13 to 19 digits that are cards rather than orders or invoices."""
    for match in matches_in(_STRETCH, text, _NUMBER):
        number = only_digits(match.group())
        if len(set(number)) > 1 and luhn.is_valid(number) and _is_card(text, match.start(), number):
            yield Finding(SensitiveKind.BANK_CARD, *match.span())


def _is_card(text: str, start: int, number: str) -> bool:
    if stands_before(_CALLED, text, start):
        return True
    return ISSUED.fullmatch(number) is not None and not stands_before(_CALLED_OTHERWISE, text, start)
