"""What people do on the pages, as a person would say it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.urls import reverse
from playwright.sync_api import Page, expect

from foundation.accounts.models import User
from tests.support.cast import PASSWORD, allow, make_person
from tests.support.talk import open_session
from tests.web.support import signed_in

PRESS_AS_IT_APPEARS = """label => new MutationObserver((changes, observer) => {
  const button = [...document.querySelectorAll("button")].find(button => button.innerText.startsWith(label));
  if (!button) return;
  observer.disconnect();
  button.click();
}).observe(document.body, { childList: true, subtree: true })"""
SCOPES = ("save_to_profile", "memory_learning_allowed", "save_to_thread", "training_use_allowed")


def sign_up(page: Page, username: str) -> None:
    """From the first page to the recovery codes and on."""
    page.goto("/")
    page.get_by_role("link", name="Create an account").click()
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create the account").click()
    expect(page.locator("#recovery-codes li")).to_have_count(8)
    page.get_by_role("link", name="I have saved them").click()


def allow_everything(page: Page) -> None:
    """The notice acknowledged, and all four switches on."""
    for scope in ("acknowledged", *SCOPES):
        page.locator(f"#id_{scope}").check()
    page.get_by_role("button", name="Save and start").click()
    page.wait_for_url("**/chat/*/")


def come_back(page: Page) -> User:
    """Alice, who signed up and allowed everything some day, in a chat that she began."""
    alice = make_person("alice")
    allow(alice)
    session = open_session(alice)
    name = settings.SESSION_COOKIE_NAME
    cookie: Any = {"name": name, "value": signed_in(alice).cookies[name].value, "domain": "localhost", "path": "/"}
    page.context.add_cookies([cookie])
    page.goto(reverse("web:chat_session", args=[session.pk]))
    return alice


def say(page: Page, text: str) -> None:
    """Send a message by its button, and wait until it is answered."""
    messages = page.locator("#conversation article.message")
    before = messages.count()
    page.get_by_label("Your message").fill(text)
    page.get_by_role("button", name="Send").click()
    wait_for_answer(page, before)


def wait_for_answer(page: Page, before: int) -> None:
    """Wait until a message and its answer stand after the ``before`` ones that were there."""
    messages = page.locator("#conversation article.message")
    expect(messages).to_have_count(before + 2)
    expect(page.locator("#conversation [aria-busy=true]")).to_have_count(0)


def end_chat(page: Page) -> None:
    """End the chat one is in."""
    page.get_by_role("button", name="End chat").click()
    expect(page.get_by_text("Chat ended.")).to_be_visible()


def new_chat(page: Page) -> None:
    """Go to where another chat begins; its first message opens it."""
    page.goto("/chat/?new=1")


def press_as_it_appears(page: Page, label: str) -> None:
    """Press a button in the very task that brings it into the page: no person and no load can be earlier."""
    page.evaluate(PRESS_AS_IT_APPEARS, label)
