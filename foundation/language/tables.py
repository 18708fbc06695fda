"""Reads the tables of the supported languages: a folder of YAML files for each, with rules and example sentences.

``docs/adding-a-language.md`` explains the tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from django.core.exceptions import ImproperlyConfigured
from pydantic import BaseModel, ConfigDict, PrivateAttr, RootModel, ValidationError

from foundation.yaml_files import read_yaml

Script = Literal["alphabetic", "cjk"]
Courtesy = Literal["who_are_you", "how_are_you", "goodbye", "thanks", "apology", "praise", "greeting", "agreed"]
FOLDERS: Final = Path(__file__).parent


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _File(RootModel[dict[str, Any]]):
    """What a file of a folder holds: some of the tables."""


class LabelledRule(_Table):
    """A rule on sentences: it holds where one of ``patterns`` is found and none of ``unless``, whatever their case.

    ``<name>`` in a pattern stands for any of the ``parts`` of this name. ``holds`` and ``fails`` are sentences that
    show where the rule holds, and where it does not.
    """

    parts: Mapping[str, tuple[str, ...]] = {}
    patterns: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    fails: tuple[str, ...] = ()
    _find: Callable[[str], object] = PrivateAttr()
    _exclude: Callable[[str], object] = PrivateAttr()

    def model_post_init(self, _context: object, /) -> None:
        """Compile the patterns."""
        self._find, self._exclude = self._search(self.patterns), self._search(self.unless)

    def holds_for(self, sentence: str) -> bool:
        """Whether the rule holds for a sentence."""
        return self._find(sentence) is not None and self._exclude(sentence) is None

    def any_of(self, patterns: Collection[str]) -> str:
        """The alternation of the patterns with their parts filled in; for no patterns, a regex that never matches."""
        written = "|".join(patterns) or "(?!)"
        for name, parts in self.parts.items():
            written = written.replace(f"<{name}>", f"(?:{'|'.join(parts)})")
        return written

    def _search(self, patterns: Collection[str]) -> Callable[[str], object]:
        """A function that searches for any of the patterns; only at the start of the text if all are anchored there."""
        found = re.compile(self.any_of(patterns), re.IGNORECASE)
        is_anchored = all(self.any_of([pattern]).startswith(("^", "(?:^")) for pattern in patterns)
        return found.match if is_anchored else found.search


class LanguageTables(_Table):
    """The tables of one language. Only its name, script and grammar words are required."""

    code: str
    name: str
    script: Script
    grammar_words: frozenset[str]
    questions: LabelledRule = LabelledRule()
    requests_to_tell: LabelledRule = LabelledRule()
    about_questions: LabelledRule = LabelledRule()
    denial: LabelledRule = LabelledRule()
    courtesies: Mapping[Courtesy, LabelledRule] = {}
    courtesy_fillers: tuple[str, ...] = ()
    months: tuple[tuple[str, ...], ...] = ()
    weekdays: tuple[tuple[str, ...], ...] = ()
    numerals: Mapping[str, int] = {}
    verbs: Mapping[str, frozenset[str]] = {}
    verb_forms: Mapping[str, Mapping[str, str]] = {}
    openers: tuple[str, ...] = ()
    closers: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()
    particles: str = ""
    tag_questions: frozenset[str] = frozenset()
    supposing_words: tuple[str, ...] = ()
    fillers: tuple[str, ...] = ()
    first_person: Mapping[str, str] = {}
    spellings: Mapping[str, str] = {}
    _grammar: re.Pattern[str] = PrivateAttr()

    def model_post_init(self, _context: object, /) -> None:
        """Compile the grammar words."""
        words = "|".join(sorted(map(re.escape, self.grammar_words)))
        self._grammar = re.compile(words if self.script == "cjk" else rf"(?<![\w'])(?:{words})(?![\w'])", re.IGNORECASE)

    def grammar_words_in(self, text: str) -> int:
        """How many grammar words of the language a text holds, with repeats."""
        return len(self._grammar.findall(text))


@cache
def languages() -> tuple[LanguageTables, ...]:
    """Every language that has a folder, by its code."""
    return tuple(_read_folder(folder) for folder in sorted(FOLDERS.iterdir()) if (folder / "language.yaml").exists())


@cache
def written_in(script: Script) -> tuple[LanguageTables, ...]:
    """Every language of a script."""
    return tuple(tables for tables in languages() if tables.script == script)


@cache
def tables_of(code: str) -> LanguageTables:
    """The tables of the language with this code. Raises ``KeyError`` where it has no folder."""
    return {tables.code: tables for tables in languages()}[code]


def _read_folder(folder: Path) -> LanguageTables:
    tables: dict[str, Any] = {"code": folder.name}
    for path in sorted(folder.glob("*.yaml")):
        entries = read_yaml(path, _File, f"language table {folder.name}/{path.name}").root
        if twice := tables.keys() & entries.keys():
            raise ImproperlyConfigured(
                f"The tables of the language {folder.name} hold {', '.join(sorted(twice))} twice."
            )
        tables |= entries
    try:
        return LanguageTables.model_validate(tables)
    except (ValidationError, re.error) as error:
        raise ImproperlyConfigured(f"The tables of the language {folder.name} cannot be used: {error}.") from None
