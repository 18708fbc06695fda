"""Numbers, addresses and keys are found however they are written, with all of what was written."""

from __future__ import annotations

from base64 import b64encode
from unittest.mock import patch

import pytest
from pytest_django import Settings

from consent.sensitive.classifier import classify_sensitive
from consent.sensitive.names import tagger
from consent.sensitive.types import SensitiveKind
from tests.support.embedders import ShapelessEncoder

K = SensitiveKind


def found(text: str) -> list[tuple[SensitiveKind, str]]:
    return [(finding.kind, text[finding.start : finding.end]) for finding in classify_sensitive(text)]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("my cell is four one five, two eight eight, one six nine four", K.PHONE, None),
        ("手机一三八，零零二四，七六五一", K.PHONE, "一三八，零零二四，七六五一"),
        ("mobile double seven four nine triple five oh one eight", K.PHONE, None),
        ("card 4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2 ok", K.BANK_CARD, "4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2"),
        ("card on file 4242.4242.4242.4242", K.BANK_CARD, "4242.4242.4242.4242"),
        ("the number was 42424242\n42424242", K.BANK_CARD, "42424242\n42424242"),
        ("card 4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣", K.BANK_CARD, None),
        ("身份证一一零一零五一九四九一二三一零零二X", K.IDENTITY_CARD, None),
        ("write to carol (at) example dot com", K.EMAIL, "carol (at) example dot com"),
        ("邮箱carol艾特example点com", K.EMAIL, "carol艾特example点com"),
        ("IBAN D E 8 9 3 7 0 4 0 0 4 4 0 5 3 2 0 1 3 0 0 0", K.IBAN, "D E 8 9 3 7 0 4 0 0 4 4 0 5 3 2 0 1 3 0 0 0"),
        ("wallet 0x5aAeb6053F3E94C9b9\nA09f33669435E7Ef1BeAed", K.WALLET_ADDRESS, None),
        ("the wifi pw is Treehouse_Eleven11, tell nobody", K.API_KEY, "Treehouse_Eleven11"),
        ("密码是Mantou77!别外传", K.API_KEY, "Mantou77!"),
        ("postgres://ledger:hunter2Ledger!@db.internal:5432/prod", K.API_KEY, "hunter2Ledger!"),
        ("wifi in the annex is Slow-Otter-41", K.API_KEY, "Slow-Otter-41"),
        ("VPN login is mbaker4 / 9Kw7qTz4Lp, works from home", K.API_KEY, "9Kw7qTz4Lp"),
        ("后台密码Wanfu#2031，别写墙上", K.API_KEY, "Wanfu#2031"),
        ("押金退到4242424242424242，三天内到", K.BANK_CARD, "4242424242424242"),
        ("the bridge's phone is seven one niner, five five five, oh one eight niner", K.PHONE, None),
        ("carol(underscore)m(at)example(dot)co(dot)uk", K.EMAIL, "carol(underscore)m(at)example(dot)co(dot)uk"),
        ("邮箱carol下划线m 艾特 example 点 com", K.EMAIL, "carol下划线m 艾特 example 点 com"),
        ("my email is carol dot m at corp dash mail dot cn", K.EMAIL, "carol dot m at corp dash mail dot cn"),
        ("carol (at) corp (hyphen) mail (dot) com", K.EMAIL, "carol (at) corp (hyphen) mail (dot) com"),
        ("邮箱carol艾特corp杠mail点cn", K.EMAIL, "carol艾特corp杠mail点cn"),
        ("carol[@]example[.]com", K.EMAIL, "carol[@]example[.]com"),
        ("carol «at» example «dot» com", K.EMAIL, "carol «at» example «dot» com"),
        ("carol|at|example|dot|com", K.EMAIL, "carol|at|example|dot|com"),
        ("reach carol at the rate of gmail dot com", K.EMAIL, "carol at the rate of gmail dot com"),
        ("carol.m at gmail.com on Mondays", K.EMAIL, "carol.m at gmail.com"),
        ("carol.m@gmail com", K.EMAIL, "carol.m@gmail com"),
        ("邮箱carol（a圈）example【点】com", K.EMAIL, "carol（a圈）example【点】com"),
        (f"signing key sk {'a3' * 32}", K.PRIVATE_KEY, "a3" * 32),
        (f"PrivateKey = {'Ab1+' * 10}Ab1=", K.PRIVATE_KEY, f"{'Ab1+' * 10}Ab1="),
        (f"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{'Ab1+' * 10}", K.PRIVATE_KEY, None),
        ("in base64: bGlodWEuY2hlbkBleGFtcGxlLmNvbQ==, ok?", K.EMAIL, "bGlodWEuY2hlbkBleGFtcGxlLmNvbQ=="),
        ("十六进制6c696875612e6368656e406578616d706c652e636f6d。", K.EMAIL, None),
        (
            "rot13: fx-cebw-nO3qR5sT7uW9xY1zA3cD5eF7gH9iJ1kL3mN5",
            K.API_KEY,
            "fx-cebw-nO3qR5sT7uW9xY1zA3cD5eF7gH9iJ1kL3mN5",
        ),
    ],
)
def test_it_is_found_as_it_is_written(text: str, kind: SensitiveKind, value: str | None) -> None:
    kinds = dict(found(text))
    assert kind in kinds
    assert value is None or kinds[kind] == value


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("passport E12345678 expires in May", K.PASSPORT, "E12345678"),
        ("512345678 is my passport number", K.PASSPORT, "512345678"),
        ("K1234567 is what my passport says", K.PASSPORT, "K1234567"),
        ("512345678是我的护照号", K.PASSPORT, "512345678"),
        ("我的护照是EA1234567", K.PASSPORT, "EA1234567"),
        ("SSN 536-22-8145 on the form", K.SOCIAL_SECURITY, "536-22-8145"),
        ("NI number AB 12 34 56 C", K.SOCIAL_SECURITY, "AB 12 34 56 C"),
        ("her SIN is 046 454 286", K.SOCIAL_SECURITY, "046 454 286"),
        ("HKID A123456(3)", K.HKID, "A123456(3)"),
        ("香港身份证A123456（3）", K.HKID, "A123456（3）"),
        ("台湾身份证A123456789", K.TW_ID, "A123456789"),
    ],
)
def test_papers_of_other_countries_are_found(text: str, kind: SensitiveKind, value: str) -> None:
    assert found(text) == [(kind, value)]


