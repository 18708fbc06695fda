"""Every string that a person reads is marked, and stands in the catalogue of every language: whole and looked at."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from django.conf import settings

from finclaw.catalogues import extract_messages, read_catalogue, translated_languages, untranslated
from finclaw.model_names import PACKAGES

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]|{{?\s*\w*\s*}}?|</?\w+[^>]*>")
GETTEXT = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy", "gettext_noop"}
READ_ALOUD = {"label", "help_text", "verbose_name", "verbose_name_plural", "description", "empty_label"}
# What forms and pages of the product raise at people. Programs that an operator runs in a terminal speak English.
REFUSALS = re.compile(r"Validation|NotFound|Refused|Denied|InProgress|ParseError|CsrfFailed|BrokenFile|UnderWay")

# Said to operators in a terminal, or to language models.
NOT_ON_PAGES = (
    "consent/export/manifest.py", "consent/export/verification.py", "finclaw/brain/tools/lookups.py",
    "finclaw/brain/tools/rounds.py", "finclaw/brain/tools/turn_end.py", "memory/importing/end_summaries.py",
    "memory/importing/sources.py", "memory/quality/acceptance.py",
)  # fmt: skip


ONE_TERM = (
    "memory", "event", "portrait", "historian", "version", "receipt", "insight", "habit", "certificate", "thread",
    "snapshot", "checkpoint", "thesis", "inference", "narrative", "recovery code", "password", "webhook", "member",
    "organisation", "knowledge", "feedback", "superuser", "worker", "audit log", "drift", "training candidate",
    "error budget", "language model",
)  # fmt: skip
# Strings whose translation needs no such word: what it names is plain there.
SAID_OTHERWISE = ("An assistant that can use your memories", "I do not know who, when or where")


@pytest.fixture(scope="module")
def asked_for() -> Catalog:
    return extract_messages()


def keys(catalogue: Catalog) -> set[tuple[str | None, str]]:
    """Context and string of each message."""
    return {(message.context, english(message)) for message in catalogue if message.id}


def english(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def longest(message: Message) -> str:
    """The string itself, or its plural, which names every value."""
    return message.id if isinstance(message.id, str) else message.id[-1]


def forms(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ())


@pytest.mark.parametrize("language", translated_languages())
def test_the_catalogue_holds_what_is_asked_for_and_nothing_else(asked_for: Catalog, language: str) -> None:
    catalogue = read_catalogue(language)
    assert keys(asked_for) - keys(catalogue) == set(), "run manage.py update_catalogues, then translate"
    assert keys(catalogue) - keys(asked_for) == set(), "run manage.py update_catalogues"
    assert not catalogue.obsolete


@pytest.mark.parametrize("language", translated_languages())
def test_every_string_is_translated_and_none_is_a_guess(language: str) -> None:
    assert untranslated(read_catalogue(language)) == []


@pytest.mark.parametrize("language", translated_languages())
def test_a_translation_fills_in_what_its_string_does(language: str) -> None:
    wrong = [
        (message.id, form)
        for message in read_catalogue(language)
        if message.id
        for form in forms(message)
        if Counter(PLACEHOLDER.findall(longest(message))) != Counter(PLACEHOLDER.findall(form))
    ]
    assert wrong == []


def test_chinese_is_written_with_its_own_signs() -> None:
    """Full-width punctuation beside Chinese, and a space between Chinese and Latin words or figures."""
    han = r"[\u4e00-\u9fff]"
    halved = re.compile(rf"{han}[,;:!?](?!\w)|{han}\.(?:\s|$)|{han}\(|[，。；：！？]\s|\s[，。；：！？]")
    crowded = re.compile(rf"{han}[A-Za-z0-9]|[A-Za-z0-9]{han}")
    plain = re.compile(r"%\(\w+\)[sd]|%[sd]|<[^>]+>")
    found = []
    for message in read_catalogue("zh-hans"):
        if not message.id or message.context == "date format":
            continue
        for form in forms(message):
            bare = plain.sub("\0", form)
            if halved.search(bare) or crowded.search(bare):
                found.append(form)
    assert found == []


def test_a_thing_is_called_by_its_one_term_in_chinese() -> None:
    """By ``docs/glossary.md``, for the terms that mean one thing wherever they stand."""
    chinese = _chinese_of(ONE_TERM)
    found = [
        (term, english(message), form)
        for message in read_catalogue("zh-hans")
        if message.id and not english(message).startswith(SAID_OTHERWISE)
        for term in ONE_TERM
        if re.search(rf"\b{term[:-1]}(?:{term[-1]}s?|ies|es)\b", PLACEHOLDER.sub("", english(message)), re.IGNORECASE)
        for form in forms(message)
        if not any(word in form for word in chinese[term])
    ]
    assert found == []


def _chinese_of(terms: tuple[str, ...]) -> dict[str, list[str]]:
    """The Chinese words in the glossary's row of each term."""
    rows = (settings.BASE_DIR / "docs" / "glossary.md").read_text("utf-8").splitlines()
    return {
        term: re.findall(r"[\u4e00-\u9fff]+", next(row for row in rows if re.match(rf"\|[^|]*\b{term}\b", row)))
        for term in terms
    }


def test_what_forms_refuse_and_fields_are_called_is_marked() -> None:
    """Labels and refusals as literals, where nothing asks gettext for them."""
    assert [found for path in _modules() for found in _unmarked(path)] == []


def _modules() -> Iterator[Path]:
    for package in PACKAGES:
        for path in sorted((settings.BASE_DIR / package).rglob("*.py")):
            relative = path.relative_to(settings.BASE_DIR)
            if not {"migrations", "management"} & set(relative.parts) and relative.as_posix() not in NOT_ON_PAGES:
                yield path


def _unmarked(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text())
    is_of_api = path.is_relative_to(settings.BASE_DIR / "finclaw" / "api")  # its descriptions are English alone
    for node in ast.walk(tree):
        spoken: list[ast.expr] = []
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and REFUSALS.search(_name(node.exc)):
            spoken = [*node.exc.args, *(keyword.value for keyword in node.exc.keywords)]
        elif isinstance(node, ast.keyword) and node.arg in READ_ALOUD and not is_of_api:
            spoken = [node.value]
        for text in (
            text for one in spoken for text in _literals(one) if re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}", text)
        ):
            yield f"{path.relative_to(settings.BASE_DIR)}: {text}"


def _literals(node: ast.expr) -> Iterator[str]:
    """The strings in an expression that stand in no call of gettext."""
    if isinstance(node, ast.Call) and _name(node) in GETTEXT:
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield from _literals(child)


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]
