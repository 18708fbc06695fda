"""Fold digits, dashes and spaces of any script to ASCII, keeping offsets into the original text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from consent.sensitive.types import Finding

# Unicode ranges with look-alikes of ASCII: spaces and dashes, digits of other scripts, small and full-width forms.
_BLOCKS = (
    (0x00A0, 0x00A0), (0x0660, 0x0669), (0x06F0, 0x06F9), (0x0966, 0x096F), (0x2000, 0x206F), (0x2070, 0x209F),
    (0x2212, 0x2212), (0x2460, 0x2473), (0x24EA, 0x24EA), (0x3000, 0x3000), (0xFE58, 0xFE6B), (0xFF01, 0xFF5E),
    (0x1D400, 0x1D7FF),
)  # fmt: skip
_SENTENCE_MARKS = "，！？；"  # never part of a number, so they must not come to look like a decimal comma
_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe0f\ufeff\u20e3]")
_ENCLOSING = ("\ufe0f", "\u20e3")
_BY_CATEGORY = {"Zs": " ", "Pd": "-"}


def _ascii_of(character: str) -> str | None:
    if character in "‘’":
        return "'"
    category = unicodedata.category(character)
    if category in _BY_CATEGORY or character == "−":
        return _BY_CATEGORY.get(category, "-")
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    plain = unicodedata.normalize("NFKC", character)
    return plain if len(plain) == 1 and plain.isascii() else None


_TO_ASCII = {
    code: plain
    for first, last in _BLOCKS
    for code in range(first, last + 1)
    if chr(code) not in _SENTENCE_MARKS and (plain := _ascii_of(chr(code)))
}
_IN_BASIC_PLANE = "".join(chr(code) for code in _TO_ASCII if code <= 0xFFFF)
# Two patterns, because a character set that reaches beyond the basic plane is searched twenty times as slowly.
_FOREIGN = (re.compile(f"[{_IN_BASIC_PLANE}]"), re.compile("[\U0001d400-\U0001d7ff]"))


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A text as detectors read it. ``places`` are its characters' indices in the original; None if equal."""

    text: str
    places: Sequence[int] | None
    original: str = ""

    def in_original(self, finding: Finding) -> Finding:
        """The finding with its offsets in the original text."""
        if self.places is None:
            return finding
        end = self.places[finding.end - 1] + 1
        while self.original[end : end + 1] in _ENCLOSING and end < len(self.original):  # the key around a digit
            end += 1
        return Finding(finding.kind, self.places[finding.start], end)


def fold_text(text: str) -> FoldedText:
    """``text`` with full-width and foreign digits as ASCII and without invisible characters; case stays."""
    if text.isascii():
        return FoldedText(text, None)
    plain = text
    for foreign in {character for pattern in _FOREIGN for character in pattern.findall(text)}:
        # Few characters differ, and ``str.translate`` would look up each one. Mathematical Greek has no ASCII form.
        plain = plain.replace(foreign, _TO_ASCII.get(ord(foreign), foreign))
    if _INVISIBLE.search(plain) is None:
        return FoldedText(plain, None)
    places = [index for index, character in enumerate(plain) if not _INVISIBLE.match(character)]
    return FoldedText("".join(plain[index] for index in places), places, text)
