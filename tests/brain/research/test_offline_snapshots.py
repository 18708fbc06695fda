"""Without a model a snapshot is made of the person's own sentences, and says so."""

from __future__ import annotations

import pytest

from foundation.accounts.models import User
from memory.models import ResearchTask
from tests.brain.research.support import MOUTAI, NVDA, run, snapshot, texts
from tests.support.cast import allow

pytestmark = pytest.mark.django_db


def test_each_sentence_stands_where_its_words_put_it_in_english(alice: User) -> None:
    allow(alice)
    made = snapshot(alice, run(alice, NVDA))

    assert (made.object_kind, made.object_name) == ("asset", "Nvidia")
    assert made.main_thesis == "I think Nvidia will keep its lead in data centers."
    assert texts(made.evidence)[0] == "On 2025-08-27 Nvidia reported quarterly revenue of 46.7 billion dollars."
    assert texts(made.counter_thesis) == ["Export rules to China are a risk for the data center business."]
    assert texts(made.invalidators) == ["If a large customer moves to its own chips, the lead is gone."]
    assert "Will margins hold?" in made.watch_questions
    assert made.evidence[0]["dated_at"].startswith("2025-08-27")
    assert made.evidence[0]["sources"] == [{"kind": "prompt", "id": ""}]


def test_each_sentence_stands_where_its_words_put_it_in_chinese(alice: User) -> None:
    allow(alice)
    made = snapshot(alice, run(alice, MOUTAI, overrides={"language_preference": "zh"}))

    assert made.object_kind == "asset"
    assert made.main_thesis == "我认为茅台的品牌护城河依然稳固。"
    assert texts(made.evidence)[:2] == [
        "根据2025年三季报,茅台营业收入同比增长6.3%。",
        "2025年10月29日公告显示毛利率为91.2%。",
    ]
    assert texts(made.counter_thesis) == ["但是白酒行业需求疲软,批价下滑是风险。"]
    assert texts(made.invalidators) == ["如果批价跌破1600元,论点失效。"]
    assert "没有查阅任何外部资料" in made.data_quality_note


def test_nothing_is_invented_where_nothing_was_said(alice: User) -> None:
    allow(alice)
    made = snapshot(alice, run(alice, "Analyze Tesla"))

    assert made.evidence == made.counter_thesis == made.invalidators == []
    assert made.main_thesis == "No thesis was stated. What is asked: Analyze Tesla"
    assert made.data_quality_note.startswith("Your words hold no evidence")


def test_a_view_and_what_would_end_it_are_no_evidence_and_no_question_is_lost(alice: User) -> None:
    allow(alice)
    prompt = "Analyze Nvidia. I think the market is right. If demand falls, I am wrong. Do margins hold?"
    made = snapshot(alice, run(alice, f"{prompt} Demand grew 10% in Q3 2025."))

    assert texts(made.evidence) == ["Demand grew 10% in Q3 2025."]
    assert texts(made.invalidators) == ["If demand falls, I am wrong."]
    assert made.watch_questions[0] == "Do margins hold?"
    assert made.data_quality_note.startswith("Made of your own words alone. Evidence: 1 found, 1 with a date")


def test_the_task_says_that_no_model_took_part(alice: User) -> None:
    allow(alice)
    task = run(alice, NVDA)

    assert task.state == ResearchTask.State.COMPLETED
    assert (task.progress, task.model_id) == (100, "offline")
    assert "model_offline" in task.degraded
    assert task.context["slices_loaded"][:3] == ["S1", "S2", "S3"]


@pytest.mark.parametrize("route", ["risk_challenge", "evidence_audit", "narrative_mapper", "event_impact_reader"])
def test_a_route_that_makes_no_object_answers_a_report(alice: User, route: str) -> None:
    allow(alice)
    task = run(alice, NVDA, route)

    assert (task.state, task.result_kind) == ("completed", "report")
    assert any(section["statements"] for section in task.report["sections"])


@pytest.mark.parametrize(
    ("language", "prompt", "sections", "aside"),
    [
        (
            "en",
            "Sales rose 5% in 2025. The report is due on 2025-11-20. Margins fell to 4%. The chief likes jackets.",
            {
                "Speaks for it": ["Sales rose 5% in 2025."],
                "Speaks against it": ["Margins fell to 4%."],
                "Neither for nor against": ["The report is due on 2025-11-20."],
            },
            "1 sentence of yours is neither evidence",
        ),
        (
            "zh",
            "2025年销量增长5%。2025年11月20日发布财报。毛利率下降到4%。董事长喜欢皮夹克。他也喜欢爬山。",
            {
                "支持": ["2025年销量增长5%。"],
                "反对": ["毛利率下降到4%。"],
                "未表态": ["2025年11月20日发布财报。"],
            },
            "你有 2 句话既不是证据",
        ),
    ],
)
def test_a_map_of_narratives_takes_nobodys_side_and_counts_what_it_leaves_aside(
    alice: User, language: str, prompt: str, sections: dict[str, list[str]], aside: str
) -> None:
    allow(alice)
    report = run(alice, prompt, "narrative_mapper", overrides={"language_preference": language}).report

    assert {one["heading"]: texts(one["statements"]) for one in report["sections"] if one["statements"]} == sections
    assert aside in report["data_quality_note"]


def test_a_check_before_acting_makes_a_checkpoint(alice: User) -> None:
    allow(alice)
    task = run(alice, NVDA, "pre_execution")

    assert (task.state, task.result_kind) == ("completed", "checkpoint")
    assert task.advisors[0] == "pre_execution"
