"""Corrects a listed statement from the chat: finds its new wording and stores it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from consent.permit import Permit
from finclaw.brain.answers.dispatch import OwnAnswer
from finclaw.brain.self_questions.wording import phrase
from foundation.exceptions import NotFound
from foundation.text import cjk_characters
from memory.models import MemoryItem
from memory.services.items import correct

_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][\w'’-]*+(?: [A-Z][\w'’-]*+)*+")
_NUMBER: Final = re.compile(r"\d(?:[\d,.]{0,14}\d)?")
_LAST_ZH: Final = re.compile(r"(?<=[在是叫为去])[^在是叫为去，。,.]{1,12}(?=[。.]?\Z)")


def replace_value(item: MemoryItem, value: str) -> str | None:
    """The statement with ``value`` in place of its own, or None where it is unclear which word is meant.

    Its own value is the one that learning noted, else the only name, number or object it holds.
    """
    text, known = item.content, str(item.attributes.get("value", ""))
    at = text.casefold().find(known.casefold()) if 0 < len(known) < len(text) else -1
    if at >= 0:
        return f"{text[:at]}{value}{text[at + len(known) :]}"
    pattern = _NUMBER if value[:1].isdigit() else _LAST_ZH if cjk_characters(text) else _NAME
    found = list(pattern.finditer(text))
    if len(found) != 1:
        return None
    return f"{text[: found[0].start()]}{value}{text[found[0].end() :]}"


def store_correction(permit: Permit, own: OwnAnswer) -> OwnAnswer:
    """Store the correction that an answer announces, in the transaction that stores its turn.

    The answer changes where the memory was replaced or forgotten meanwhile. Raises what else ``correct`` raises.
    """
    if own.correction is None:
        return own
    memory_id, content = own.correction
    try:
        correct(permit, memory_id, content)
    except NotFound:
        return replace(own, text=phrase("gone", own.language), correction=None)
    return own
