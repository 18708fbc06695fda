"""The pages come in the account's language, else in the one chosen in the footer, else in the browser's."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from foundation.accounts.models import User
from tests.support.cast import allow
from tests.web.support import signed_in

pytestmark = pytest.mark.django_db
ENGLISH, CHINESE = '<html lang="en">', '<html lang="zh-hans">'


@pytest.fixture
def member(alice: User) -> User:
    """Alice, once she has decided on consent."""
    allow(alice)
    return alice


@pytest.mark.parametrize("asked", ["zh", "zh-CN,zh;q=0.9,en;q=0.8", "zh-Hans-SG", "zh-TW"])
def test_a_browser_that_reads_chinese_is_shown_chinese(client: Client, asked: str) -> None:
    page = client.get(reverse("web:sign_in"), headers={"Accept-Language": asked})
    assert CHINESE in page.text
    assert page["Content-Language"] == "zh-hans"
    assert "密码" in page.text


@pytest.mark.parametrize("asked", ["", "de", "en-GB,zh;q=0.5"])
def test_any_other_browser_is_shown_english(client: Client, asked: str) -> None:
    assert ENGLISH in client.get(reverse("web:sign_in"), headers={"Accept-Language": asked}).text


def test_a_visitor_changes_the_language_in_the_footer(client: Client) -> None:
    changed = client.post(reverse("web:language"), {"language": "zh-hans", "next": reverse("web:sign_up")})
    assert (changed.status_code, changed["Location"]) == (302, reverse("web:sign_up"))
    assert CHINESE in client.get(reverse("web:sign_in")).text
    client.post(reverse("web:language"), {"language": "en"})
    assert ENGLISH in client.get(reverse("web:sign_in"), headers={"Accept-Language": "zh"}).text


@pytest.mark.parametrize("language", ["xx", "de", "../en", ""])
def test_a_language_without_pages_changes_nothing(member: User, language: str) -> None:
    browser = signed_in(member)
    browser.post(reverse("web:language"), {"language": language})
    member.refresh_from_db()
    assert member.language == ""
    assert ENGLISH in browser.get(reverse("web:settings")).text


def test_the_footer_leads_to_no_other_site(client: Client) -> None:
    answer = client.post(reverse("web:language"), {"language": "zh-hans", "next": "https://example.com/"})
    assert "example.com" not in answer["Location"]


def test_a_members_choice_is_kept_with_the_account(member: User) -> None:
    signed_in(member).post(reverse("web:language"), {"language": "zh-hans"})
    elsewhere = signed_in(member)
    assert CHINESE in elsewhere.get(reverse("web:settings"), headers={"Accept-Language": "en"}).text


def test_the_settings_change_the_language_and_give_it_back_to_the_browser(member: User) -> None:
    browser, fields = signed_in(member), {"section": "account", "display_name": "Alice", "time_zone": "UTC"}
    page = browser.post(reverse("web:settings"), fields | {"language": "zh-hans"}, follow=True)
    assert CHINESE in page.text
    assert "账号已保存。" in page.text
    browser.post(reverse("web:settings"), fields | {"language": ""})
    assert ENGLISH in browser.get(reverse("web:settings")).text
    assert CHINESE in browser.get(reverse("web:settings"), headers={"Accept-Language": "zh"}).text
    assert browser.post(reverse("web:settings"), fields | {"language": "fr"}).status_code == 400


def test_an_error_of_the_api_keeps_its_code_and_says_why_as_it_is_asked(client: Client) -> None:
    answer = client.get("/api/nowhere", headers={"Accept-Language": "zh-CN"})
    assert answer.json()["code"] == "not_found"
    assert answer.json()["message"] == "这个地址没有内容。"


def test_a_page_that_is_not_there_speaks_the_members_language(member: User) -> None:
    browser = signed_in(member)
    browser.post(reverse("web:language"), {"language": "zh-hans"})
    del browser.cookies["django_language"]
    assert CHINESE in browser.get("/nowhere/").text
