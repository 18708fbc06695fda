"""Each sentence stands where its own words put it, and nowhere that a chance word would (seed A §7.2, offline)."""

from __future__ import annotations

import pytest

from finclaw.brain.material.brief import ResearchBrief
from finclaw.brain.material.polarity import speaks_against, speaks_for
from finclaw.brain.material.reading import MaterialReading, read_material, sentences
from foundation.language import (
    Language,
    is_question,
)
from memory.research.types import ResearchStatement, StatementSource


def _read(prompt: str, *thread: ResearchStatement) -> MaterialReading:
    return read_material(ResearchBrief(prompt, "en", thread))


@pytest.mark.parametrize(
    "sentence",
    [
        "Is the robotaxi story priced in",
        "Will the GENIUS Act matter.",
        "How far can margins fall",
        "What about China?",
        "市占率还能提升吗",
        "海外工厂什么时候投产",
        "利润会不会下滑",
        "需要确认:四季度是否有新的价格战。",
        '"真的见底了吗？"',
    ],
)
def test_a_question_needs_no_mark(sentence: str) -> None:
    assert is_question(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "When volatility drops, volume falls.",
        "Should margins fall below 50%, I am wrong.",
        "What matters is cash flow.",
        "没有什么负债",
        "无论如何,现金流很稳定",
        "什么都没变,只是竞争更激烈了",
        "去年交付了那么多",
        "回购取决于是否降息",
    ],
)
def test_a_word_that_can_ask_makes_no_question(sentence: str) -> None:
    assert not is_question(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Operating margin fell to 5.8%.",
        "I'm bullish, but valuation is stretched at 80x.",
        "I like it, but everybody owns it.",
        "我看好它的海外扩张,但是国内价格战是个风险。",
        "然而大客户正在自研芯片",
        "销量不断下滑",
    ],
)
def test_what_is_unfavourable_speaks_against(sentence: str) -> None:
    assert speaks_against(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "However, services revenue rose 15%.",
        "Nothing but strength in services.",
        "The risk-reward is attractive.",
        "Management says demand is not slowing.",
        "There is no risk of default.",
        "尽管如此,不过金价已经上涨40%。",
        "不过是一次性收益",
        "目前没有风险",
        "毛利率并未下降",
    ],
)
def test_a_turn_to_the_good_and_what_is_denied_do_not(sentence: str) -> None:
    assert not speaks_against(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "If margins fall, I am wrong.",
        "Should deliveries fall below 400k, the lead is gone.",
        "Unless prices are cut, share is lost.",
        "若通胀反弹,降息路径会改变。",
        "要是批价跌破1600元,论点失效。",
    ],
)
def test_a_condition_is_one_and_no_stance_nor_evidence(sentence: str) -> None:
    found = _read(sentence)

    assert [one.text for one in found.conditions] == [sentence]
    assert (found.stance, found.evidence, found.opposing) == ("", (), ())


@pytest.mark.parametrize(
    "sentence",
    [
        "The company provided guidance of $9.6 billion.",
        "Once-a-year subscription revenue reached $747M.",
        "Inventory rose 3% if you include prepayments.",
        "Until 2023 margins were 40%.",
        "Research and development spending rose 12%.",
        "Morgan Stanley rates it overweight at $200.",
        "增长20%主要是靠广告",
        "若干机构上调目标价至700港元",
        "分析师预计2026年收入增长20%",
        "研究显示渗透率已达50%",
        "凡是超过3亿元的订单都已交付",
    ],
)
def test_evidence_is_lost_to_no_chance_word(sentence: str) -> None:
    found = _read(sentence)

    assert [one.text for one in found.evidence] == [sentence]
    assert (found.conditions, found.stance, found.request) == ((), "", "")


