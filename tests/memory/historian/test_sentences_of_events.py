"""Which sentences become events, and in which words: each understood alone, resolved once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from memory.historian.event_parts import SourceMessage, candidates_of, make_self_contained, parts_by_rules
from memory.rewriting.persons import People
from memory.rewriting.rule_rewriter import make_absolute
from memory.rewriting.time_intervals import time_spoken_of
from memory.rewriting.types import EventClock
from tests.support.examples import examples

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
CLOCK = EventClock(AT, "UTC")


def told(*texts: str, addressee: str = "") -> list[str]:
    said = [SourceMessage(uuid4(), text, "Alice", CLOCK, addressee) for text in texts]
    return [part.rewritten.new_info for part in parts_by_rules(candidates_of(said))]


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("I have two kids, Tom and Ida.", ["Alice has two kids, Tom and Ida."]),
        ("Hi there, I adopted a cat yesterday!", ["Alice adopted a cat on 1 March 2026."]),
        ("But I also moved to York last month.", ["Alice moved to York in February 2026."]),
        ("@Bob I fine-tune language models at my job.", ["Alice fine-tunes language models at Alice's job."]),
        ("I met Anna yesterday, she is lovely.", ["Alice met Anna on 1 March 2026."]),
        ("I moved to York yesterday, but they hated it.", []),
        ("[picture: my dog on the beach]", []),
        ("I will give it a try.", []),
        ("I love chatting with you.", []),
        ("We went camping last weekend.", []),
        ("They told me about this problem yesterday.", []),
        ("I used some leftover paint for the background.", []),
        ("I plan to visit other museums.", []),
        ("I finished the exhibitions.", []),
        ("Actually, I don't. I prefer tea.", []),
        ("I feel lost and unsure about my direction.", []),
        ("I believe everyone deserves a second chance.", []),
        ("Travel is a great way to learn about my roots.", []),
        ("I want to make my parents proud.", []),
        ("I want to find some movies to watch. Can you recommend one?", []),
        ("I lost my job at Barclays.", ["Alice lost Alice's job at Barclays."]),
        (
            "I went to Mount Tai last weekend. I also took many pictures.",
            ["Alice went to Mount Tai on the weekend of 28 February 2026. Alice took many pictures."],
        ),
        ("I also took many pictures.", []),
        ("我昨天领养了一只猫。", ["Alice 2026年3月1日领养了一只猫。"]),
        ("昨天称了一下体重，是80公斤。", ["Alice 2026年3月1日称了一下体重，是80公斤。"]),
        ("我加了一点蜂蜜。", []),
        ("我计划去一些其他的博物馆。", []),
        ("我觉得博物馆很值得去。", []),
        ("你好，我上个月搬到上海了。", ["Alice 2026年2月搬到上海了。"]),
        ("我们去看电影吧。", []),
        ("我会去试试。", []),
        ("今天和你聊天很开心。", []),
    ],
)
def test_what_is_told(text: str, events: list[str]) -> None:
    assert told(text) == events


@pytest.mark.parametrize(
    ("texts", "events"),
    [
        (
            ("My sister Maya works in Leeds.", "I have two kids.", "That is wrong, Maya works in Bradford."),
            ["Alice has two kids.", "Maya works in Bradford."],
        ),
        (("I work as a nurse.", "Actually, I work as a doctor."), ["Alice works as a doctor."]),
        (("I have two dogs.", "That's not right.", "I have three dogs."), ["Alice has three dogs."]),
        (("My cat is called Miso.", "I like tea.", "Forget that my cat is called Miso."), ["Alice likes tea."]),
        (("我的猫叫咪咪。", "我住在上海。", "忘了我的猫叫咪咪。"), ["Alice 住在上海。"]),
        (("我姐姐是医生。", "不对，我姐姐是老师。"), ["Alice 姐姐是老师。"]),
        (("I like tea.", "I moved to Leeds yesterday."), ["Alice likes tea.", "Alice moved to Leeds on 1 March 2026."]),
    ],
)
def test_what_was_corrected_is_told_in_its_corrected_form_and_what_was_taken_back_is_not(
    texts: tuple[str, ...], events: list[str]
) -> None:
    assert told(*texts) == events


def test_you_is_told_by_name_where_it_is_clear_and_otherwise_not_at_all() -> None:
    text = "I lent you my bike yesterday."
    assert told(text.replace("lent", "told"), addressee="Bob") == ["Alice told Bob Alice's bike on 1 March 2026."]
    assert told(text) == []
    assert told("I think you need good shoes, so I bought two pairs yesterday.", addressee="Bob") == []


_WORDS = (
    "yesterday", "today", "last week", "three days ago", "in May", "last Friday", "this morning", "recently",
    "on 8 May 2023", "next month", "sold BYD", "told you", "met my sister", "moved here", "was at home", "and",
    "昨天", "上周三", "三天前", "今年五月", "最近", "下个月", "2023年5月1日", "买了比亚迪", "见了我妹妹", "跟你说过",
    "搬到这里", "I", "my", "我", "我的", ",", "，", "'s",
)  # fmt: skip
_sentences = some.lists(some.sampled_from(_WORDS), max_size=8)


@settings(max_examples=examples(300), deadline=None)
@given(words=_sentences, days=some.integers(0, 4000), spaced=some.booleans())
def test_what_is_written_is_resolved_once(words: list[str], days: int, spaced: bool) -> None:
    written = make_self_contained((" " if spaced else "").join(words), CLOCK, People("Alice", "Bob"))
    if written is not None:
        later = EventClock(AT + timedelta(days=days), "Asia/Shanghai", "Hamburg")
        assert make_absolute(written, later, People("Charlie", "Dora")) == written


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Alice moved on 1 March 2026.", ("2026-03-01", "2026-03-02")),
        ("Alice moved in March 2026.", ("2026-03-01", "2026-04-01")),
        ("Alice moved in 2025.", ("2025-01-01", "2026-01-01")),
        ("Alice was away in the week of 2 March 2026.", ("2026-03-02", "2026-03-09")),
        ("Alice ran on the weekend of 28 February 2026.", ("2026-02-28", "2026-03-02")),
        ("Alice 2026年2月28日至3月1日的周末跑步了。", ("2026-02-28", "2026-03-02")),
        ("Alice 2026年3月搬家了。", ("2026-03-01", "2026-04-01")),
        ("From 1 May 2025 to 3 May 2025 Alice was in Rome.", ("2025-05-01", "2025-05-04")),
        ("Alice owns 2000 shares.", None),
        ("Alice paid 1,999.50 for it on no day.", None),
        ("Alice was born on 31 February 2026.", None),
    ],
)
def test_the_time_that_words_speak_of(text: str, days: tuple[str, str] | None) -> None:
    found = time_spoken_of(text, "UTC")
    assert (tuple(f"{moment:%Y-%m-%d}" for moment in found) if found else None) == days
