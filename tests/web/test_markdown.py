"""Markdown becomes a few harmless elements, whatever is written in it."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from finclaw.web.markdown import render_markdown

ELEMENTS = {
    "p", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "em", "strong", "code", "pre", "blockquote", "hr", "br",
}  # fmt: skip
ATTRIBUTES = {"start"}  # of a numbered list
PIECES = st.sampled_from(
    ["<", ">", '"', "'", "&", "&lt;", "&#60;", "\\", "`", "```", "~~~", "# ", "- ", "1. ", "> ", "**", "_", "[", "](",
     ")", "![", "script", "javascript:alert(1)", "https://example.org", " onload=x", "\n", "\n\n", "    ", "字", "<b>",
     "<!--", "]]>", "\x00", "[x]: ", "|"]
)  # fmt: skip


class Read(HTMLParser):
    """What of a piece of HTML is markup, and what is text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.others: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _value in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def handle_decl(self, decl: str) -> None:
        self.others.append(decl)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)

    def unknown_decl(self, data: str) -> None:
        self.others.append(data)


@given(st.lists(PIECES, max_size=30).map("".join))
@example("[a](javascript:alert(1)) ![b](https://example.org/x.png) <https://example.org>")
@example('```"><img src=x onerror=alert(1)>\n<script>\n```')
@example("&lt;script&gt;alert(1)&lt;/script&gt;")
def test_nothing_but_plain_elements_comes_of_any_text(text: str) -> None:
    read = Read(render_markdown(text))
    assert read.elements <= ELEMENTS
    assert read.attributes <= ATTRIBUTES
    assert read.others == []


@given(st.text(alphabet="<>&\"' abc字", max_size=40))
def test_no_character_of_plain_text_is_lost(text: str) -> None:
    assert "".join(Read(render_markdown(text)).text.split()).replace(">", "") == "".join(text.split()).replace(">", "")


@pytest.mark.parametrize(
    ("written", "html"),
    [
        ("## 偏好\n- 喜欢**简约**", "<h3>偏好</h3>\n<ul>\n<li>喜欢<strong>简约</strong></li>\n</ul>\n"),
        ("Likes `tea` & coffee", "<p>Likes <code>tea</code> &amp; coffee</p>\n"),
        ("", ""),
    ],
)
def test_headings_lists_and_emphasis_are_kept(written: str, html: str) -> None:
    assert render_markdown(written) == html
