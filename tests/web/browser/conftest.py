"""A real browser in front of a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

PATIENCE_MS = 30_000  # how long a busy machine may take; nothing waits for it to pass

OpenPage = Callable[..., Page]


@pytest.fixture
def open_page(chromium: Browser, live_server: LiveServer, transactional_db: None) -> Iterator[OpenPage]:
    """Opens a page in a browser profile of its own; anything the browser objects to fails the test."""
    expect.set_options(timeout=PATIENCE_MS)
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def opened(width: int = 1280, *, scripts: bool = True, quiet: bool = True) -> Page:
        context = chromium.new_context(
            base_url=live_server.url,
            viewport={"width": width, "height": 900},
            java_script_enabled=scripts,
            reduced_motion="reduce",
            timezone_id="Asia/Shanghai",
        )
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        if quiet:
            _listen(page, complaints)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def _listen(page: Page, complaints: list[str]) -> None:
    """Note what the browser objects to: the content security policy, scripts, missing files."""
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
