"""Our answers link to our own pages, and nothing else in a message becomes a link or markup."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.urls import reverse

from finclaw.web.links import render_links


@pytest.mark.parametrize("name", ["memories", "unsure", "privacy", "settings"])
def test_a_page_of_ours_is_linked(name: str) -> None:
    address = reverse(f"web:{name}")

    assert render_links(f"See [all of it]({address}).") == f'See <a href="{address}">all of it</a>.'


def test_the_preview_of_forgetting_is_linked() -> None:
    address = reverse("web:forget_memory", args=[uuid4()])

    assert f'<a href="{address}">Forget it</a>' in render_links(f"[Forget it]({address})")


@pytest.mark.parametrize(
    "text",
    [
        "[x](https://example.com/)",
        "[x](//example.com/memories/)",
        "[x](/sign-out/)",
        "[x](javascript:alert(1))",
        "plain",
    ],
)
def test_anything_else_stays_text(text: str) -> None:
    assert render_links(text) == ""


def test_the_words_around_a_link_are_escaped() -> None:
    assert render_links("<b>[<i>](/memories/)") == '&lt;b&gt;<a href="/memories/">&lt;i&gt;</a>'
