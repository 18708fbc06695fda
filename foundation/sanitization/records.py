"""Removes the names of fields from serialized records (JSON or Python), so that only their values are checked.

A log of a conversation names "assistant", "user" and "action" in every line; these words also mark orders to an
assistant, but as names of fields nobody said them.
"""

from __future__ import annotations

import re
from typing import Final

_FIELD: Final = re.compile(r"""['"]?[\s,{}(\[\])]{0,20}['"][\w.-]{1,30}(?: [\w.-]{1,20})?['"]\s*+:\s*+['"]?+""")
"""The end of a value, the name of the next field and the beginning of its value. A name has two words at most: more
may be an order in its place.
"""
_COLONS: Final = ("':", '":', "' :", '" :')


def without_field_names(text: str) -> str:
    """The values of a text's records, in order, and what stands around them; a text without any as it is. Linear."""
    if not any(colon in text for colon in _COLONS):
        return text
    return _FIELD.sub(" ", text)
