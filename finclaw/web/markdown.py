"""Renders Markdown as safe HTML: headings, lists, emphasis, quotations and code, and nothing else.

The text is made of people's words, so links, images and HTML stay plain characters, escaped by the library's renderer.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

_PLAIN = MarkdownIt("commonmark", {"html": False}).disable(
    ["html_block", "html_inline", "link", "image", "autolink", "reference", "fence"]
)
_PAGE_HEADINGS = 1  # the page's own title is its only h1


def render_markdown(text: str) -> SafeString:
    """The text as HTML, its headings below the page's title."""
    tokens = _PLAIN.parse(text)
    _lower_headings(tokens)
    html: str = _PLAIN.renderer.render(tokens, _PLAIN.options, {})
    return mark_safe(html)  # noqa: S308  escaped by the renderer


def _lower_headings(tokens: Sequence[Token]) -> None:
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1:]) + _PAGE_HEADINGS, 6)}"