@pytest.mark.parametrize(
    "sentence", ["毛利率为25.5%", "净利率提高到18%", "黄金收于3,660美元", "Revenue was 46.7 billion dollars."]
)
def test_a_margin_and_an_amount_are_not_the_market(sentence: str) -> None:
    assert _read(sentence).market == ()


@pytest.mark.parametrize("sentence", ["美联储降低利率", "美元走弱", "Demand grows.", "A rate cut is near."])
def test_money_and_demand_are(sentence: str) -> None:
    assert len(_read(sentence).market) == 1


@pytest.mark.parametrize(
    "stance",
    ["I no longer believe AMD closes the gap.", "I'm still bullish.", "虽然如此,我仍然看好。", "我并不看好它的扩张。"],
)
def test_the_latest_view_of_its_own_person_is_the_stance(stance: str) -> None:
    said = f"I think it wins. {stance} Analysts said they are bullish. In the case of China it is open."

    assert _read(said).stance == stance


def test_what_follows_a_requests_colon_is_said_and_not_asked() -> None:
    assert sentences("Challenge my thesis on Coinbase: the case for it rests on fees.") == [
        "Challenge my thesis on Coinbase:",
        "the case for it rests on fees.",
    ]
    assert _read("请分析腾讯:我仍然看好腾讯的游戏业务。").stance == "我仍然看好腾讯的游戏业务。"
    assert sentences("2025-10-20公告:净利润185亿元") == ["2025-10-20公告:净利润185亿元"]


def test_what_the_thread_held_and_is_said_again_stands_once() -> None:
    held = ResearchStatement(
        "Revenue was 46.7 billion.", None, (StatementSource("prompt"), StatementSource("snapshot", "one"))
    )
    other = ResearchStatement("Margin was 72%.", None, held.sources)

    found = _read("- revenue was 46.7 billion.", held, other)

    assert [one.text for one in found.evidence] == ["revenue was 46.7 billion.", "Margin was 72%."]
    assert found.evidence[1] == other


@pytest.mark.parametrize(
    "sentence",
    ["Services revenue rose 15%.", "Deliveries are growing.", "渗透率持续提升", "市场需求回升,看好行业。"],
)
def test_a_good_word_that_is_not_denied_speaks_for(sentence: str) -> None:
    assert speaks_for(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The meeting is on Tuesday.",
        "Revenue was 46.7 billion dollars.",
        "Revenue is not growing.",
        "Revenue rose, but margins fell.",
        "If demand grows, I am right.",
        "Unemployment rose to 5%.",
        "通胀上升",
        "营收并未增长",
        "公司于2025年发布财报",
    ],
)
def test_nothing_else_does(sentence: str) -> None:
    assert not speaks_for(sentence)


def test_what_is_put_nowhere_is_counted() -> None:
    said = "Check Nvidia. The chief likes leather jackets. I think it wins. Sales rose 5%. Risks abound. Is it late?"
    found = _read(f"{said} If it rains, it stops. Demand grows.", ResearchStatement("Held before."))

    assert [one.text for one in found.ungrouped] == ["The chief likes leather jackets."]


BEARISH: dict[Language, str] = {
    "en": "I am bearish on BYD: margins keep falling.\nGross margin fell to 17.6% in Q3 2026.\n"
    "Overseas sales rose 140% in 2026.\nA price war is a risk.",
    "zh": "我看空比亚迪，毛利率持续下滑。\n2026年三季度毛利率降至17.6%。\n2026年海外销量增长140%。\n价格战是风险。",
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_other_side_of_a_bearish_view_speaks_for_its_object_and_never_is_the_view(language: Language) -> None:
    bearish = BEARISH[language]
    lines = bearish.split("\n")
    assert [one.text for one in read_material(ResearchBrief(bearish, language)).counter_stance] == [lines[2]]
    bullish = bearish.replace("bearish", "bullish").replace("看空", "看好")
    others = [one.text for one in read_material(ResearchBrief(bullish, language)).counter_stance]
    assert others == [lines[1], lines[3]]
