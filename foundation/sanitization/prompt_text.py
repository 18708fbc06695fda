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
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from foundation.sanitization.types import SafeText

NOTHING = SafeText("")


def own_words(text: str) -> SafeText:
    """A text of ours: an instruction, a heading, a rule. A test holds that nothing but constants is passed."""
    return SafeText(text)


def as_data(text: str, *, quote: bool = True) -> SafeText:
    """What a call is about, escaped: it opens no element. For the user's message of a prompt, never the system's."""
    return SafeText(escape(text, quote=quote))


def as_json_data(value: Any) -> SafeText:
    """What a call is about, as JSON: it leaves no string it stands in. For the user's message of a prompt."""
    return SafeText(json.dumps(value, ensure_ascii=False))


def as_message(text: str) -> SafeText:
    """What somebody said, in the place of a message by their role: it speaks for nobody else."""
    return SafeText(text)


def escaped(text: SafeText, *, quote: bool = True) -> SafeText:
    """The text as it stands inside an element."""
    return SafeText(escape(text, quote=quote))


def stripped(text: SafeText) -> SafeText:
    """It without space around it."""
    return SafeText(text.strip())


def beginning(text: SafeText, length: int) -> SafeText:
    """Its first characters, without space at their end."""
    return SafeText(text[:length].rstrip())


def joined(separator: str, parts: Iterable[SafeText]) -> SafeText:
    """The parts one after another."""
    return SafeText(separator.join(parts))


def element(tag: str, body: SafeText, attributes: Mapping[str, SafeText] | None = None) -> SafeText:
    """A tag around a body that is escaped already; attributes are escaped here, and empty ones left out."""
    opened = "".join(f' {name}="{escape(value)}"' for name, value in (attributes or {}).items() if value)
    return SafeText(f"<{tag}{opened}>{body}</{tag}>")
