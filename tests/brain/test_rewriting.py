"""What a message is searched for by: itself, other names, and the small model's words where there is one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import override_settings

from finclaw.brain.recall.search import embed_queries
from finclaw.brain.types import Intent
from finclaw.brain.understanding import query_rewrites
from finclaw.brain.understanding.aliases import READ_CHARACTERS, other_names, packaged_groups
from finclaw.brain.understanding.query_rewrites import QueryRewrites, rewrite_query
from foundation.llm import configured_model
from foundation.text import tokenize
from tests.support.degradations import with_degraded
from tests.support.model_server import ModelServer, Refuses, Says

RESEARCH = Intent("research", 1.0)
TWO = Says(('{"queries": ["valuation of liquor shares", "risk appetite"]}',))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    query_rewrites._asked.clear()
    with (
        ModelServer() as server,
        override_settings(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="k", MODEL_MAX_RETRIES=0),
    ):
        yield server


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


def test_offline_the_message_is_the_query_and_the_names_join_its_terms() -> None:
    rewritten, degraded = with_degraded(lambda: rewrite_query("Moutai?", RESEARCH, configured_model(None)))
    assert rewritten.queries == ("Moutai?",)
    assert degraded == ()
    [question] = embed_queries(rewritten)
    assert question.terms[:1] == tuple(tokenize("Moutai"))
    assert {"600519.sh", "茅台"} <= set(question.terms)


def test_names_stand_behind_what_was_asked_and_all_of_them_count() -> None:
    [question] = embed_queries(QueryRewrites(("one two three",), tuple(f"name{number}" for number in range(100))))
    assert len(question.terms) == 103
    assert question.terms[:3] == tuple(tokenize("one two three"))


def test_small_talk_is_not_rewritten(server: ModelServer) -> None:
    assert rewrite_query("Hello", Intent("small_talk", 1.0), configured_model(None)) == QueryRewrites(("Hello",))
    assert server.requests == []


def test_with_a_small_model_its_queries_follow_the_message(server: ModelServer) -> None:
    server.script([TWO])
    rewritten = rewrite_query("Should I buy Moutai?", RESEARCH, configured_model(None))
    assert rewritten.queries == ("Should I buy Moutai?", "valuation of liquor shares", "risk appetite")
    assert "贵州茅台" in rewritten.names
    assert len(embed_queries(rewritten)) == 3


def test_the_same_question_is_asked_of_the_model_once(server: ModelServer) -> None:
    server.script([TWO])
    first = rewrite_query("Should I buy Moutai?", RESEARCH, configured_model(None))
    again = rewrite_query("should I buy MOUTAI?", RESEARCH, configured_model(None))
    assert again.queries[1:] == first.queries[1:]
    assert len(server.requests) == 1


@pytest.mark.parametrize("behaviour", [Refuses(500), Says(("not json",)), Says(('{"queries": ["a", "b", "c", "d"]}',))])
def test_a_model_that_fails_leaves_the_message_and_says_so(server: ModelServer, behaviour: Says) -> None:
    server.script([behaviour])
    rewritten, degraded = with_degraded(lambda: rewrite_query("Should I buy Moutai?", RESEARCH, configured_model(None)))
    assert rewritten.queries == ("Should I buy Moutai?",)
    assert degraded == ("query_rewrite_failed",)


def test_a_model_that_just_failed_is_not_waited_for_again(server: ModelServer) -> None:
    _, degraded = with_degraded(
        lambda: rewrite_query("Should I buy Moutai?", RESEARCH, configured_model(None), reachable=False)
    )
    assert degraded == ("query_rewrite_failed",)
    assert server.requests == []


def test_a_query_that_holds_a_secret_is_dropped(server: ModelServer) -> None:
    server.script([Says(('{"queries": ["card 4242 4242 4242 4242", "cards"]}',))])
    assert rewrite_query("My cards?", RESEARCH, configured_model(None)).queries == ("My cards?", "cards")
