"""How a prompt is put together: from our own words, from what is stored and was sanitized, and from what it is about.

Three kinds of text may stand in a prompt, and each comes in by its own door:

- our instructions, ``own_words``: text of the code, never anybody's;
- what is stored or known of people, groups and organisations: ``foundation.sanitization.services.sanitize``;
- what a call is about, the message to be understood or the material to be read: ``as_data``, ``as_json_data`` and
  ``as_message``. It stands as data, escaped, in the place of the user's message and never among the instructions.

Everything here gives ``SafeText``, and ``Prompt`` takes nothing else, so that a bare ``str`` is a type error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from foundation.sanitization.types import SafeText

NOTHING = SafeText("")
_PARTING = re.compile(r"[\[\],]")


def own_words(text: str) -> SafeText:
    """The product's own text: an instruction, a heading, a rule. A test holds that only constants are passed."""
    return SafeText(text)


def as_data(text: str, *, quote: bool = True) -> SafeText:
    """The material of a call, escaped so that it opens no element. For the user's message of a prompt alone."""
    return SafeText(escape(text, quote=quote))


def as_json_data(value: Any) -> SafeText:
    """The material of a call as JSON, confined to its string. For the user's message of a prompt alone."""
    return SafeText(json.dumps(value, ensure_ascii=False))


def as_message(text: str) -> SafeText:
    """A message of a conversation, under its speaker's role."""
    return SafeText(text)


def escaped(text: SafeText, *, quote: bool = True) -> SafeText:
    """The text escaped for the inside of an element."""
    return SafeText(escape(text, quote=quote))


def stripped(text: SafeText) -> SafeText:
    """The text without white space around it."""
    return SafeText(text.strip())


def beginning(text: SafeText, length: int) -> SafeText:
    """The first ``length`` characters, without white space at their end."""
    return SafeText(text[:length].rstrip())


def joined(separator: str, parts: Iterable[SafeText]) -> SafeText:
    """The parts joined by a separator."""
    return SafeText(separator.join(parts))


def list_item(text: SafeText) -> SafeText:
    """The text as an item of a list: its further lines are indented, so that none of them begins an item of its own."""
    return SafeText("- " + "\n  ".join(text.splitlines()))


def without_brackets(text: SafeText) -> SafeText:
    """The text in one line and without square brackets and commas, which part the notes of a line."""
    return SafeText(" ".join(_PARTING.sub(" ", text).split()))


def element(tag: str, body: SafeText, attributes: Mapping[str, SafeText] | None = None) -> SafeText:
    """An element around an escaped body; attributes are escaped here, and empty ones left out."""
    opened = "".join(f' {name}="{escape(value)}"' for name, value in (attributes or {}).items() if value)
    return SafeText(f"<{tag}{opened}>{body}</{tag}>")
