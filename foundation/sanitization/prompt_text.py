"""How a prompt is put together: from our own words, from what is stored and was sanitized, and from what it is about.

Four kinds of text may stand in a prompt, and each comes in by its own door:

- our instructions, ``trusted_text``: text of the code, never of a user;
- instructions that an operator wrote, ``foundation.sanitization.operator_instructions``: words without tags;
- what is stored or known of people, groups and organisations: ``foundation.sanitization.services.sanitize``;
- what a call is about, the message to be understood or the material to be read: ``as_data``, ``as_json_data`` and
  ``as_message``. It stands as data in the place of the user's message and never among the instructions: escaped, or
  in a conversation without the tags that are ours.

Everything here gives ``SafeText``, and ``Prompt`` takes nothing else, so that a bare ``str`` is a type error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, Final
from unicodedata import normalize

from foundation.sanitization.payloads import INVISIBLE, LOOKALIKES
from foundation.sanitization.types import SafeText

NOTHING = SafeText("")
RESERVED_TAGS: Final = frozenset({
    "guidance", "context", "setting", "knowledge", "profile", "user_memory", "entities", "user_context", "summary",
    "user_preferences", "memory_usage_guide", "end_of_turn_guide", "learning", "memory", "acknowledge", "found",
    "tool_error", "program_instructions", "attachment",
})  # fmt: skip
"""The tags that a chat's prompt is written with. Nobody but us may open or close one of them."""
_PARTING = re.compile(r"[\[\],]")
# A tag in angle brackets, those of full width included, with characters that show nothing before and within its name.
_UNSEEN = rf"[\u034f\u200c\u200d\ufe00-\ufe0f]|{INVISIBLE.pattern}"
_TAG = re.compile(rf"[<＜﹤](?=(?:[\s/]|{_UNSEEN})*+(?P<name>(?:\w|{_UNSEEN})++))")
_UNSEEN_WITHIN = re.compile(_UNSEEN)


def trusted_text(text: str) -> SafeText:
    """Mark the product's own text (not the user's words) as safe. A test ensures that it gets only constants."""
    return SafeText(text)


def as_data(text: str, *, quote: bool = True) -> SafeText:
    """The material of a call, escaped so that it opens no element. For the user's message of a prompt alone."""
    return SafeText(escape(text, quote=quote))


def as_json_data(value: Any) -> SafeText:
    """The material of a call as JSON, confined to its string. For the user's message of a prompt alone."""
    return SafeText(json.dumps(value, ensure_ascii=False))


def as_message(text: str) -> SafeText:
    """A message of a conversation, under its speaker's role: as it was written, but for tags that only we may write.

    Their bracket becomes ``‹``, so that it reads the same and opens nothing.
    """
    return SafeText(_TAG.sub(_defused_bracket, text))


def _defused_bracket(tag: re.Match[str]) -> str:
    name = normalize("NFKC", _UNSEEN_WITHIN.sub("", tag["name"])).casefold().translate(LOOKALIKES)
    return "‹" if name in RESERVED_TAGS else tag.group()


def escape_text(text: SafeText, *, quote: bool = True) -> SafeText:
    """The text escaped for the inside of an element."""
    return SafeText(escape(text, quote=quote))


def strip_text(text: SafeText) -> SafeText:
    """The text without white space around it."""
    return SafeText(text.strip())


def truncate_text(text: SafeText, length: int) -> SafeText:
    """The first ``length`` characters, without white space at their end."""
    return SafeText(text[:length].rstrip())


def join_texts(separator: str, parts: Iterable[SafeText]) -> SafeText:
    """The parts joined by a separator."""
    return SafeText(separator.join(parts))


def list_item(text: SafeText) -> SafeText:
    """The text as an item of a list: its further lines are indented, so that none of them begins an item of its own."""
    return SafeText("- " + "\n  ".join(text.splitlines()))


def in_one_line(text: SafeText) -> SafeText:
    """The text without line breaks, and with single spaces, so that it begins no line of its own."""
    return SafeText(" ".join(text.split()))


def without_brackets(text: SafeText) -> SafeText:
    """The text in one line and without square brackets and commas, which part the notes of a line."""
    return in_one_line(SafeText(_PARTING.sub(" ", text)))


def element(tag: str, body: SafeText, attributes: Mapping[str, SafeText] | None = None) -> SafeText:
    """An element around an escaped body; attributes are escaped here, and empty ones left out."""
    opened = "".join(f' {name}="{escape(value)}"' for name, value in (attributes or {}).items() if value)
    return SafeText(f"<{tag}{opened}>{body}</{tag}>")
