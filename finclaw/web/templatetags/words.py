"""Template filters for words: mark search terms in people's texts, and join our own by the rules of the language."""

from __future__ import annotations

from collections.abc import Iterable

from django import template
from django.template.context import Context
from django.utils.html import conditional_escape, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from foundation.language import language_of
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
    marked = ((*(_MARK if piece.is_match else _NO_MARK), piece.text) for piece in pieces)
    return format_html_join("", "{0}{2}{1}", marked)


@register.simple_tag
def gap() -> str:
    """The separator between two sentences: a space, in Chinese nothing visible."""
    return pgettext("between sentences", " ")


@register.filter
def listed(words: Iterable[str]) -> str:
    """The end of a sentence that lists things, as in "one, another."."""
    return _("%(names)s.") % {"names": _(", ").join(map(str, words))}


@register.filter
def script(text: str) -> str:
    """The HTML ``lang`` of a text in a language of its own, such as a document or a prompt."""
    return "zh-hans" if language_of(text) == "zh" else "en"
