"""Recovery codes are counted, made anew for the password alone, and taken along as a file."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from foundation.accounts.exceptions import InvalidCredentials
from foundation.accounts.models import RecoveryCode, User
from foundation.accounts.services import RECOVERY_CODES, new_recovery_codes, recover_account
from tests.support.cast import PASSWORD, allow
from tests.web.support import signed_in

PAGE = "/settings/recovery-codes/"
NEW_PASSWORD = "another long pass phrase"


@pytest.fixture
def browser(alice: User) -> Client:
    allow(alice)
    return signed_in(alice)


def make_anew(browser: Client, password: str = PASSWORD) -> Any:
    """Send the form."""
    return browser.post(PAGE, {"password": password})


def leave(user: User, count: int) -> None:
    """Let that many codes be unused."""
    new_recovery_codes(user)
    used = RecoveryCode.objects.filter(user=user).values("pk")[: RECOVERY_CODES - count]
    RecoveryCode.objects.filter(pk__in=used).update(used_at=user.date_joined)


def test_a_stranger_makes_no_codes(alice: User, client: Client) -> None:
    assert make_anew(client).status_code == 302
    assert RecoveryCode.objects.count() == 0


@pytest.mark.parametrize("password", ["", "wrong", "a\x00b"])
def test_without_the_password_the_former_codes_stay(alice: User, browser: Client, password: str) -> None:
    former = new_recovery_codes(alice)
    answer = make_anew(browser, password)
    assert answer.status_code == 400
    assert answer.context["form"].errors["password"]
    recover_account("alice", former[0], NEW_PASSWORD)


def test_new_codes_are_shown_once_and_end_the_former(alice: User, bob: User, browser: Client) -> None:
    former, of_bob = new_recovery_codes(alice), new_recovery_codes(bob)

    codes = make_anew(browser).context["codes"]

    assert len(set(codes) - set(former)) == RECOVERY_CODES
    assert codes[0] not in browser.get(PAGE).content.decode()
    with pytest.raises(InvalidCredentials):
        recover_account("alice", former[0], NEW_PASSWORD)
    recover_account("alice", codes[0], NEW_PASSWORD)
    recover_account("bob", of_bob[0], NEW_PASSWORD)


def test_the_codes_are_a_file_without_a_script_and_without_asking_the_server_again(browser: Client) -> None:
    answer = make_anew(browser)
    _, _, rest = answer.content.decode().partition('href="data:text/plain;charset=utf-8,')
    content, _, attributes = rest.partition('"')
    assert unquote(content).split() == list(answer.context["codes"])
    assert attributes.startswith(' download="finclaw-recovery-codes.txt"')


@pytest.mark.django_db
def test_the_codes_of_a_new_account_are_a_file_too(client: Client) -> None:
    page = client.post(reverse("web:sign_up"), {"username": "alice", "password": PASSWORD}).content.decode()
    assert 'download="finclaw-recovery-codes.txt"' in page


@pytest.mark.parametrize(("left", "warned"), [(0, True), (1, True), (2, True), (3, False), (8, False)])
def test_the_settings_warn_when_few_codes_are_left(alice: User, browser: Client, left: int, warned: bool) -> None:
    leave(alice, left)
    for page in (browser.get(PAGE), browser.get("/settings/")):
        assert ("banner--warning" in page.content.decode()) == warned
    assert browser.get(PAGE).context["left"] == left


def test_whoever_comes_back_hears_how_many_are_left(alice: User) -> None:
    code = new_recovery_codes(alice)[0]
    allow(alice)
    fields = {"username": "alice", "code": code, "new_password": NEW_PASSWORD}
    page = Client().post("/recover/", fields, follow=True).content.decode()
    assert "7 recovery codes are left." in page


def test_a_borrowed_browser_does_not_guess_the_password_here(
    alice: User, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "SIGN_IN_FAILURE_LIMIT", 2)
    assert [make_anew(browser, "wrong").status_code for _ in range(3)] == [400, 400, 429]
    assert make_anew(browser).status_code == 429
