"""A file is attached, checked, sent and still there; one is taken off again: at 375 pixels and by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, expect
from pytest_django import Settings

from finclaw.settings.media import storages_for
from foundation.outbox.tasks import drain
from media.extraction import services
from tests.media.attaching import extract_without_pictures
from tests.support.made_files import image_file
from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import come_back, wait_for_answer

pytestmark = pytest.mark.browser
NOTES: FilePayload = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"The harbour opens at nine."}
PICTURE: FilePayload = {"name": "chart.png", "mimeType": "image/png", "buffer": image_file("A chart")}


@pytest.fixture(autouse=True)
def media_folder(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files lie in a folder of this test's, and no picture is read, which takes seconds."""
    settings.STORAGES = storages_for(tmp_path)
    monkeypatch.setattr(services, "extract_apart", extract_without_pictures)


def test_a_file_is_sent_with_a_message(open_page: OpenPage) -> None:
    page = open_page(375)
    come_back(page)
    waiting = page.locator("[data-attachments] .attachment")
    send = page.get_by_role("button", name="Send")
    expect(page.get_by_role("button", name="Attach a file")).to_be_visible()

    page.locator("[data-attach-files]").set_input_files([NOTES, PICTURE])
    expect(waiting).to_have_count(2)
    expect(waiting.first.locator("[data-state]")).to_have_text("Being checked…")
    expect(send).to_be_disabled()
    drain()
    expect(waiting.first.locator("[data-state]")).to_have_text("Ready")
    expect(waiting.last.locator("[data-state]")).to_have_text("Ready; its text could not be read")
    expect(waiting.last.locator("img")).to_be_visible()
    expect(send).to_be_enabled()

    page.get_by_role("button", name="Take chart.png out").focus()
    page.keyboard.press("Enter")
    expect(waiting).to_have_count(1)
    expect(page.get_by_role("button", name="Take notes.txt out")).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    page.get_by_label("Your message").fill("When does the harbour open?")
    send.click()
    wait_for_answer(page, 0)
    answer = page.locator("#conversation article.message").last
    expect(answer.locator(".message__text")).to_contain_text("The harbour opens at nine.")
    page.reload()
    expect(page.locator("#conversation .attachment")).to_contain_text("notes.txt")
