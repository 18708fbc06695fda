"""What is found, where it stands, and what is seen through."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from stdnum import iban, luhn
from stdnum.cn import ric

from consent.sensitive.classifier import classify_sensitive
from consent.sensitive.types import Finding, SensitiveKind
from tests.consent.sensitive.samples import SAMPLES, Sample

_CARD = "4242424242424242"


def kinds_of(text: str) -> list[SensitiveKind]:
    return [finding.kind for finding in classify_sensitive(text)]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.text[:20])
def test_each_kind_is_found_exactly_where_it_stands(sample: Sample) -> None:
    start = sample.text.index(sample.value)
    assert classify_sensitive(sample.text) == (Finding(sample.kind, start, start + len(sample.value)),)


@pytest.mark.parametrize("gap", [" ", "-", "\u00a0", "\u200b", "‑", "－", "\u3000"])
def test_cards_are_seen_through_spaces_dashes_and_invisible_characters(gap: str) -> None:
    text = f"我的卡 {gap.join(_CARD[at : at + 4] for at in range(0, 16, 4))} 被盗刷"
    (finding,) = classify_sensitive(text)
    assert finding.kind is SensitiveKind.BANK_CARD
    assert text[finding.start] == "4"
    assert text[finding.end - 1] == "2"


@pytest.mark.parametrize("fold", [0xFEE0, 0x1D7CE - ord("0")], ids=["full-width", "mathematical"])
def test_other_forms_of_digits_are_read_as_digits(fold: int) -> None:
    written = "".join(chr(ord(digit) + fold) for digit in _CARD)
    assert classify_sensitive(f"😀卡号{written}。") == (Finding(SensitiveKind.BANK_CARD, 3, 19),)


def test_offsets_count_code_points_of_the_original() -> None:
    text = "😀\u200b邮箱 ｃａｒｏｌ\u200b＠example.com！"
    (finding,) = classify_sensitive(text)
    assert text[finding.start : finding.end] == "ｃａｒｏｌ\u200b＠example.com"


def test_the_graver_kind_has_what_two_claim() -> None:
    key = "0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"
    assert kinds_of(f"secret key: {key}") == [SensitiveKind.PRIVATE_KEY]


@given(st.integers(10**14, 10**15 - 1).map(str))
def test_a_number_called_a_card_is_one_exactly_if_luhn_holds(body: str) -> None:
    card = body + luhn.calc_check_digit(body)
    wrong = body + str((int(card[-1]) + 1) % 10)
    assert kinds_of(f"card {card}") == [SensitiveKind.BANK_CARD]
    assert SensitiveKind.BANK_CARD not in kinds_of(f"card {wrong}")


@given(st.dates(date(1900, 1, 1), date(2020, 1, 1)), st.integers(0, 999))
def test_an_identity_card_is_one_exactly_if_its_check_digit_holds(born: date, order: int) -> None:
    body = f"310104{born:%Y%m%d}{order:03}"
    digit = ric.calc_check_digit(body + "0")
    assert kinds_of(f"身份 {body}{digit}") == [SensitiveKind.IDENTITY_CARD]
    wrong = str((int(digit.replace("X", "0")) + 1) % 10)
    assert SensitiveKind.IDENTITY_CARD not in kinds_of(f"{body}{wrong if digit != wrong else '2'}")


@given(st.integers(0, 10**18 - 1).map(lambda number: f"{number:018}"))
def test_an_account_number_is_one_exactly_if_its_check_digits_hold(bban: str) -> None:
    digits = iban.calc_check_digits(f"DE00{bban}")
    wrong = f"{(int(digits) + 1) % 100:02}"
    assert kinds_of(f"to DE{digits}{bban}") == [SensitiveKind.IBAN]
    assert SensitiveKind.IBAN not in kinds_of(f"to DE{wrong}{bban}")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", []),  # the checksum of the mixed case is broken
        ("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", [SensitiveKind.WALLET_ADDRESS]),
        ("tx 0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318", []),
        ("token contract 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", []),
        ("my wallet 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed, a contract", [SensitiveKind.WALLET_ADDRESS]),
        ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", []),
        ("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", [SensitiveKind.WALLET_ADDRESS]),
        ("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj1", []),
    ],
)
def test_wallets_are_told_from_hashes_contracts_and_misspellings(text: str, kinds: list[SensitiveKind]) -> None:
    assert kinds_of(text) == kinds


@pytest.mark.parametrize(
    "text",
    [
        "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo",
        "今 天 天 气 很 好 我 们 去 公 园 玩",
        "able above about absent absorb abstract absurd abuse access accident account accuse",
    ],
)
def test_words_of_the_list_without_the_checksum_are_only_words(text: str) -> None:
    assert kinds_of(text) == []


def test_a_mistyped_phrase_is_one_where_it_is_called_so() -> None:
    assert kinds_of("my seed phrase: " + "zoo " * 12) == [SensitiveKind.SEED_PHRASE]


@given(st.text(max_size=400))
@example("β is written 𝛽, and dotless 𝚤 stands beside 𝟙")
def test_any_text_is_classified_into_ordered_findings_within_it(text: str) -> None:
    findings = classify_sensitive(text)
    assert all(0 <= one.start < one.end <= len(text) for one in findings)
    assert all(one.end <= other.start for one, other in pairwise(findings))


@given(st.sampled_from(SAMPLES), st.text(max_size=40), st.text(max_size=40))
def test_a_line_before_and_after_hides_nothing(sample: Sample, before: str, after: str) -> None:
    text = f"{before}\n{sample.text}\n{after}"
    assert sample.kind in kinds_of(text)
