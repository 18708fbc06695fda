"""Labelled lines with other names in place of their own: what stands around a name is learned, and not the name."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from bench.guard_texts import unnamed_sentences
from bench.guards.sensitive.voices import Line
from bench.name_statistics import chinese_names, foreign_names, latin_names, name_counts, simplified, traditional

GUARDS: Final = Path(__file__).parent / "guards"
_COPIES: Final = 10
_WHOLE: Final = 3
"""Characters of most Chinese names: a surname, and a first name of two."""
_SURNAME_LIKE: Final = 20

Spans = set[tuple[int, int]]
Example = tuple[str, Spans]


def examples(lines: Sequence[Line], seed: int = 7) -> list[Example]:
    """The lines as they are, and with other names."""
    chance = random.Random(seed)
    found = [(line.text, names_in(line)) for line in lines]
    for line in lines:
        if names_in(line):
            found += [_with_other_names(line, chance) for _ in range(_COPIES)]
    return [*found, *first_names_alone(lines, chance)]


def first_names_alone(lines: Sequence[Line], chance: random.Random) -> list[Example]:
    """Lines of Chinese names with a first name in place of each whole one: it names nobody, and looks as if it did."""
    found: list[Example] = []
    for line in lines:
        names = sorted(names_in(line))
        if names and all(_is_chinese(line.text[start:end]) and end - start == _WHOLE for start, end in names):
            text = line.text
            for start, end in reversed(names):
                text = text[:start] + _in_script_of(chance.choice(_first_names_like_whole()), line.text) + text[end:]
            found.append((text, set()))
    return found


@cache
def _first_names_like_whole() -> list[str]:
    """First names of two characters that begin with a surname, as 文博."""
    surnames = name_counts()["surname"]
    return [name[1:] for name in _chinese_by_length()[_WHOLE] if surnames[name[1]] >= _SURNAME_LIKE]


def plain_examples(conversations: Path | None = None) -> list[Example]:
    """Lines of the other guards' corpora: they hold no names given as such, or next to none; and sentences of
    conversations in which none of their people is named.
    """
    paths = sorted(path for path in GUARDS.glob("*/open/*.tsv") if path.parts[-3] != "sensitive")
    lines = [line.split("\t")[-1] for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    if conversations is not None:
        lines += unnamed_sentences(conversations)
    return [(line.replace("\\n", "\n"), set()) for line in lines if line]


def names_in(line: Line) -> Spans:
    """Where the names of a line stand."""
    return {(start, end) for kind, start, end in line.findings if kind == "personal_name"}


def _with_other_names(line: Line, chance: random.Random) -> Example:
    """The line with other names in place of its own: what stands around a name is to be learned, not the name."""
    text, names, read = "", set(), 0
    for start, end in sorted(names_in(line)):
        text += line.text[read:start]
        name = _another(line.text[start:end], chance)
        if _is_chinese(name):
            name = _in_script_of(name, line.text)
        names.add((len(text), len(text) + len(name)))
        text += name
        read = end
    return text + line.text[read:], names


def _another(name: str, chance: random.Random) -> str:
    if _is_chinese(name):
        return _another_chinese(name, chance)
    given, family = latin_names()
    words = name.split(" ")
    if len(words) == 1 or any(len(word) < 3 for word in words):
        return name if len(words) > 1 else chance.choice(family).split(" ")[-1]
    other = [chance.choice(given), *(chance.choice([*given, *family]) for _ in words[2:]), chance.choice(family)]
    made = " ".join(other)
    return made.upper() if name.isupper() else made.lower() if name.islower() else made


def _is_chinese(name: str) -> bool:
    return "\u4e00" <= name[0] <= "\u9fff"


@cache
def _chinese_by_length() -> dict[int, list[str]]:
    surnames = name_counts()["surname"]
    return {
        size: [name for name in chinese_names() if len(name) == size and surnames[name[0]] >= 20] for size in (2, 3)
    }


@cache
def _rare_surnames() -> list[str]:
    return [surname for surname, count in name_counts()["surname"].items() if count >= 8]


def _another_chinese(name: str, chance: random.Random) -> str:
    from consent.sensitive.names.han_words import NAME_WORDS

    compound, japanese, parts = (NAME_WORDS.words(entry) for entry in ("compound", "japanese", "parts"))
    if "·" in name:
        return "·".join(chance.choice(foreign_names()) for _ in name.split("·"))
    if name[:2] in japanese and len(name) > _WHOLE:
        return chance.choice(japanese) + chance.choice(_chinese_by_length()[_WHOLE])[1:]
    if len(name) > _WHOLE and name[:2] not in compound and any(part in name for part in parts):
        return chance.choice(parts) + chance.choice(parts)
    if len(name) not in (2, 3) and name[:2] not in compound:
        return name
    if name[:2] in compound:
        return chance.choice(compound) + name[2:]
    if chance.random() < 0.3:  # a surname as rare as any
        return chance.choice(_rare_surnames()) + chance.choice(_chinese_by_length()[len(name)])[1:]
    return chance.choice(_chinese_by_length()[len(name)])


def _in_script_of(name: str, original: str) -> str:
    return traditional(name) if simplified(original) != original else name