@pytest.mark.parametrize(
    "text",
    [
        "HKID A123456(4)",  # the check digit is broken
        "台湾身份证A123456788",
        "ledger line 600-41-2207 does not tie",
        "The clause replaces 1,250,000 by 1,520,000 in the third schedule",
        "buy 600519, 000001 and 300750 at 1407.25",
        "发票号码52398878，金额12,800.00元",
        "commit 0cc679f22e06fc16870070a8604d14da86bb1a57 introduced the bug",
        "API_KEY=os.environ['API_KEY'] is how you read it",
        "password = ********",
        "one two three testing",
        "price target two four five point five",
        "打印机IP 192.168.1.88",
        "base64 of nothing much: bm90aGluZyBtdWNoIHRvIHNlZSBoZXJl",
        "order 512345678, not the number of my passport",
    ],
)
def test_what_only_looks_like_it_is_left_alone(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Please loop in Marta Okafor from reconciliations, she owns that queue.", "Marta Okafor"),
        ("My landlord, Mr. Venkat Pothuri, wants the rent in cash.", "Venkat Pothuri"),
        ("Please loop in Marta Okafor's deputy from reconciliations.", "Marta Okafor"),
        ("我同事陈晓东明天来开会", "陈晓东"),
        ("联系人：欧阳静怡", "欧阳静怡"),
    ],
)
def test_a_private_persons_name_given_as_such_is_found(text: str, name: str) -> None:
    assert (K.PERSONAL_NAME, name) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "Warren Buffett bought more Apple.",
        "Warren Buffett's letter is out.",
        "Charles Schwab raised its fees, Morgan Stanley did not.",
        "We met in San Francisco on Nelson Road.",
        "鲍威尔今晚讲话，马云没有评论",
        "周大福和李宁都涨了",
        "时间安排在周末看情况，由于高铁晚点",
    ],
)
def test_public_people_brands_and_places_are_no_secrets(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Patient Gwendolyn Abara rang at 8:31, wants the nurse about her dressing.", "Gwendolyn Abara"),
        ("My landlord, Monsieur Venkat Pothuri, wants the rent in cash.", "Venkat Pothuri"),
        ("Old shipmate of mine, Ramón Iturralde, left a piano.", "Ramón Iturralde"),
        ("我老伴周桂兰一辈子没炒过股。", "周桂兰"),
        ("住客小林直树要加一床被子", "小林直树"),
        ("有事找我儿子邹凯，我耳朵背", "邹凯"),
    ],
)
def test_a_name_that_words_leave_doubtful_is_read_in_context(text: str, name: str, settings: Settings) -> None:
    settings.EMBEDDER = "e5"
    assert (K.PERSONAL_NAME, name) in found(text)


def test_names_beyond_what_is_read_in_context_are_judged_by_their_words(settings: Settings) -> None:
    settings.EMBEDDER = "e5"
    text = "\n".join(f"{'-' * 90}\nPlease loop in Marta Okafor, she owns queue {number}." for number in range(12))
    assert found(text).count((K.PERSONAL_NAME, "Marta Okafor")) == 12


def test_of_a_text_of_names_eight_stretches_are_read_in_context() -> None:
    encoder = ShapelessEncoder()
    with patch.object(tagger, "embedded_encoder", lambda: encoder):
        found("\n".join(f"{number} 王小明和李大伟去了。Please loop in Marta Okafor." for number in range(200)))
    assert len(encoder.read) == 8


def test_what_is_encoded_is_not_read_for_names() -> None:
    hidden = b64encode("我同事陈晓东明天来开会，邮箱 carol@example.com".encode()).decode()
    encoder = ShapelessEncoder()
    with patch.object(tagger, "embedded_encoder", lambda: encoder):
        assert found(f"in base64: {hidden}") == [(K.EMAIL, hidden)]
    assert encoder.read == []
