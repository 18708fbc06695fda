"""The offline rewriter resolves time, place and person against the event's own clock, place and speakers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.rewriting.absoluteness_checks import violations
from memory.rewriting.rule_rewriter import rewrite_by_rules
from memory.rewriting.types import Draft, EventClock, RewrittenTexts
from tests.support.examples import examples

# Monday 8 May 2023, 13:56 in Berlin; Wednesday 10 May 2023, 14:30 in Shanghai.
BERLIN = EventClock(datetime(2023, 5, 8, 11, 56, tzinfo=UTC), "Europe/Berlin", "Berlin")
SHANGHAI = EventClock(datetime(2023, 5, 10, 6, 30, tzinfo=UTC), "Asia/Shanghai", "上海")


def english(info: str, did: str = "", clock: EventClock = BERLIN) -> RewrittenTexts:
    return rewrite_by_rules(Draft(did, info, "Alice", "FinClaw"), clock)


def chinese(info: str, did: str = "", clock: EventClock = SHANGHAI) -> RewrittenTexts:
    return rewrite_by_rules(Draft(did, info, "小明", "FinClaw"), clock)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yesterday I bought gold", "On 7 May 2023 Alice bought gold"),
        ("Yesterday was great", "7 May 2023 was great"),
        ("I'll sell tomorrow morning", "Alice will sell on the morning of 9 May 2023"),
        ("I sold gold today", "Alice sold gold on 8 May 2023"),
        ("the exam is on the day after tomorrow", "the exam is on 10 May 2023"),
        ("I left the day before yesterday", "Alice left on 6 May 2023"),
        ("I slept badly last night", "Alice slept badly on the night of 7 May 2023"),
        ("Tesla reported this morning", "Tesla reported on the morning of 8 May 2023"),
        ("I have a party tonight", "Alice has a party on the evening of 8 May 2023"),
        ("I've been sick since last Tuesday", "Alice has been sick since 2 May 2023"),
        ("I wait until next Friday", "Alice waits until 19 May 2023"),
        ("I start this Thursday", "Alice starts on 11 May 2023"),
        ("I was away last week", "Alice was away in the week of 1 May 2023"),
        ("My sister visited me last weekend", "Alice's sister visited Alice on the weekend of 6 May 2023"),
        ("I'm moving to Munich next month", "Alice is moving to Munich in June 2023"),
        ("I graduated last year", "Alice graduated in 2022"),
        ("I visited Oslo last May", "Alice visited Oslo in May 2022"),
        ("I visited Oslo last summer", "Alice visited Oslo in the summer of 2022"),
        ("I sold gold 3 days ago", "Alice sold gold on 5 May 2023"),
        ("I sold gold two weeks ago", "Alice sold gold around 24 April 2023"),
        ("I married 6 months ago", "Alice married in November 2022"),
        ("I moved here three years ago", "Alice moved to Berlin in 2020"),
        ("I called two hours ago", "Alice called at about 11:56 on 8 May 2023"),
        ("I sold gold just now", "Alice sold gold shortly before 13:56 on 8 May 2023"),
        ("I'm flying to Rome in two weeks", "Alice is flying to Rome around 22 May 2023"),
        ("I'll retire in 3 years", "Alice will retire in 2026"),
        ("A few days ago I sold gold", "A few days before 8 May 2023 Alice sold gold"),
        ("I pay by the end of the month", "Alice pays by the end of May 2023"),
        ("I started yoga recently", "Alice started yoga around 8 May 2023"),
        ("Bob saw what I was up to lately", "Bob saw what Alice was up to around 8 May 2023"),
        ("I smoked until recently", "Alice smoked until around 8 May 2023"),
        ("I moved not too long ago", "Alice moved around 8 May 2023"),
        ("I moved 1.5 years ago", "Alice moved 1.5 years before 8 May 2023"),
        ("I read yesterday's report", "Alice read the 7 May 2023 report"),
        (
            "I lost money over the last three months",
            "Alice lost money over the three months before 8 May 2023",
        ),
    ],
)
def test_english_time(text: str, expected: str) -> None:
    assert english(text).new_info == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我今天买了茶", "小明2023年5月10日买了茶"),
        ("我昨天买了茶", "小明2023年5月9日买了茶"),
        ("我前天买了茶", "小明2023年5月8日买了茶"),
        ("大前天我买了车", "2023年5月7日小明买了车"),
        ("明天我休假", "2023年5月11日小明休假"),
        ("后天我休假", "2023年5月12日小明休假"),
        ("大后天我休假", "2023年5月13日小明休假"),
        ("今早我跑步", "2023年5月10日早上小明跑步"),
        ("今晚我有聚会", "2023年5月10日晚上小明有聚会"),
        ("昨晚我失眠", "2023年5月9日晚上小明失眠"),
        ("昨天下午3点我开会", "2023年5月9日下午3点小明开会"),
        ("我上周五去了医院", "小明2023年5月5日去了医院"),
        ("我下周一要出差", "小明2023年5月15日要出差"),
        ("这周三我有考试", "2023年5月10日小明有考试"),
        ("上上个星期天我去爬山", "2023年4月30日小明去爬山"),
        ("下下周我休假", "2023年5月22日至28日这一周小明休假"),
        ("上周末我爬山", "2023年5月6日至7日的周末小明爬山"),
        ("我上个月换了工作", "小明2023年4月换了工作"),
        ("下个月底我搬家", "2023年6月底小明搬家"),
        ("我月底发工资", "小明2023年5月底发工资"),
        ("月初我交房租", "2023年5月初小明交房租"),
        ("年初我开了店", "2023年初小明开了店"),
        ("年底我买房", "2023年底小明买房"),
        ("我去年结婚了", "小明2022年结婚了"),
        ("明年年底我想买房", "2024年底小明想买房"),
        ("今年5月我毕业", "2023年5月小明毕业"),
        ("我是前年搬来的", "小明是2021年搬来的"),
        ("三天前我卖了腾讯", "2023年5月7日小明卖了腾讯"),
        ("三天后天气会变好", "2023年5月13日天气会变好"),
        ("两周后我去日本", "2023年5月24日前后小明去日本"),
        ("我三个月前开始健身", "小明2023年2月开始健身"),
        ("十二年前我搬家", "2011年小明搬家"),
        ("半年前我开始投资", "2022年11月小明开始投资"),
        ("几天前我生病了", "2023年5月10日之前几天小明生病了"),
        ("刚才我吃了饭", "2023年5月10日14:30前不久小明吃了饭"),
        ("我刚刚到家", "小明2023年5月10日14:30前不久到家"),
        ("稍后我看报告", "2023年5月10日14:30之后小明看报告"),
        ("我最近在学做菜", "小明2023年5月10日前后在学做菜"),
    ],
)
def test_chinese_time(text: str, expected: str) -> None:
    assert chinese(text).new_info == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I like tea and hate coffee", "Alice likes tea and hates coffee"),
        ("I no longer drink coffee", "Alice no longer drinks coffee"),
        ("I also no longer own gold", "Alice also no longer owns gold"),
        ("I not only like tea but also coffee", "Alice not only likes tea but also coffee"),
        ("I kind of miss Rome", "Alice kind of misses Rome"),
        ("I once lived in Oslo", "Alice once lived in Oslo"),
        ("I then moved to Oslo", "Alice then moved to Oslo"),
        ("I almost sold gold", "Alice almost sold gold"),
        ("I even own gold", "Alice even owns gold"),
        ("I hardly ever drink", "Alice hardly ever drinks"),
        ("I ought to sell", "Alice ought to sell"),
        ("Am I right that I like tea", "Am Alice right that Alice likes tea"),
        (
            "I really enjoy hiking and I run every morning",
            "Alice really enjoys hiking and Alice runs every morning",
        ),
        ("Bob and I live in Berlin", "Bob and Alice live in Berlin"),
        ("I'd rather wait", "Alice would rather wait"),
        ("I don't trust banks", "Alice doesn't trust banks"),
        ("My dog bit me", "Alice's dog bit Alice"),
        ("I want to buy and sell gold", "Alice wants to buy and sell gold"),
        ("I quickly sold", "Alice quickly sold"),
        ("I thank you for your help", "Alice thanks FinClaw for FinClaw's help"),
        ("i'm allergic to cats", "Alice is allergic to cats"),
    ],
)
def test_english_person(text: str, expected: str) -> None:
    assert english(text).new_info == expected


def test_in_the_action_summary_i_is_the_assistant_and_you_the_sender() -> None:
    assert english("", "I told you about your gold").did_what == "FinClaw told Alice about Alice's gold"
    assert chinese("", "我告诉你比特币的价格").did_what == "FinClaw 告诉小明比特币的价格"
    assert rewrite_by_rules(Draft("", "我现在不喜欢运动风了", "Alice", "FinClaw"), SHANGHAI).new_info.startswith(
        "Alice 现在"
    )
    assert chinese("我的狗喜欢你").new_info == "小明的狗喜欢 FinClaw"


def test_here_is_the_place_of_the_event() -> None:
    assert english("I have lived here for 5 years").new_info == "Alice has lived in Berlin for 5 years"
    assert chinese("我在这里住了五年").new_info == "小明在上海住了五年"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Please remember that my sister lives in Oslo.", "Alice's sister lives in Oslo."),
        ("Remember I live in Berlin.", "Alice lives in Berlin."),
        ("Don't forget that I hate jazz.", "Alice hates jazz."),
        ("Keep in mind that stocks bore me.", "Stocks bore Alice."),
        ("Note: I trade before breakfast.", "Alice trades before breakfast."),
        ("Well, please note that I moved.", "Alice moved."),
        ("FYI, I moved.", "Alice moved."),
        ("Remember to call my mum.", "Remember to call Alice's mum."),
        ("请记住我喜欢喝茶。", "小明喜欢喝茶。"),
        ("请你记住：我不吃肉。", "小明不吃肉。"),
        ("别忘了我对花生过敏。", "小明对花生过敏。"),
        ("帮我记一下，我女儿叫小雨。", "小明女儿叫小雨。"),
        ("顺便说一下，我搬家了。", "小明搬家了。"),
        ("我记住了密码。", "小明记住了密码。"),
        ("别忘了我的伞。", "别忘了小明的伞。"),
    ],
)
def test_what_was_asked_to_be_kept_is_told_without_the_asking(text: str, told: str) -> None:
    assert (english(text) if text.isascii() else chinese(text)).new_info == told


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("She will come next week", ("She",)),
        ("We went there last summer", ("We", "there")),
        ("Alice did that day what Bob did", ("that day",)),
        ("他说他明天来", ("他",)),
        ("我们昨天去了公园", ("我们",)),
        ("那边很冷", ("那边",)),
        ("当地的菜很好吃", ("当地",)),
        ("周五我去看牙", ("周五",)),
    ],
)
def test_what_cannot_be_settled_stays_and_is_listed(text: str, left: tuple[str, ...]) -> None:
    found = english(text) if text.isascii() else chinese(text)
    assert found.unresolved == left
    assert all(word in found.new_info for word in left)


def test_without_a_location_here_is_unresolved() -> None:
    nowhere = EventClock(BERLIN.occurred_at, "Europe/Berlin")
    assert english("I live here", clock=nowhere).unresolved == ("here",)


def test_the_day_is_the_day_of_the_events_time_zone() -> None:
    late = datetime(2023, 5, 8, 23, 30, tzinfo=UTC)
    assert english("I left today", clock=EventClock(late, "Europe/London")).new_info.endswith("9 May 2023")
    assert english("I left today", clock=EventClock(late, "America/New_York")).new_info.endswith("8 May 2023")


@pytest.mark.parametrize(
    "text",
    [
        "Alice prefers concise answers",
        'Alice loves "Yesterday Once More"',
        "Alice bought 100 shares on 7 May 2023",
        "Alice learned German in two weeks",
        "Alice retired three years later",
        "小明喜欢《昨日重现》",
        "毕业三年后小明开始创业",
        "2022年底小明买了基金",
        "5月底小明会去上海",
        "小明学最近邻算法",
    ],
)
def test_an_absolute_text_comes_back_unchanged(text: str) -> None:
    found = english(text)
    assert (found.new_info, found.resolved, found.unresolved) == (text, (), ())


def test_quoted_words_are_never_rewritten() -> None:
    found = english('Bob said "I leave tomorrow"')
    assert found.new_info == 'Bob said "I leave tomorrow"'
    assert found.unresolved == ("I", "tomorrow")


def test_every_replacement_is_reported() -> None:
    assert english("I sold gold yesterday").resolved == (
        ("I sold", "Alice sold"),
        ("yesterday", "on 7 May 2023"),
    )


@pytest.mark.parametrize(
    ("found", "canonical"),
    [
        (
            english("I like tea", "Answered your question"),
            "8 May 2023: FinClaw answered Alice's question. Alice likes tea.",
        ),
        (english("Prefers tea"), "8 May 2023: Alice prefers tea."),
        (english("Tesla is overpriced"), "8 May 2023: Alice: Tesla is overpriced."),
        (chinese("我喜欢茶", "回答了你的问题"), "2023年5月10日：FinClaw 回答了小明的问题。小明喜欢茶。"),
        (chinese("喜欢茶"), "2023年5月10日：小明喜欢茶。"),
        (chinese("茅台太贵"), "2023年5月10日：小明：茅台太贵。"),
        (english("", ""), ""),
    ],
)
def test_the_canonical_text_says_when_who_and_what(found: RewrittenTexts, canonical: str) -> None:
    assert found.canonical_text == canonical


@pytest.mark.parametrize(
    ("did", "info", "canonical"),
    [
        (
            "Answered your question",
            "我喜欢茶",
            "8 May 2023: FinClaw answered Alice's question. 2023年5月8日：Alice 喜欢茶。",
        ),
        ("回答了你的问题", "I like tea", "2023年5月8日：FinClaw 回答了 Alice 的问题。 8 May 2023: Alice likes tea."),
        (
            "answered your question “我该买什么？”",
            "I like tea",
            "8 May 2023: FinClaw answered Alice's question “我该买什么？”. Alice likes tea.",
        ),
        (
            "",
            "I sold gold yesterday. 我昨天买了茶。",
            "8 May 2023: Alice sold gold on 7 May 2023. 2023年5月8日：Alice 2023年5月7日买了茶。",
        ),
    ],
)
def test_each_part_keeps_to_one_language(did: str, info: str, canonical: str) -> None:
    assert english(info, did).canonical_text == canonical


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No, I moved to Berlin", "Alice moved to Berlin"),
        ("Yes! I like it. Well, my dog bit me.", "Alice likes it. Alice's dog bit Alice."),
        ("Hey Bob, thanks! I sold gold", "Alice sold gold"),
        ("Oh, by the way, the dog bit Bob", "The dog bit Bob"),
        ("Um, uh, I sold, you know, gold, I mean.", "Alice sold gold."),
        ("不，我说的是柏林", "小明说的是柏林"),
        ("嗯，对了，我喜欢茶。好的。", "小明喜欢茶。"),
        ("No. Yes. I like tea.", "Alice likes tea."),
        ("Well, no. Yes! So, I like tea.", "Alice likes tea."),
        ("嗯，对了。是的，我喜欢茶。", "小明喜欢茶。"),
        ("No problem with tea", "No problem with tea"),
        ("不是小红买的", "不是小红买的"),
        ('Bob said "Fine. No, Bob stays"', 'Bob said "Fine. No, Bob stays"'),
        ("No.", "No."),
        ("好的。", "好的。"),
    ],
)
def test_no_sentence_opens_with_a_filler(text: str, expected: str) -> None:
    assert (english(text) if text.isascii() else chinese(text)).new_info == expected


def test_a_quoted_question_in_another_language_stays_in_its_sentence() -> None:
    clock = EventClock(datetime(2026, 3, 2, tzinfo=UTC), "UTC")
    event = rewrite_by_rules(Draft("回答了你的问题“我住在哪里?”、“Where do I live?”", "", "Alice", "FinClaw"), clock)
    assert event.canonical_text == "2026年3月2日：FinClaw 回答了 Alice 的问题“我住在哪里?”、“Where do I live?”。"


def test_what_only_the_whole_text_makes_relative_is_listed_too() -> None:
    found = english("“I like tea”")
    assert violations(found.new_info) == []
    assert found.canonical_text == "8 May 2023: Alice: “I like tea”."
    assert found.unresolved == ("I",)


FRAGMENTS = [
    "I", "you", "my", "like", "sold", "gold", "yesterday", "last Friday", "3 days ago", "999 decades ago",
    "next month", "here", "it", ",", ".", "'s", '"today"',
    "我", "你", "昨天", "上周五", "三天前", "月底", "喜欢", "这里", "最近", "《明天》", "。",
]  # fmt: skip


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=10), st.sampled_from(["", " "]))
@settings(max_examples=examples(200), deadline=None)
def test_rewriting_twice_changes_nothing_more(fragments: list[str], glue: str) -> None:
    once = english(glue.join(fragments)).new_info
    assert english(once).new_info == once


@given(st.text(max_size=200), st.text(max_size=80))
@settings(max_examples=examples(150), deadline=None)
def test_no_text_makes_it_raise(info: str, did: str) -> None:
    found = rewrite_by_rules(Draft(did, info, "Alice", "FinClaw"), BERLIN)
    assert {violation.text for violation in violations(found.canonical_text)} <= set(found.unresolved)
