"""Every page in Chinese, on a phone and on a desk: no English is left, nothing is too wide or bars anybody."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from foundation.accounts.models import User
from tests.web.browser.chinese_reader import pages_of
from tests.web.browser.conftest import OpenPage
from tests.web.browser.page_checks import violations as barriers_of
from tests.web.support import signed_in

pytestmark = pytest.mark.browser
WIDTHS = (375, 1280)
FOR_VISITORS = ("/", "/sign-up/", "/sign-in/", "/recover/")
LATIN = r"(?<![\w./@-])[A-Za-z]{2,}(?![\w./@-])"
SCREENSHOTS = os.environ.get("CHINESE_SCREENSHOTS", "")
# What reads so in any language: names, formats, keys, units. The reader's user name is alice.
NAMES = {
    "FinClaw", "ChatGPT", "Claude", "OpenAI", "English", "alice", "BTC", "ZIP", "JSON", "API", "SHA", "ID", "KB", "MB",
    "Enter", "Shift", "Zep", "Letta", "Hindsight",
}  # fmt: skip
# The words of a page and what is read aloud, without code, the names of time zones, and texts said to be English.
SHOWN = """() => {
  const aside = [...document.querySelectorAll("code, pre, select[name=time_zone], main [lang=en]")];
  for (const one of aside) one.hidden = true;
  const words = [document.title, document.body.innerText];
  for (const one of aside) one.hidden = false;
  for (const name of ["aria-label", "title", "placeholder", "alt", "data-copy-done"])
    for (const one of document.querySelectorAll(`[${name}]`)) words.push(one.getAttribute(name));
  return words;
}"""


def english_on(page: Page) -> list[str]:
    """The Latin words of a page that no list of names allows."""
    words = {word for text in page.evaluate(SHOWN) for word in re.findall(LATIN, text)}
    return [f"{page.url} says {word}" for word in sorted(words - NAMES)]


def too_wide(page: Page, width: int) -> list[str]:
    """The page itself, and any word of it that its own box cuts off."""
    page.set_viewport_size({"width": width, "height": 900})
    needed = page.evaluate("document.scrollingElement.scrollWidth")
    return [f"{page.url} needs {needed} of {width} px"] if needed > width else []


def looked_at(page: Page, path: str) -> list[str]:
    """What is wrong with a page."""
    page.goto(path)
    page.wait_for_load_state()
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    found = english_on(page)
    if page.locator("html").get_attribute("lang") != "zh-hans":
        found.append(f"{page.url} is not in Chinese")
    for width in WIDTHS:
        found += too_wide(page, width)
        if SCREENSHOTS:
            name = re.sub(r"\W+|[0-9a-f]{8}-[0-9a-f-]+", "_", path).strip("_") or "welcome"
            page.screenshot(path=Path(SCREENSHOTS) / f"{name}-{width}.png", full_page=True)
    return found + barriers_of(page)


def test_visitors_read_chinese(open_page: OpenPage) -> None:
    page = open_page()
    page.goto("/")
    page.get_by_role("button", name="简体中文").click()
    assert [wrong for path in FOR_VISITORS for wrong in looked_at(page, path)] == []


def test_members_read_chinese(open_page: OpenPage, live_server: LiveServer, alice: User) -> None:
    paths = pages_of(alice)
    page = open_page(quiet=False)  # a page that is not found is one of those looked at
    session = signed_in(alice).cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}])
    found = [wrong for path in paths for wrong in looked_at(page, path)]
    assert found == [], "\n".join(found)
