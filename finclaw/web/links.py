"""Renders links in answers, only to pages of FinClaw: answers made by rules contain them.

A model, or somebody it quotes, may write such a link too; that is harmless, for these pages only show or ask something.
"""

from __future__ import annotations

import re
from typing import Final

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_LINK: Final = re.compile(
    rf"\[(?P<label>[^\[\]\n]{{1,80}}+)\]\((?P<page>/(?:memories/(?:unsure/|{_UUID}/(?:forget/)?)?"
    rf"|privacy/(?:forget/learned/)?|settings/))\)"
)


def render_links(text: str) -> SafeString | str:
    """The text as HTML with links to pages of FinClaw; "" for a text without any, which is shown as it is."""
    if _LINK.search(text) is None:
        return ""
    pieces, end = list[SafeString](), 0
    for link in _LINK.finditer(text):
        pieces.append(escape(text[end : link.start()]))
        pieces.append(format_html('<a href="{}">{}</a>', link["page"], link["label"]))
        end = link.end()
    return mark_safe("".join([*pieces, escape(text[end:])]))  # noqa: S308  each piece is escaped
