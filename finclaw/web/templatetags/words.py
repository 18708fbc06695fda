"""Template filters for people's words, with search terms marked."""

from __future__ import annotations

from django import template
from django.template.context import Context
from django.utils.html import conditional_escape, format_html_join
from django.utils.safestring import SafeString, mark_safe

from foundation.text import highlighted_pieces

register = template.Library()
_MARK = mark_safe("<mark>"), mark_safe("</mark>")
_NO_MARK = "", ""


@register.simple_tag(takes_context=True)
def marked(context: Context, text: str) -> SafeString:
    """``text`` with the words of the page's ``query`` marked, if it has one."""
    return highlight(text, context.get("query"))


def highlight(text: str, query: str | None) -> SafeString:
    """``text``, escaped, with each word of ``query`` in a ``<mark>``."""
    if not query:
        return conditional_escape(str(text))
    pieces = highlighted_pieces(str(text), query)
    marked = ((*(_MARK if piece.found else _NO_MARK), piece.text) for piece in pieces)
    return format_html_join("", "{0}{2}{1}", marked)
