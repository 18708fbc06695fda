"""What a message is searched for by: itself, and other names of what it mentions."""

from __future__ import annotations

import pytest

from finclaw.brain.recall.search import embed_queries
from finclaw.brain.types import Intent
from finclaw.brain.understanding.aliases import READ_CHARACTERS, other_names, packaged_groups
from finclaw.brain.understanding.query_rewrites import QueryRewrites, named_query
from foundation.text import tokenize

RESEARCH = Intent("research", 1.0)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("600519.SH最近怎么样", "贵州茅台"),
        ("600519最近怎么样", "Kweichow Moutai"),
        ("0700.HK怎么样了", "Tencent"),
        ("沪深300指数", "CSI 300"),
        ("What about Moutai?", "600519.SH"),
        ("what about kweichow moutai", "贵州茅台"),
        ("貴州茅臺的估值", "600519.SH"),
        ("How is $TSLA doing?", "特斯拉"),
        ("特斯拉怎么样", "TSLA"),
        ("The P/E of MA?", "Mastercard"),
        ("我的股息收入", "dividend"),
        ("my emergency fund", "应急资金"),
    ],
)
def test_a_thing_is_looked_for_under_its_other_names(text: str, name: str) -> None:
    assert name in other_names(text)


@pytest.mark.parametrize("text", ["ma and pa", "I like apple pie", "", "今天天气不错", "it was all in vain"])
def test_words_that_only_look_like_names_bring_none(text: str) -> None:
    assert other_names(text) == ()


def test_a_name_that_the_text_holds_is_not_added() -> None:
    assert other_names("贵州茅台 600519.SH Moutai Kweichow Moutai 茅台") == ()


def test_an_organisation_adds_names_of_its_own() -> None:
    own = frozenset({"PRJ1", "Project Lighthouse", "灯塔项目"})
    assert other_names("灯塔项目进展如何", [own]) == ("PRJ1", "Project Lighthouse")
    assert "贵州茅台" in other_names("Moutai", [frozenset({"Moutai", "MT"})])
    assert "MT" in other_names("Moutai", [frozenset({"Moutai", "MT"})])


def test_only_the_beginning_of_a_long_text_is_read_for_names() -> None:
    assert other_names("字" * READ_CHARACTERS + "贵州茅台") == ()


def test_the_packaged_names_are_whole() -> None:
    groups = packaged_groups()
    assert len(groups) >= 120
    assert all(len(group) >= 2 and all(name == name.strip() and name for name in group) for group in groups)


def test_the_message_is_the_query_and_the_names_join_its_terms() -> None:
    rewritten = named_query("Moutai?", RESEARCH)
    assert rewritten.queries == ("Moutai?",)
    [question] = embed_queries(rewritten)
    assert question.terms[:1] == tuple(tokenize("Moutai"))
    assert {"600519.sh", "茅台"} <= set(question.terms)


def test_names_stand_behind_what_was_asked_and_all_of_them_count() -> None:
    [question] = embed_queries(QueryRewrites(("one two three",), tuple(f"name{number}" for number in range(100))))
    assert len(question.terms) == 103
    assert question.terms[:3] == tuple(tokenize("one two three"))


def test_small_talk_is_searched_for_under_no_other_name() -> None:
    assert named_query("Hello Moutai", Intent("small_talk", 1.0)) == QueryRewrites(("Hello Moutai",))
