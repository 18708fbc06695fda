"""The operators' site in Chinese: no English is left but names, codes and what people wrote."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from django.test import Client

from foundation.accounts.models import User
from tests.console.addresses import Rows, addresses
from tests.console.conftest import SECRET

ASIDE = {"script", "style", "code", "pre", "textarea", "template", "blockquote"}  # the last quotes what people wrote
# What reads so in any language: names, codes and units.
CODES = {
    "API", "CN", "CSV", "EU", "English", "FinClaw", "GDPR", "ID", "JSON", "Markdown", "OpenAI",
    "PIPL", "SQLSTATE", "UTC", "ms", "api", "en", "gdpr", "pipl",
    "web", "ResidueFound", "ValueError", "acceptance", "admin", "editor", "openai", "owner",
}  # fmt: skip
# What rows of the tests hold: people, what they wrote, names of roles and of legal profiles, keys of JSON.
DATA = {
    "Alice", "alice", "olivia", "Krugerrand", "Ltd", "Research", "desk", "November", "owns", "Piano", "full",
    "krugerrands", "Tastes", "User", "in", "of", "viewer", "operator", "privacy", "officer", "China", "working", "days",
    "one", "month", "counted", "as", "item", "items", "metadata", "offline", "page", "plain", "portrait",
    "promoted", "risk", "rows", "rule", "searched", "stated", "text", "tombstone", "type", "user", "None",
}  # fmt: skip
OF_DJANGO = {"Search", "True", "False"}  # alternative texts of its icons, which it never translates
# Permissions, and tables of libraries by their own names, stand in lists to choose from.
CHOICES = re.compile(r"/(?:group|user)/[^/]*/(?:change/)?$|/logentry/$")
SHORT_ID = re.compile(r"\b[0-9a-f]{8}\b")
"""The beginning of a row's id: some are of letters alone."""
LATIN = re.compile(r"(?<![\w./@:#-])[A-Za-z]{2,}(?![\w./@:-])")


class Words(HTMLParser):
    """What is read on a page: its text, its titles and labels; neither code nor what is typed into a field."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.read: list[str] = []
        self.aside = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.aside += tag in ASIDE
        self.read += [value for name, value in attrs if name in {"title", "aria-label", "placeholder", "alt"} and value]

    def handle_endtag(self, tag: str) -> None:
        self.aside -= tag in ASIDE

    def handle_data(self, data: str) -> None:
        if not self.aside:
            self.read.append(data)


def test_no_page_is_left_in_english(as_operator: Client, operator: User, everything: Rows) -> None:
    User.objects.filter(pk=operator.pk).update(language="zh-hans")
    found: dict[str, str] = {}
    for address in addresses({model: keys[:1] for model, keys in everything.items()}):
        if CHOICES.search(address) or address.endswith(("/history/", "/delete/")) or "logout" in address:
            continue
        page = as_operator.get(address)
        if page.status_code == 200 and "html" in page["Content-Type"]:
            words = {
                word
                for text in Words(page.text).read
                for word in LATIN.findall(SHORT_ID.sub("", text.replace(SECRET, "")))
            }
            found |= dict.fromkeys(words - CODES - DATA - OF_DJANGO, address)
    assert found == {}, str(found)
