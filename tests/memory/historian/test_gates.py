"""The gates object to what a reader cannot place, and to nothing else."""

from __future__ import annotations

import pytest

from memory.rewriting.absoluteness_checks import violations


@pytest.mark.parametrize("word", "我 你 他 她 它 他们 她们 它们 这位 那位".split())  # noqa: SIM905
def test_every_chinese_pronoun_of_the_seed(word: str) -> None:
    assert [(found.kind, found.text) for found in violations(f"{word}喜欢茶")] == [("pronoun", word)]


@pytest.mark.parametrize("word", "今天 昨天 明天 刚才 刚刚 稍后 上周 下周 最近".split())  # noqa: SIM905
def test_every_chinese_time_word_of_the_seed(word: str) -> None:
    assert [(found.kind, found.text) for found in violations(f"小明{word}买了茶")] == [("relative_time", word)]


@pytest.mark.parametrize("word", "这里 那边 本地 当地 这儿 那儿".split())  # noqa: SIM905
def test_every_chinese_place_word_of_the_seed(word: str) -> None:
    assert [(found.kind, found.text) for found in violations(f"小明在{word}买茶")] == [("relative_place", word)]


@pytest.mark.parametrize(
    ("text", "kind", "word"),
    [
        ("I like tea", "pronoun", "I"),
        ("Alice saw her there was no rain", "pronoun", "her"),
        ("Bob met them", "pronoun", "them"),
        ("It broke", "pronoun", "It"),
        ("Alice left today", "relative_time", "today"),
        ("Alice left yesterday", "relative_time", "yesterday"),
        ("Alice leaves tomorrow", "relative_time", "tomorrow"),
        ("Alice left just now", "relative_time", "just now"),
        ("Alice left recently", "relative_time", "recently"),
        ("Alice leaves later", "relative_time", "later"),
        ("Alice left last week", "relative_time", "last week"),
        ("Alice leaves next Friday", "relative_time", "next Friday"),
        ("Alice left three years ago", "relative_time", "years ago"),
        ("Alice lives here", "relative_place", "here"),
        ("Alice went there", "relative_place", "there"),
        ("Alice buys locally", "relative_place", "locally"),
    ],
)
def test_the_english_counterparts(text: str, kind: str, word: str) -> None:
    assert [(found.kind, found.text) for found in violations(text)] == [(kind, word)]


@pytest.mark.parametrize(
    "text",
    [
        "小明喜欢《昨日重现》和《明天会更好》",
        "小明学最近邻算法",
        "最近的地铁站在五百米外",
        "小明买了其他股票",
        "小明会弹吉他",
        "小明在做自我评估",
        "小明用本地部署的模型",
        "小明有后天性近视",
        "小明说了声你好",
        "晚上周围很安静",
        "2023年5月7日小明买了茶",
        'Alice loves "Yesterday Once More"',
        "Alice distrusts today's world",
        "Alice works in the US; IT pays well",
        "There is a bank in Berlin",
        "Alice visited the World War I museum",
        "Alice retired three years later",
        "Alice owns a gold mine",
        "Alice bought the house and sold it",
        "Alice heard it was raining",
        "Alice hates last-minute changes",
        "Alice reads USA Today",
        "On 7 May 2023 Alice bought tea",
        "",
    ],
)
def test_what_only_looks_relative_passes(text: str) -> None:
    assert violations(text) == []


@pytest.mark.parametrize("text", ['Bob said "I like tea"', "小红说：“我喜欢茶”"])
def test_quoted_speech_does_not_hide_a_pronoun(text: str) -> None:
    assert [found.kind for found in violations(text)] == ["pronoun"]


def test_offsets_point_into_the_text() -> None:
    text = "小明说他昨天在这里"
    assert [text[found.start : found.end] for found in violations(text)] == ["他", "昨天", "这里"]
