"""A password of words alone is found where a sentence gives it, and what is said of a password is none."""

from __future__ import annotations

import pytest

from consent.sensitive.detectors import word_passwords


def _found(text: str) -> list[str]:
    return [text[finding.start : finding.end] for finding in word_passwords.find(text)]


@pytest.mark.parametrize(
    ("text", "password"),
    [
        ("the wifi password is bluewhale, all one word", "bluewhale"),
        ("Password for the guest network: papayatree", "papayatree"),
        ("we changed the password to Butterscotch", "Butterscotch"),
        ('my old passphrase was "purple monkey dishwasher"', "purple monkey dishwasher"),
        ("VPN passphrase: orbit-walnut-cradle-fossil", "orbit-walnut-cradle-fossil"),
        ("the passphrase was changed to seven quiet herons", "seven quiet herons"),
        ("use the passphrase seven quiet herons", "seven quiet herons"),
        ("user typed the password into the title: BlueWhale", "BlueWhale"),
        ("front desk pw BlueWhale", "BlueWhale"),
        ("streaming pw pleasedontshare and good night", "pleasedontshare"),
        ("log in with chalkdust as the password", "chalkdust"),
        ("guest login: visitor / pineapple", "pineapple"),
        ("the password is banana, no joke", "banana"),
        ("we changed the root password from Toorak to something sane", "Toorak"),
        ('the passphrase for the backup drive "purple monkey dishwasher"', "purple monkey dishwasher"),
        ("the password for the annex: BlueWhale", "BlueWhale"),
        ("the password for the annex is BlueWhale", "BlueWhale"),
        ("密码是qingfeng", "qingfeng"),
        ("密码是Qingfeng吧", "Qingfeng"),
        ("密码是qingfeng记一下", "qingfeng"),
        ("把密码写成了WoDeMiMa贴显示器上", "WoDeMiMa"),
        ("口令：芝麻开门", "芝麻开门"),
        ("暗号：天王盖地虎", "天王盖地虎"),
        ("无线密码woaibeijing，全小写", "woaibeijing"),
        ("路由器密码改成nihaoshijie了", "nihaoshijie"),
        ("默认密码 admin 赶紧改", "admin"),
        ("解压口令「月亮代表我的心」", "月亮代表我的心"),
        ("口令就是四个字：芝麻开门", "芝麻开门"),
    ],
)
def test_words_given_as_a_password_are_found(text: str, password: str) -> None:
    assert _found(text) == [password]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the password is wrong",
        "the password is expired, he says",
        "the password is the same as your windows one",
        "the password is on the back of the router",
        "password: changeme",
        "my password is not working since Tuesday",
        "Password protection for LastPass",
        "passphrase is the same for all",
        "what is the password for the staff portal?",
        "the code is clean",
        "密码忘了找谁",
        "密码password输入框不显示",
        "密码Excel表格",
        "先学三个口令：停、扔、换",
        "立正！听口令：全体都有",
    ],
)
def test_what_is_said_of_a_password_is_none(text: str) -> None:
    assert not _found(text)


@pytest.mark.parametrize(
    "text",
    [
        "I lost the password to my MacBook",
        "the password for my TradingView account",
        "change the password in QuickBooks",
        "my password for TurboTax",
        "I forgot my password for MetaMask",
        "I forgot the password to DropBox",
        "what is my password for HubSpot",
        "the password for JetBlue",
        "He told the passcode to McDonald",
        "I gave the password to my brother-in-law",
        "passphrase for our day-to-day account",
        "the password is hard-to-guess",
        "my password was up-to-date",
        "reset the password from scratch",
        "I changed the password from Berlin",
        "the wifi key is upstairs",
        "my password was history",
        "the password is perfect",
        "the password is tricky",
        "the password is overkill",
        "the password is everywhere",
        "pw strength",
        "default password settings",
        "密码是Apple公司定的",
        "口令：一切行动听指挥",
        "the passcode on my old iPad is gone, ask at McKinsey",
        "lost the passphrase when TradingView logged me out",
        "reset the password from scratch to be safe",
        "the password is a state-of-the-art one",
        "the passcode is downstairs",
        "口令：向右看齐",
        "密码是apple公司定的",
    ],
)
def test_services_places_and_ordinary_words_beside_a_password_are_none(text: str) -> None:
    assert not _found(text)
