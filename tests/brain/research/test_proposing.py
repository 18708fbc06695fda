"""A route is proposed by the words of a prompt, in both languages alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finclaw.brain.material.route_proposal import propose_route
from finclaw.brain.research.recommendations import EXAMPLES
from memory.models import Route

PROMPTS = {
    "snapshot": [
        "How does NVDA stand?",
        "Give me an overview of rates",
        "What speaks for Apple?",
        "NVDA",
        "英伟达怎么样？",
        "贵州茅台现在处于什么位置",
        "给我一份光伏行业概览",
        "What is your view of SOL?",
    ],
    "thread_refresh": [
        "Refresh my thread on NVDA",
        "What is new in my threads?",
        "Update my NVDA thread",
        "刷新我的线程",
        "我的线程有什么新变化",
        "更新我的研究主题",
        "Has anything changed for one of my open threads?",
    ],
    "risk_challenge": [
        "Challenge my NVDA thesis",
        "What could go wrong with NVDA?",
        "Stress-test the case for gold",
        "Play devil's advocate on Tesla",
        "What are the risks of holding SOL?",
        "挑战我对英伟达的看法",
        "茅台有哪些风险",
        "我的论点哪里可能出错",
        "帮我反驳看多黄金的理由",
    ],
    "pre_execution": [
        "What should I check before I buy NVDA?",
        "I'm about to sell half of my Tesla position",
        "Pre-trade check for SOL",
        "下单前我要检查什么",
        "我准备买入100股茅台",
        "买入前帮我过一遍清单",
        "Checklist before earnings, before I act",
    ],
    "evidence_audit": [
        "Audit the evidence for the NVDA thesis",
        "How reliable are the sources on SOL?",
        "Fact-check these claims",
        "Verify these figures",
        "审计一下这些证据",
        "核实这些数据",
        "这些证据可靠吗",
        "How solid is the evidence?",
    ],
    "narrative_mapper": [
        "Which narratives compete about AI chips?",
        "Map the story lines on rates",
        "What are investors saying about gold?",
        "AI芯片有哪些叙事",
        "市场在讲什么",
        "多空双方的观点是什么",
        "Where is the consensus on Tesla?",
    ],
    "event_impact_reader": [
        "What does the Fed's cut mean for banks?",
        "Impact of the tariffs on Apple",
        "How does the merger affect NVDA?",
        "降息对银行意味着什么",
        "关税对苹果的影响",
        "财报之后利好还是利空",
    ],
}
CASES = [(route, prompt) for route, prompts in PROMPTS.items() for prompt in prompts]


@pytest.mark.parametrize(("route", "prompt"), CASES, ids=[prompt for _, prompt in CASES])
def test_a_prompt_is_read_as_its_route(route: str, prompt: str) -> None:
    assert propose_route(prompt) == route


def test_every_route_can_be_proposed() -> None:
    assert set(PROMPTS) == set(Route.values)


def test_looking_again_at_what_is_no_thread_of_mine_is_no_refresh() -> None:
    assert propose_route("Update me on NVDA") == Route.SNAPSHOT


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_examples_are_read_as_the_routes_they_stand_for(language: str) -> None:
    examples = EXAMPLES[language].items()
    read = {route: propose_route(text.format(name="NVDA")) for route, text in examples if route != Route.THREAD_REFRESH}

    assert all(route == found for route, found in read.items())


@given(st.text(max_size=200))
def test_any_prompt_has_a_route(prompt: str) -> None:
    assert propose_route(prompt) in Route
