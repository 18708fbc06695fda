"""The words that a domain reads and writes, kept as data: one file a table and language, ``data/clauses.zh.yaml``.

An entry is a list of words, a mapping, a list of mappings, or a piece of a regular expression, in which line breaks do
not count. ``{name}`` in a piece stands for another entry of the file, or of the tables that it names under ``uses``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from django.core.exceptions import ImproperlyConfigured
from pydantic import RootModel, TypeAdapter

from foundation.compiled_patterns import compile_pattern
from foundation.yaml_files import read_yaml

Entry = TypeVar("Entry")
_NAME: Final = re.compile(r"\{([a-z]\w*)\}")
_USES: Final = "uses"


class _Entries(RootModel[dict[str, str | list[str] | dict[str, Any] | list[dict[str, Any]]]]):
    """What a file may hold."""


class WordTable:
    """The entries of a table in one language."""

    def __init__(self, path: Path) -> None:
        own = dict(read_yaml(path, _Entries, f"word table {path.name}").root)
        used = [WordTable(path.with_name(f"{table}{path.suffixes[-2]}.yaml")) for table in own.pop(_USES, ())]
        self.name = path.name
        self.entries: Mapping[str, Any] = {name: entry for table in used for name, entry in table.entries.items()} | own
        names = Counter(name for entries in (own, *(table.entries for table in used)) for name in entries)
        if len(names) < names.total():
            twice = ", ".join(name for name, count in names.items() if count > 1)
            raise ImproperlyConfigured(f"The word table {path.name} and those that it uses hold {twice} twice.")

    def expand(self, piece: str, within: tuple[str, ...] = ()) -> str:
        """``piece`` with each ``{name}`` replaced by that entry.

        A list of words becomes a group of alternatives, a mapping one of its keys, the longest first.
        """

        def spelled_out(found: re.Match[str]) -> str:
            name, entry = found[1], self.entries.get(found[1])
            if entry is None or name in within:
                raise ImproperlyConfigured(f"The word table {self.name} cannot spell out {{{name}}}.")
            return self.expand(entry if isinstance(entry, str) else _any_of(entry), (*within, name))

        return _NAME.sub(spelled_out, piece.replace("\n", ""))

    def check(self) -> None:
        """Spell out every piece and rule.

        Raises ``ImproperlyConfigured`` where one names an entry or a form that is not there, and for a rule whose
        pattern cannot be compiled.
        """
        for name, entry in self.entries.items():
            if isinstance(entry, dict):
                continue
            if all(isinstance(word, str) for word in entry):
                self.phrase(name)
                continue
            if all("pattern" in rule for rule in entry):
                self.rules(name)

    def rules(self, name: str, flags: re.RegexFlag | int = 0) -> list[dict[str, Any]]:
        """The rules of a list, each with its pattern compiled."""
        forms = self.entries.get("forms", {})
        try:
            return [
                {key: value for key, value in rule.items() if key != "form"}
                | {"pattern": compile_pattern(self.expand(_formed(rule, forms)), flags)}
                for rule in self.entries[name]
            ]
        except (KeyError, re.error) as error:
            raise ImproperlyConfigured(f"The word table {self.name} cannot use a rule of {name}: {error}.") from None

    def phrase(self, name: str) -> str:
        """The piece of a regular expression that an entry spells."""
        entry = self.entries[name]
        return self.expand("|".join(entry) if isinstance(entry, list) else entry)


def _any_of(entry: list[str] | dict[str, Any]) -> str:
    words = sorted(entry, key=len, reverse=True) if isinstance(entry, dict) else entry
    return f"(?:{'|'.join(words)})"


def _formed(rule: dict[str, Any], forms: Mapping[str, str]) -> str:
    piece = rule["pattern"]
    if isinstance(piece, list):
        piece = "|".join(f"(?:{alternative})" for alternative in piece)
    if "form" not in rule:
        return str(piece)
    return _NAME.sub(lambda found: rule.get(found[1], found[0]), forms[rule["form"]])


class Lexicon:
    """A table in all of its languages, or in the one that ``of`` chose."""

    def __init__(self, tables: Mapping[str, WordTable]) -> None:
        self._tables = tables

    def of(self, language: str) -> Lexicon:
        """The table in one language alone."""
        return Lexicon({language: self._tables[language]})

    def words(self, name: str) -> tuple[str, ...]:
        """The words of a list."""
        return tuple(word for table in self._with(name) for word in table.entries[name])

    def mapping(self, name: str) -> dict[str, str]:
        """The keys and values of a mapping."""
        return {key: str(value) for table in self._with(name) for key, value in table.entries[name].items()}

    def read(self, name: str, kind: type[Entry]) -> Entry:
        """The entry of the one language chosen, as a type that it must have."""
        (table,) = self._with(name)
        return TypeAdapter(kind).validate_python(table.entries[name])

    def numbers(self, name: str) -> dict[str, int]:
        """The keys of a mapping and the numbers that they stand for."""
        return {key: int(value) for table in self._with(name) for key, value in table.entries[name].items()}

    def groups(self, name: str) -> dict[str, tuple[str, ...]]:
        """The lists of a mapping, by key; where languages share a key, the words of each."""
        groups: dict[str, tuple[str, ...]] = {}
        for table in self._with(name):
            for key, words in table.entries[name].items():
                groups[key] = (*groups.get(key, ()), *words)
        return groups

    def patterns(self, name: str, flags: re.RegexFlag | int = 0) -> dict[str, re.Pattern[str]]:
        """The values of a mapping compiled, by key; where languages share a key, their alternatives."""
        pieces: dict[str, list[str]] = {}
        for table in self._with(name):
            for key, piece in table.entries[name].items():
                pieces.setdefault(key, []).append(table.expand(piece))
        return {key: compile_pattern("|".join(alternatives), flags) for key, alternatives in pieces.items()}

    def rules(self, name: str, flags: re.RegexFlag | int = 0) -> list[dict[str, Any]]:
        """A list of mappings, with what each holds as ``pattern`` compiled.

        One that names a ``form``, of the table's mapping ``forms``, stands in that piece for ``{pattern}``, with its
        other fields for those that the form names.
        """
        return [rule for table in self._with(name) for rule in table.rules(name, flags)]

    def by_language(self, name: str) -> dict[str, Any]:
        """The entry as it is written, for each language."""
        return {language: table.entries[name] for language, table in self._tables.items() if name in table.entries}

    def sentence(self, name: str) -> dict[str, str]:
        """One of the table's ``sentences``, which the assistant says, for each language."""
        return {language: texts[name] for language, texts in self.by_language("sentences").items() if name in texts}

    def phrase(self, name: str) -> str:
        """The alternatives that an entry spells, as a piece of a regular expression without a group around them."""
        return "|".join(table.phrase(name) for table in self._with(name))

    def pattern(self, name: str, flags: re.RegexFlag | int = 0) -> re.Pattern[str]:
        """The alternatives that an entry spells, compiled. To be called at the head of a module."""
        return compile_pattern(self.phrase(name), flags)

    def _with(self, name: str) -> Iterator[WordTable]:
        found = [table for table in self._tables.values() if name in table.entries]
        if not found:
            raise ImproperlyConfigured(f"No word table of {', '.join(self._tables)} has an entry {name}.")
        return iter(found)


def read_lexicon(module: str, table: str = "") -> Lexicon:
    """The table in ``data`` beside a module, given as its ``__file__``; without a name that of the module.

    Raises ``ImproperlyConfigured`` where no language has such a table, and for what a file may not say.
    """
    name = table or Path(module).stem
    paths = sorted((Path(module).parent / "data").glob(f"{name}.*.yaml"))
    if not paths:
        raise ImproperlyConfigured(f"There is no word table {name}.")
    return Lexicon({path.suffixes[-2][1:]: WordTable(path) for path in paths})
