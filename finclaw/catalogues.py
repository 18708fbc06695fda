"""Extracts the strings to translate from the sources, and reads, updates and compiles the ``.po`` files.

Besides marked strings these are the automatic names of models and fields, and the message of each error class.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.utils.translation.template import templatize

from finclaw.model_names import CONTEXT, PACKAGES, automatic_names
from foundation.exceptions import FinClawError

KEYWORDS: Final = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop"), None),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}
HEADER: Final = """# {name}. The terms to use stand in docs/glossary.md; `manage.py update_catalogues` adds what is new.
msgid ""
msgstr ""
"Language: {locale}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plurals}\\n"

"""
MARK: Final = "django.utils.translation"  # stands in every Python module that asks gettext for anything


def translated_languages() -> list[str]:
    """The codes of the languages that have a catalogue: all but the one the sources are written in."""
    return [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE]


def catalogue_path(language: str) -> Path:
    """Where the ``.po`` file of a language stands; its compiled ``.mo`` stands beside it."""
    return Path(settings.LOCALE_PATHS[0]) / _locale(language) / "LC_MESSAGES" / "django.po"


def extract_messages() -> Catalog:
    """Every string that the product asks gettext for, with the files it stands in."""
    found = Catalog(project="FinClaw", charset="utf-8", fuzzy=False)
    for path, source in _sources():
        where = path.relative_to(settings.BASE_DIR).as_posix()
        for line, message, comments, context in extract("python", BytesIO(source), KEYWORDS, ()):
            found.add(message, locations=[(where, line)], auto_comments=comments, context=context)
    for name in automatic_names():
        found.add(name, locations=[("models", 0)], context=CONTEXT)
    _import_errors()
    for sentence in _default_messages(FinClawError):
        found.add(sentence, locations=[("exceptions", 0)])
    return found


def read_catalogue(language: str) -> Catalog:
    """The catalogue of a language as it stands; empty where there is none."""
    path = catalogue_path(language)
    if not path.exists():
        return Catalog(locale=_locale(language), project="FinClaw", charset="utf-8", fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=_locale(language))


def update_catalogue(language: str) -> Catalog:
    """Bring the ``.po`` file in line with the sources: no translation is guessed, and unused entries are deleted."""
    catalogue = read_catalogue(language)
    catalogue.update(extract_messages(), no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    write_catalogue(language, catalogue)
    return catalogue


def write_catalogue(language: str, catalogue: Catalog) -> None:
    """Write the ``.po`` file of a language, in the order of the sources and without their line numbers."""
    path = catalogue_path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    header = HEADER.format(
        name=dict(settings.LANGUAGES)[language], locale=_locale(language), plurals=catalogue.plural_forms
    )
    with path.open("wb") as file:
        file.write(header.encode())
        write_po(file, catalogue, width=118, omit_header=True, sort_by_file=True, include_lineno=False)


def untranslated(catalogue: Catalog) -> list[str]:
    """The strings without a translation, or with one that is marked for review (fuzzy)."""
    return [_id_of(message) for message in catalogue if message.id and (message.fuzzy or not all(_forms(message)))]


def compile_catalogue(language: str) -> Path:
    """Write the ``.mo`` file that gettext reads, unless it is newer than its ``.po`` file."""
    source = catalogue_path(language)
    compiled = source.with_suffix(".mo")
    if not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime:
        content = BytesIO()
        write_mo(content, read_catalogue(language))
        beside = compiled.with_suffix(f".{os.getpid()}.mo")  # others may read or write it meanwhile
        beside.write_bytes(content.getvalue())
        beside.replace(compiled)
    return compiled


def _import_errors() -> None:
    for package in PACKAGES:
        for path in (settings.BASE_DIR / package).rglob("*.py"):
            if "default_message" in path.read_text():
                import_module(".".join(path.relative_to(settings.BASE_DIR).with_suffix("").parts))


def _default_messages(of: type[FinClawError]) -> Iterator[str]:
    """The messages of an error class and its subclasses; only of the product's own, since tests define others."""
    if of.__module__.partition(".")[0] in PACKAGES:
        yield of.default_message
    for kind in of.__subclasses__():
        yield from _default_messages(kind)


def _sources() -> Iterator[tuple[Path, bytes]]:
    """The source of each module with marked strings, and each template turned into gettext calls."""
    for package in (*PACKAGES, "templates"):
        for path in sorted((settings.BASE_DIR / package).rglob("*")):
            if path.suffix == ".py" and "migrations" not in path.parts:
                source = path.read_text()
                if MARK in source:
                    yield path, source.encode()
            elif path.suffix in {".html", ".txt"} and "templates" in path.parts:
                calls = templatize(path.read_text(), origin=str(path))  # all but the calls is blanked out
                yield path, "\n".join(line.strip() for line in calls.splitlines()).encode()


def _id_of(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _forms(message: Message) -> tuple[str, ...]:
    """The translation in each form of the language's plural; one empty form where there is none."""
    if isinstance(message.string, str):
        return (message.string,)
    return tuple(message.string or ("",))


def _locale(language: str) -> str:
    head, _, tail = language.partition("-")
    return f"{head}_{tail.title()}" if tail else head
