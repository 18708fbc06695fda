"""Words kept as data are read by table and language, and a table that cannot be read is told at start."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from finclaw.checks import every_word_table_can_be_read
from foundation.lexicon import Lexicon, WordTable, read_lexicon

ENGLISH = r"""
uses: [shared]
drink: [tea, coffee]
likes: |-
  ^I {often} like
   {drink}$
moods: {good: happy, bad: 'sad|low'}
kinds: {hot: [tea], cold: [juice]}
rules:
- {name: first, pattern: '^{drink}'}
"""
CHINESE = """
drink: [茶]
likes: ^我喜欢{drink}$
moods: {good: 开心}
kinds: {hot: [茶]}
"""


@pytest.fixture
def lexicon(tmp_path: Path) -> Lexicon:
    return written(tmp_path, ENGLISH, CHINESE)


def written(folder: Path, english: str, chinese: str = "greeting: [你好]") -> Lexicon:
    data = folder / "data"
    data.mkdir(exist_ok=True)
    (data / "shared.en.yaml").write_text("often: '(?:often|always)'")
    (data / "drinks.en.yaml").write_text(english)
    (data / "drinks.zh.yaml").write_text(chinese)
    return read_lexicon(str(folder / "drinks.py"))


def test_an_entry_is_read_in_all_languages_or_in_one(lexicon: Lexicon) -> None:
    assert lexicon.words("drink") == ("tea", "coffee", "茶")
    assert lexicon.of("zh").words("drink") == ("茶",)
    assert lexicon.groups("kinds") == {"hot": ("tea", "茶"), "cold": ("juice",)}
    assert lexicon.of("zh").mapping("moods") == {"good": "开心"}


def test_a_piece_stands_without_its_line_breaks_and_with_the_entries_it_names(lexicon: Lexicon) -> None:
    assert lexicon.of("en").phrase("likes") == "^I (?:often|always) like (?:tea|coffee)$"
    pattern = lexicon.pattern("likes", re.IGNORECASE)
    assert pattern.search("i often like TEA")
    assert pattern.search("我喜欢茶")


def test_patterns_of_a_mapping_and_of_rules_are_compiled(lexicon: Lexicon) -> None:
    assert lexicon.patterns("moods")["good"].pattern == "happy|开心"
    assert [rule["pattern"].pattern for rule in lexicon.rules("rules")] == ["^(?:tea|coffee)"]


@pytest.mark.parametrize(
    ("english", "told"),
    [
        ("drink: [tea", "not YAML"),
        ("drink: [no]", "cannot be used"),
        ("uses: [shared]\noften: always", "hold often twice"),
        ("uses: [nothing]", "cannot be read"),
    ],
)
def test_a_file_that_says_what_it_may_not_is_refused(tmp_path: Path, english: str, told: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=told):
        written(tmp_path, english)


@pytest.mark.parametrize("piece", ["{nothing}", "again {likes}"])
def test_a_piece_that_names_nothing_or_itself_is_refused(tmp_path: Path, piece: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="cannot spell out"):
        written(tmp_path, f"likes: '{piece}'").phrase("likes")


def test_a_table_or_an_entry_that_is_not_there_is_told(lexicon: Lexicon, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="no word table meals"):
        read_lexicon(str(tmp_path / "meals.py"))
    with pytest.raises(ImproperlyConfigured, match="has an entry food"):
        lexicon.words("food")


def test_every_word_table_of_the_product_can_be_read() -> None:
    assert every_word_table_can_be_read() == []


def test_the_check_at_start_names_a_table_that_cannot_be_read(tmp_path: Path, settings: object) -> None:
    (tmp_path / "memory").mkdir()
    written(tmp_path / "memory", "likes: '{nothing}'")
    settings.BASE_DIR = tmp_path  # type: ignore[attr-defined]
    (message,) = every_word_table_can_be_read()
    assert (message.id, message.obj) == ("finclaw.E001", "memory/data/drinks.en.yaml")


@pytest.mark.parametrize(
    "rule", ["{name: first, pattern: '^{drank}'}", "{name: first, pattern: '^(tea'}", "{pattern: tea, form: no}"]
)
def test_a_rule_that_cannot_be_used_is_told_by_the_check(tmp_path: Path, rule: str) -> None:
    written(tmp_path, f"rules:\n- {rule}\n")
    with pytest.raises(ImproperlyConfigured, match=r"drinks\.en\.yaml"):
        WordTable(tmp_path / "data" / "drinks.en.yaml").check()
