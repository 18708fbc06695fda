"""Look-alike texts: skeletons after Unicode Technical Standard #39, and which characters a name may hold.

The pairs of look-alikes are Unicode's own (confusables.txt), as the library ``confusable-homoglyphs`` carries them. It
answers which characters resemble each other, not skeletons: these are made here from its table. Two texts that have the
same skeleton look alike.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Final

from confusable_homoglyphs import categories
from confusable_homoglyphs.utils import load

# Beyond Unicode's pairs, which keep case apart: names are compared without it, and I looks like l, O like 0.
_ALIKE_WITHOUT_CASE: Final = (("i", "l"), ("o", "0"))
_MARKS: Final = "\u200e"  # the library stands its right-to-left letters between marks
# Invisible, though letters, marks or symbols to Unicode: fillers, joiners, variation selectors, the empty Braille cell.
_INVISIBLE: Final = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0,
              *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)  # fmt: skip
# Control characters, formats (zero-width, bidirectional, soft hyphen), surrogates, private use, unassigned, line ends.
_UNPRINTABLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_ANY_SCRIPT: Final = frozenset({"COMMON", "INHERITED", "UNKNOWN", "Unknown"})
# "Highly restrictive" of UTS #39: what is written together, and tells its scripts apart at a glance.
_WRITTEN_TOGETHER: Final = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)


def skeleton_of(text: str) -> str:
    """The skeleton of ``text``, without case, spaces and compatibility forms: equal for all look-alikes."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    decomposed = unicodedata.normalize("NFD", "".join(folded.split()))
    prototypes = _prototypes()
    return unicodedata.normalize("NFD", "".join(prototypes.get(character, character) for character in decomposed))


def has_invisible(text: str) -> bool:
    """Whether ``text`` holds a control, bidirectional, zero-width or otherwise invisible character."""
    return any(character in _INVISIBLE or unicodedata.category(character) in _UNPRINTABLE for character in text)


def mixes_scripts(text: str) -> bool:
    """Whether a word of ``text`` mixes scripts that are not written together, as Latin and Cyrillic."""
    return any(_mixes(word) for word in unicodedata.normalize("NFKC", text).split())


def _mixes(word: str) -> bool:
    scripts = categories.unique_aliases(word) - _ANY_SCRIPT
    return len(scripts) > 1 and not any(scripts <= together for together in _WRITTEN_TOGETHER)


@cache
def _prototypes() -> dict[str, str]:
    """The prototype of every character that has look-alikes.

    Look-alikes are an equivalence: the classes are the connected parts of the library's pairs. Where a class holds a
    text of several characters (m and rn), that is what Unicode maps the others to; it stands for the class, its own
    characters mapped in turn.
    """
    classes = _DisjointSets()
    for character, alike in load("confusables.json").items():
        for lookalike in alike:
            classes.join(character.strip(_MARKS), lookalike["c"].strip(_MARKS))
    for pair in _ALIKE_WITHOUT_CASE:
        classes.join(*pair)
    members = [sorted(texts_alike, key=lambda text: (-len(text), text)) for texts_alike in classes]
    single = {text: texts[0] for texts in members for text in texts if len(text) == 1}
    return {
        text: "".join(_single_prototype(part, single) for part in stands_for) for text, stands_for in single.items()
    }


def _single_prototype(character: str, stands_for: dict[str, str]) -> str:
    """The prototype of a character within a longer text, unless it is longer than one character."""
    found = stands_for.get(character, character)
    return found if len(found) == 1 else character


class _DisjointSets:
    """Disjoint sets of texts."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}

    def join(self, first: str, other: str) -> None:
        """Merge the sets of two texts."""
        self._parents[self._root(first)] = self._root(other)

    def _root(self, text: str) -> str:
        parent = self._parents.setdefault(text, text)
        while parent != text:
            text, parent = parent, self._parents[parent]
        return text

    def __iter__(self) -> Iterator[set[str]]:
        by_root: dict[str, set[str]] = {}
        for text in list(self._parents):
            by_root.setdefault(self._root(text), set()).add(text)
        return iter(by_root.values())
