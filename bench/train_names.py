"""Train the taggers of names given as such, and say what they are worth on voices they have not seen.

    pip install faker jieba opencc-python-reimplemented scikit-learn   # only training needs them
    python -m bench.train_names

Fitted on ``guards/sensitive/open``; a voice and the one that mirrors it in the other language are held out together.
The frequencies of names and words come from Faker's and jieba's lists (both MIT), traditional characters from OpenCC
(Apache). Deterministic.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import log
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.guards.sensitive.voices import Line, held_out_voices, read_voices
from bench.runner import set_up_django
from bench.train_topics import write_weights

GUARDS: Final = Path(__file__).parent / "guards"
_COPIES: Final = 10
_BATCH: Final = 200
_SCALE: Final = 16
_LEAST_WEIGHT: Final = 2
_TABLES: Final = ("surname", "first", "last", "only")
_BUCKETS: Final = 1 << 20
_WORD_SET: Final = 1 << 20
_HAN_STRENGTH: Final = 0.5
_LATIN_STRENGTH: Final = 1.0

Spans = set[tuple[int, int]]
Example = tuple[str, Spans]


@cache
def chinese_names() -> list[str]:
    """Full names of two to four characters, as a dictionary lists them."""
    return [word for word, _, tag in _dictionary() if tag == "nr" and 2 <= len(word) <= 4]


@cache
def _dictionary() -> list[tuple[str, int, str]]:
    jieba = importlib.import_module("jieba")

    lines = Path(str(jieba.__file__)).with_name("dict.txt").read_text(encoding="utf-8").splitlines()
    return [(word, int(count), tag) for word, count, tag in (line.split() for line in lines)]


@cache
def _converter(direction: str) -> Any:
    return importlib.import_module("opencc").OpenCC(direction)


@cache
def _simplified(text: str) -> str:
    return str(_converter("t2s").convert(text))


@cache
def _traditional(text: str) -> str:
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
    from consent.sensitive.names import han_features
    from consent.sensitive.names.han_features import FIRST_HAN, HAN
    from foundation.lexicon import read_lexicon

    words = read_lexicon(han_features.__file__, "names").of("zh")
    everyday = Counter[str]()
    for word, count, tag in _dictionary():
        if tag != "nr":
            for character in word:
                everyday[character] += count
    counts = _name_counts()
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
        plain = _simplified(chr(FIRST_HAN + code))
        if plain != chr(FIRST_HAN + code) and len(plain) == 1 and 0 <= ord(plain) - FIRST_HAN < HAN:
            for table in _TABLES:
                odds = arrays[f"han.{table}"]
                odds[code] = max(odds[code], odds[ord(plain) - FIRST_HAN])
    listed += _traditional("\n".join(listed)).split("\n")
    arrays["words.two"] = _han_set(word for word in listed if len(word) == 2)
    arrays["words.three"] = _han_set(word for word in listed if len(word) == 3)
    arrays["words.public"] = _han_set(
        form
        for entry in ("public", "brands", "fictional")
        for word in words.words(entry)
        for form in (word, _traditional(word))
        if len(word) in (2, 3)
    )
    given, family = latin_names()
    arrays["words.given"] = _latin_set(part for name in given for part in name.split())
    arrays["words.family"] = _latin_set(part for name in family for part in name.split())
    arrays["words.common"] = _latin_set(_common_words(texts))
    return arrays


@cache
def _name_counts() -> dict[str, Counter[str]]:
    mainland, taiwan = (importlib.import_module(f"faker.providers.person.{locale}") for locale in ("zh_CN", "zh_TW"))

    names = [name for name in chinese_names() if len(name) in (2, 3)]
    surnames = Counter(name[0] for name in names)
    for provider in (mainland.Provider, taiwan.Provider):
        surnames.update({name: 30 for name in provider.last_names if len(name) == 1})
    listed = {name for provider in (mainland.Provider, taiwan.Provider) for name in provider.last_names}
    known = [name for name in names if name[0] in listed or surnames[name[0]] >= 20]
    counts = {table: Counter[str]() for table in _TABLES}
    counts["surname"] = surnames
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


def _common_words(texts: Sequence[str]) -> Iterator[str]:
    import re

    counts = Counter(word for text in texts for word in re.findall(r"(?<![\w@.])[a-z]{2,}(?![\w@])", text))
    yield from (word for word, count in counts.items() if count >= 3)


def _han_set(words: Iterable[str]) -> NDArray[np.uint8]:
    from consent.sensitive.names.han_features import word_bits

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


def _names_in(line: Line) -> Spans:
    return {(start, end) for kind, start, end in line.findings if kind == "personal_name"}


def _with_other_names(line: Line, chance: random.Random) -> Example:
    """The line with other names in place of its own: what stands around a name is to be learned, not the name."""
    text, names, read = "", set(), 0
    for start, end in sorted(_names_in(line)):
        text += line.text[read:start]
        name = _another(line.text[start:end], chance)
        if "\u4e00" <= name[0] <= "\u9fff":
            name = _in_script_of(name, line.text)
        names.add((len(text), len(text) + len(name)))
        text += name
        read = end
    return text + line.text[read:], names


def _another(name: str, chance: random.Random) -> str:
    if "\u4e00" <= name[0] <= "\u9fff":
        return _another_chinese(name, chance)
    given, family = latin_names()
    words = name.split(" ")
    if len(words) == 1 or any(len(word) < 3 for word in words):
        return name if len(words) > 1 else chance.choice(family).split(" ")[-1]
    other = [chance.choice(given), *(chance.choice([*given, *family]) for _ in words[2:]), chance.choice(family)]
    made = " ".join(other)
    return made.upper() if name.isupper() else made


@cache
def _chinese_by_length() -> dict[int, list[str]]:
    surnames = _name_counts()["surname"]
    return {
        size: [name for name in chinese_names() if len(name) == size and surnames[name[0]] >= 20] for size in (2, 3)
    }


@cache
def _rare_surnames() -> list[str]:
    return [surname for surname, count in _name_counts()["surname"].items() if count >= 8]


def _another_chinese(name: str, chance: random.Random) -> str:
    from consent.sensitive.names import han_features
    from foundation.lexicon import read_lexicon

    compound = read_lexicon(han_features.__file__, "names").of("zh").words("compound")
    if len(name) not in (2, 3) and name[:2] not in compound:
        return name
    if name[:2] in compound:
        return chance.choice(compound) + name[2:]
    if chance.random() < 0.3:  # a surname as rare as any
        return chance.choice(_rare_surnames()) + chance.choice(_chinese_by_length()[len(name)])[1:]
    return chance.choice(_chinese_by_length()[len(name)])


def _in_script_of(name: str, original: str) -> str:
    return _traditional(name) if _simplified(original) != original else name


def examples(lines: Sequence[Line], seed: int = 7) -> list[Example]:
    """The lines as they are, and with other names."""
    chance = random.Random(seed)
    found = [(line.text, _names_in(line)) for line in lines]
    for line in lines:
        if _names_in(line):
            found += [_with_other_names(line, chance) for _ in range(_COPIES)]
    return found


def plain_examples() -> list[Example]:
    """Lines of the other guards' corpora: they hold no names given as such, or next to none."""
    paths = sorted(path for path in GUARDS.glob("*/open/*.tsv") if path.parts[-3] != "sensitive")
    lines = [line.split("\t")[-1] for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [(line.replace("\\n", "\n"), set()) for line in lines if line]


def fit(rows: list[NDArray[np.int64]], labels: list[bool], strength: float) -> tuple[NDArray[np.float32], float]:
    """Logistic regression over hashed features: the weights of the buckets, and the bias."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    pointers = np.cumsum([0, *(len(row) for row in rows)])
    columns = np.concatenate(rows)
    inputs = csr_matrix((np.ones(len(columns), np.float32), columns, pointers), shape=(len(rows), _BUCKETS))
    inputs.sum_duplicates()
    model = LogisticRegression(C=strength, solver="liblinear", max_iter=200, random_state=7)
    model.fit(inputs, np.array(labels))
    return model.coef_[0].astype(np.float32), float(model.intercept_[0])


def han_rows(texts: Iterable[Example]) -> tuple[list[NDArray[np.int64]], list[bool]]:
    """The features of the Chinese candidates, and which of them are names."""
    from consent.sensitive.names.han_features import PADDING, han_candidates
    from consent.sensitive.text_folding import fold_text

    rows, labels = [], []
    readable = [(folded, names) for text, names in texts if len(folded := fold_text(text).text) == len(text)]
    for first in range(0, len(readable), _BATCH):  # many texts at once, as far apart as if each stood alone
        joined, known = "", set()
        for text, names in readable[first : first + _BATCH]:
            known |= {(len(joined) + start, len(joined) + end) for start, end in names}
            joined += text + "\n" * PADDING
        found = han_candidates(joined)
        for start, end, buckets in zip(found.starts.tolist(), found.ends.tolist(), found.buckets, strict=True):
            rows.append(buckets)
            labels.append((start, end) in known)
    return rows, labels


def latin_rows(texts: Iterable[Example]) -> tuple[list[NDArray[np.int64]], list[bool]]:
    """The features of the candidates in Latin script, and which of them are names."""
    from consent.sensitive.names.latin_features import latin_candidates
    from consent.sensitive.text_folding import fold_text

    rows, labels = [], []
    for text, names in texts:
        folded = fold_text(text).text
        if len(folded) != len(text):
            continue
        for candidate in latin_candidates(folded):
            rows.append(np.array(candidate.buckets))
            labels.append((candidate.start, candidate.end) in names)
    return rows, labels


def _quantized(weights: NDArray[np.float32], bias: float, name: str) -> dict[str, NDArray[Any]]:
    scale = float(np.abs(weights).max()) / 127
    rounded = np.round(weights / scale).astype(np.int8)
    rounded[np.abs(rounded) < _LEAST_WEIGHT] = 0
    return {
        f"{name}.weights": rounded,
        f"{name}.scale": np.array([scale, bias], dtype=np.float32),
    }


def train(lines: Sequence[Line], plain: Sequence[Example], *, write: bool = True) -> dict[str, NDArray[Any]]:
    """The arrays of both taggers, fitted on these lines."""
    from consent.sensitive.names import weights as names

    arrays = statistics([*(line.text for line in lines), *(text for text, _ in plain)])
    fitted = cache(lambda: _unpacked(arrays))
    for module in ("han_features", "latin_features"):
        setattr(importlib.import_module(f"consent.sensitive.names.{module}"), "name_weights", fitted)  # noqa: B010
    found = [*examples(lines), *plain]
    for name, rows_of, strength in (("han", han_rows, _HAN_STRENGTH), ("latin", latin_rows, _LATIN_STRENGTH)):
        rows, labels = rows_of(found)
        print(name, len(rows), sum(labels))
        arrays |= _quantized(*fit(rows, labels, strength), name)
    if write:
        write_weights(arrays, names.WEIGHTS_FILE, compress=True)
    return arrays


def _unpacked(arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return arrays | {
        name: np.unpackbits(array).astype(bool) for name, array in arrays.items() if name.startswith("words.")
    }


def main() -> None:
    """Fit the taggers and write them with their hash into the data card."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true", help="fit on the held-out voices too")
    parsed = parser.parse_args()
    set_up_django()
    lines = [line for line in read_voices() if parsed.all or line.voice not in held_out_voices()]
    train(lines, plain_examples())


if __name__ == "__main__":
    main()
