"""The three gates, which check that a text is absolute: no pronoun, no relative time, no relative place.

For Chinese and English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, get_args

from foundation.lexicon import read_lexicon
from memory.rewriting.protected_spans import harmless_spans, overlaps
from memory.rewriting.types import Kind, Violation

# The set is that of the specification.
GATES: Final[Mapping[Kind, re.Pattern[str]]] = {
    kind: read_lexicon(__file__).patterns("gates", re.IGNORECASE)[kind] for kind in get_args(Kind)
}


def violations(text: str) -> list[Violation]:
    """The words that the gates refuse, by position. Titles, quoted names and fixed expressions pass."""
    harmless = harmless_spans(text)
    found = {
        match.span(): Violation(kind, match.group(), *match.span())
        for kind, gate in GATES.items()
        for match in gate.finditer(text)
        if not overlaps(*match.span(), harmless)
    }
    return [found[span] for span in sorted(found)]
