"""What every page template must keep to: a strict content security policy, and gettext for every word."""

import re
from pathlib import Path

import pytest

TEMPLATES = Path(__file__).parents[2] / "templates"
PAGES = sorted(path for folder in ("components", "web") for path in (TEMPLATES / folder).rglob("*.html"))
FRAMES = [TEMPLATES / "base.html", TEMPLATES / "bare.html"]

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


@pytest.mark.parametrize("path", PAGES + FRAMES, ids=lambda path: str(path.relative_to(TEMPLATES)))
@pytest.mark.parametrize("rule", FORBIDDEN)
def test_a_template_holds_nothing_the_content_security_policy_forbids(path: Path, rule: str) -> None:
    assert not re.search(FORBIDDEN[rule], path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", PAGES + FRAMES, ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_every_word_of_a_template_goes_through_gettext(path: Path) -> None:
    words = set(re.findall(r"[^\W\d_]{2,}", without_markup(path.read_text(encoding="utf-8"))))
    assert words <= NOT_TRANSLATED


@pytest.mark.parametrize("path", PAGES + FRAMES, ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_every_attribute_that_is_read_aloud_goes_through_gettext(path: Path) -> None:
    spoken = r"\b(?:aria-label|title|placeholder|alt|data-copy-done)=\"([^\"{]*[^\W\d_][^\"{]*)\""
    assert not re.findall(spoken, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_a_date_is_written_in_one_style(path: Path) -> None:
    source = path.read_text(encoding="utf-8").replace("|date:'c'", "")  # for machines
    assert not re.search(r"\|\s*(?:date|time|timesince|timeuntil|naturaltime)\b", source)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_one_word_is_used_for_forgetting(path: Path) -> None:
    said = re.findall(r"{%\s*translate\s+\"([^\"]*)\"", path.read_text(encoding="utf-8"))
    said += re.findall(
        r"{%\s*blocktranslate\b[^%]*%}(.*?){%\s*endblocktranslate", path.read_text(encoding="utf-8"), flags=re.S
    )
    assert not [words for words in said if re.search(r"\b(?:delet|eras|remov|wip)\w*", words, flags=re.I)]
