"""What every page template must keep to: a strict content security policy, and gettext for every word."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

TEMPLATES = Path(__file__).parents[2] / "templates"
PAGES = sorted(path for folder in ("components", "web") for path in (TEMPLATES / folder).rglob("*.html"))
FRAMES = [TEMPLATES / "base.html", TEMPLATES / "bare.html"]
SOURCES = {path: path.read_text(encoding="utf-8") for path in PAGES + FRAMES}

FORBIDDEN = {
    "inline style": r"\sstyle\s*=|<style\b",
    "inline script": r"<script(?![^>]*\bsrc=)",
    "event handler": r"\s(?:on[a-z]+|hx-on[^=\s]*)\s*=",
    "evaluated expression": r"\bjs:|javascript:",
    "unescaped output": r"\|\s*safe\b|autoescape\s+off",
}
# What a person may read in a template without gettext: the name of the product and punctuation.
NOT_TRANSLATED = {"FinClaw"}
# Blocks that a page fills with a class or an attribute, not with words.
MARKUP_BLOCKS = r"{%\s*block (?:sheet_class|page_class|nav_\w+)\s*%}.*?{%\s*endblock\s*%}"


def without_markup(source: str) -> str:
    """The words of a template that no tag produces."""
    source = re.sub(r"{%\s*comment\s*%}.*?{%\s*endcomment\s*%}", " ", source, flags=re.S)
    source = re.sub(r"{%\s*blocktranslate\b.*?endblocktranslate\s*%}", " ", source, flags=re.S)
    source = re.sub(r"<code\b[^>]*>.*?</code>", " ", source, flags=re.S)  # what is typed is the same in any language
    source = re.sub(MARKUP_BLOCKS, " ", source, flags=re.S)
    source = re.sub(r"{%.*?%}|{{.*?}}", "", source, flags=re.S)
    return re.sub(r"<[^>]*>|&\w+;", " ", source)


def found_in(paths: list[Path], look: Callable[[str], Any]) -> dict[str, Any]:
    """What is found in these templates, by their names; those in which nothing is are left out.

    A test walks through all of them: a thousand tests, one for each rule and template, take longer than reading does.
    """
    found = {str(path.relative_to(TEMPLATES)): look(SOURCES[path]) for path in paths}
    return {name: words for name, words in found.items() if words}


@pytest.mark.parametrize("rule", FORBIDDEN)
def test_a_template_holds_nothing_the_content_security_policy_forbids(rule: str) -> None:
    assert found_in(PAGES + FRAMES, partial(re.findall, FORBIDDEN[rule])) == {}


def test_every_word_of_a_template_goes_through_gettext() -> None:
    def untranslated(source: str) -> set[str]:
        return set(re.findall(r"[^\W\d_]{2,}", without_markup(source))) - NOT_TRANSLATED

    assert found_in(PAGES + FRAMES, untranslated) == {}


def test_every_attribute_that_is_read_aloud_goes_through_gettext() -> None:
    spoken = r"\b(?:aria-label|title|placeholder|alt|data-copy-done)=\"([^\"{]*[^\W\d_][^\"{]*)\""
    assert found_in(PAGES + FRAMES, partial(re.findall, spoken)) == {}


def test_a_date_is_written_in_one_style() -> None:
    def written(source: str) -> list[str]:
        source = source.replace("|date:'c'", "")  # for machines
        return re.findall(r"\|\s*(?:date|time|timesince|timeuntil|naturaltime)\b", source)

    assert found_in(PAGES, written) == {}


def test_one_word_is_used_for_forgetting() -> None:
    def others(source: str) -> list[str]:
        said = re.findall(r"{%\s*translate\s+\"([^\"]*)\"", source)
        said += re.findall(r"{%\s*blocktranslate\b[^%]*%}(.*?){%\s*endblocktranslate", source, flags=re.S)
        return [words for words in said if re.search(r"\b(?:delet|eras|remov|wip)\w*", words, flags=re.I)]

    assert found_in(PAGES, others) == {}
