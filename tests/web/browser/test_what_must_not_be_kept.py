"""A message that must not be kept, in a real browser: refused in one sentence, and given back without it."""

import pytest
from playwright.sync_api import expect

from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import come_back

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("said", ["My card is {}, and I follow BTC", "我的卡号是{}，我关注BTC"])
def test_a_card_number_is_cut_out_of_what_is_given_back(open_page: OpenPage, said: str) -> None:
    page = open_page(375, quiet=False)  # the browser itself complains of a refused request
    come_back(page)
    page.goto("/chat/?new=1")
    box = page.get_by_label("Your message")
    box.fill(said.format("4111 1111 1111 1111"))
    page.get_by_role("button", name="Send").click()
    notice = page.locator("#chat-notice")
    expect(notice).to_contain_text("None of it was saved")
    expect(notice).not_to_contain_text("Nothing was lost")
    expect(box).to_have_value(said.format("[redacted:bank_card]"))
    expect(page.locator(".message")).to_have_count(0)
