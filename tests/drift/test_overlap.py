"""Shared vocabulary of two theses: as fair to Chinese as to English. No database."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drift.configuration import configured_thresholds
from drift.thesis_overlap import jaccard_overlap, keywords_of

LIMIT = configured_thresholds().stance_flip_jaccard_below
# (thesis, the other one) in English and the same in Chinese
KEPT = [
    (
        ("Fed rate cuts will lift gold prices and weaken the dollar.",
         "Gold will rise as the Fed cuts rates and the dollar weakens."),
        ("美联储降息将推动金价上涨，美元走弱。", "随着美联储降息、美元走弱，金价会上涨。"),
    ),
    (
        ("BYD gains share in Europe thanks to lower battery costs and new plants.",
         "BYD's European share grows with its plants and cheaper batteries."),
        ("比亚迪凭借更低的电池成本和新工厂在欧洲扩大份额。", "比亚迪新工厂投产、电池成本更低，欧洲份额扩大。"),
    ),
    (
        ("AI capex drives GPU demand through 2027.", "GPU demand keeps growing through 2027 with AI capex."),
        ("AI 资本开支推动 GPU 需求增长至 2027 年。", "GPU 需求随 AI 资本开支持续增长，直到 2027 年。"),
    ),
    (
        ("Central banks keep buying gold while mine supply stagnates.",
         "Mine supply of gold stagnates and central banks go on buying."),
        ("央行持续买入黄金，而矿山供给停滞。", "黄金矿山供给停滞，央行仍在持续买入。"),
    ),
]  # fmt: skip
TURNED = [
    (
        ("Fed rate cuts will lift gold prices and weaken the dollar.",
         "Sticky inflation keeps yields high; bullion loses its appeal."),
        ("美联储降息将推动金价上涨，美元走弱。", "通胀顽固，利率维持高位，实际收益率压制贵金属。"),
    ),
    (
        ("BYD gains share in Europe thanks to lower battery costs and new plants.",
         "Tariffs and weak demand make BYD retreat from Europe."),
        ("比亚迪凭借更低的电池成本和新工厂在欧洲扩大份额。", "关税与需求疲软迫使比亚迪退出欧洲。"),
    ),
    (
        ("Demand for office space recovers as firms call their staff back.",
         "Remote work is permanent; landlords default on their loans."),
        ("企业召回员工，写字楼需求回升。", "远程办公成为常态，业主贷款违约。"),
    ),
]  # fmt: skip


@pytest.mark.parametrize("pair", [pair for both in KEPT for pair in both])
def test_the_same_thesis_in_other_words_is_above_the_limit_in_either_language(pair: tuple[str, str]) -> None:
    overlap = jaccard_overlap(*pair)

    assert overlap is not None
    assert overlap >= LIMIT


@pytest.mark.parametrize("pair", [pair for both in TURNED for pair in both])
def test_another_thesis_is_below_it_in_either_language(pair: tuple[str, str]) -> None:
    overlap = jaccard_overlap(*pair)

    assert overlap is not None
    assert overlap < LIMIT


def test_function_words_are_no_keywords() -> None:
    assert keywords_of("黄金的需求和价格都在上升") == keywords_of("黄金 需求 价格 上升")
    assert keywords_of("the demand of the market") == keywords_of("demand market")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("", "gold"),
        ("gold", "What is this that they have?"),
        ("的了着", "黄金"),
        ("看好黄金的长期表现", "Gold shines."),
    ],
)
def test_what_words_cannot_tell_is_not_told(left: str, right: str) -> None:
    assert jaccard_overlap(left, right) is None


def test_traditional_and_simplified_are_one_script() -> None:
    assert jaccard_overlap("網絡手續費持續增長", "网络手续费持续增长") == 1.0


def test_a_ticker_in_a_chinese_thesis_makes_it_no_english_one() -> None:
    assert jaccard_overlap("看好BTC与ETH", "回避SOL、XRP和BTC的高位") is not None


@given(st.text(max_size=80), st.text(max_size=80))
def test_it_is_a_share_and_the_same_from_either_side(left: str, right: str) -> None:
    overlap = jaccard_overlap(left, right)

    assert overlap == jaccard_overlap(right, left)
    assert overlap is None or 0.0 <= overlap <= 1.0
    assert jaccard_overlap(left, left) in (None, 1.0)
