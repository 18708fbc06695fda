"""How often characters stand in names and in words, and which words are names: from jieba's and Faker's lists.

The lists are MIT's; what holds for a simplified character holds for its traditional one (OpenCC, Apache).
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import log
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_SCALE: Final = 16
_TABLES: Final = ("surname", "first", "last", "only", "foreign")
_WORD_SET: Final = 1 << 20
_EVERYWHERE: Final = 1_000
"""Times that a word is met in the word list; so many have words that no name begins with, but for one in forty."""
_SELDOM: Final = 8
"""How often a surname of the list counts as met."""
_LOWER: Final = re.compile(r"(?<![\w@.])[a-z]{2,}(?![\w@])")


@cache
def chinese_names() -> list[str]:
    """Full names of two to four characters, as a dictionary lists them."""
    return [word for word, _, tag in _dictionary() if tag == "nr" and 2 <= len(word) <= 4]


@cache
def foreign_names() -> list[str]:
    """Names of other languages in Chinese characters, as a dictionary lists them."""
    return [word for word, _, tag in _dictionary() if tag == "nrt" and 2 <= len(word) <= 6]


@cache
def _tagger_words() -> Any:
    """What the tagger of Chinese names knows of words."""
    from consent.sensitive.names.han_words import NAME_WORDS

    return NAME_WORDS


@cache
def _dictionary() -> list[tuple[str, int, str]]:
    jieba = importlib.import_module("jieba")

    lines = Path(str(jieba.__file__)).with_name("dict.txt").read_text(encoding="utf-8").splitlines()
    return [(word, int(count), tag) for word, count, tag in (line.split() for line in lines)]


@cache
def _converter(direction: str) -> Any:
    return importlib.import_module("opencc").OpenCC(direction)


@cache
def simplified(text: str) -> str:
    return str(_converter("t2s").convert(text))


@cache
def traditional(text: str) -> str:
    return str(_converter("s2t").convert(text))


@cache
def latin_names() -> tuple[list[str], list[str]]:
    """Given names and surnames in Latin script, of every country that is listed."""
    people = importlib.import_module("faker.providers.person")

    given: set[str] = set()
    family: set[str] = set()
    for module in pkgutil.iter_modules(people.__path__):
        provider = importlib.import_module(f"{people.__name__}.{module.name}").Provider
        for attribute in dir(provider):
            names = getattr(provider, attribute)
            kept = (
                family if attribute.startswith("last_name") else given if attribute.startswith("first_name") else None
            )
            if kept is not None and isinstance(names, tuple | list | dict):
                kept.update(
                    name for name in names if isinstance(name, str) and name[:1].isalpha() and ord(name[0]) < 0x250
                )
    return sorted(given), sorted(family)


def statistics(texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Log-odds of characters in names, and sets of words."""
    from consent.sensitive.names.han_words import FIRST_HAN, HAN

    words = _tagger_words()
    everyday = Counter[str]()
    for word, count, tag in _dictionary():
        if tag != "nr":
            for character in word:
                everyday[character] += count
    counts = name_counts()
    arrays: dict[str, NDArray[Any]] = {}
    total = sum(everyday.values())
    for table in _TABLES:
        odds = np.full(HAN + 1, -128, dtype=np.int8)
        inside = counts[table].total()
        for code in range(HAN):
            character = chr(FIRST_HAN + code)
            seen = counts[table][character]
            if table == "surname" and seen < 3:
                continue
            value = log((seen + 0.3) / (inside + 2000)) - log((everyday[character] + total / 20000) / total)
            odds[code] = round(max(-7.9, min(7.9, value)) * _SCALE)
        arrays[f"han.{table}"] = odds
    listed = [word for word, count, tag in _dictionary() if tag not in {"nr", "nrt", "nrfg"} and count >= 20]
    for code in range(HAN):  # a traditional character is as likely as the simplified one
        plain = simplified(chr(FIRST_HAN + code))
        if plain != chr(FIRST_HAN + code) and len(plain) == 1 and 0 <= ord(plain) - FIRST_HAN < HAN:
            for table in _TABLES:
                odds = arrays[f"han.{table}"]
                odds[code] = max(odds[code], odds[ord(plain) - FIRST_HAN])
    listed += traditional("\n".join(listed)).split("\n")
    arrays["words.two"] = _han_set(word for word in listed if len(word) == 2)
    arrays["words.three"] = _han_set(word for word in listed if len(word) == 3)
    arrays["words.everywhere"] = _han_set(_everywhere(words.words("surnames")))
    arrays["words.public"] = _han_set(
        form
        for entry in ("public", "brands", "fictional")
        for word in words.words(entry)
        for form in (word, traditional(word))
        if len(word) in (2, 3)
    )
    given, family = latin_names()
    arrays["words.given"] = _latin_set(part for name in given for part in name.split())
    arrays["words.family"] = _latin_set(part for name in family for part in name.split())
    arrays["words.common"] = _latin_set(_common_words(texts))
    return arrays


@cache
def name_counts() -> dict[str, Counter[str]]:
    mainland, taiwan = (importlib.import_module(f"faker.providers.person.{locale}") for locale in ("zh_CN", "zh_TW"))

    names = [name for name in chinese_names() if len(name) in (2, 3)]
    surnames = Counter(name[0] for name in names)
    for provider in (mainland.Provider, taiwan.Provider):
        surnames.update({name: 30 for name in provider.last_names if len(name) == 1})
    surnames.update(dict.fromkeys("".join(_tagger_words().words("surnames")), _SELDOM))
    listed = {name for provider in (mainland.Provider, taiwan.Provider) for name in provider.last_names}
    known = [name for name in names if name[0] in listed or surnames[name[0]] >= 20]
    counts = {table: Counter[str]() for table in _TABLES}
    counts["surname"] = surnames
    for name in [*foreign_names(), *_tagger_words().words("parts")]:
        counts["foreign"].update(name)
    for name in known:
        if len(name) == 3:
            counts["first"][name[1]] += 1
            counts["last"][name[2]] += 1
        else:
            counts["only"][name[1]] += 1
    for provider in (mainland.Provider, taiwan.Provider):
        for name in provider.first_names:
            if len(name) == 2:
                counts["first"][name[0]] += 4
                counts["last"][name[1]] += 4
            elif len(name) == 1:
                counts["only"][name] += 4
    return counts


def _everywhere(surnames: Iterable[str]) -> Iterator[str]:
    """Frequent words of two characters that begin as names do."""
    first = set("".join(surnames))
    frequent = [
        word
        for word, count, tag in _dictionary()
        if len(word) == 2 and word[0] in first and count >= _EVERYWHERE and not tag.startswith("nr")
    ]
    yield from frequent
    yield from traditional("\n".join(frequent)).split("\n")


def _common_words(texts: Sequence[str]) -> Iterator[str]:
    counts = Counter(word for text in texts for word in _LOWER.findall(text))
    yield from (word for word, count in counts.items() if count >= 3)


def _han_set(words: Iterable[str]) -> NDArray[np.uint8]:
    from consent.sensitive.names.han_words import word_bits

    bits = np.zeros(_WORD_SET, dtype=bool)
    for word in words:
        bits[word_bits(*(np.array([ord(character)], dtype=np.uint64) for character in word))] = True
    return np.packbits(bits)


def _latin_set(words: Iterable[str]) -> NDArray[np.uint8]:
    from consent.sensitive.names.latin_features import word_place

    bits = np.zeros(_WORD_SET, dtype=bool)
    for word in words:
        bits[word_place(word.lower())] = True
    return np.packbits(bits)
