"""Rewords a listed statement that the user corrects in the chat."""

from __future__ import annotations

import re
from typing import Final

from foundation.language import cjk_characters
from foundation.lexicon import read_lexicon
from memory.models import MemoryItem

_WORDS: Final = read_lexicon(__file__)

_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][\w'’-]*+(?: [A-Z][\w'’-]*+)*+")
_NUMBER: Final = re.compile(r"\d(?:[\d,.]{0,14}\d)?")
_LAST_ZH: Final = _WORDS.of("zh").pattern("last")


def replace_value(item: MemoryItem, value: str) -> str | None:
    """The statement with ``value`` in place of its present value, or None where it is unclear which word that is.

    Its present value is the one that learning recorded, else the only name, number or object it holds.
    """
    text, known = item.content, item.value
    at = text.casefold().find(known.casefold()) if 0 < len(known) < len(text) else -1
    if at >= 0:
        return f"{text[:at]}{value}{text[at + len(known) :]}"
    pattern = _NUMBER if value[:1].isdigit() else _LAST_ZH if cjk_characters(text) else _NAME
    found = list(pattern.finditer(text))
    if len(found) != 1:
        return None
    return f"{text[: found[0].start()]}{value}{text[found[0].end() :]}"
