"""Which skill does what a message asks for, and which messages ask for anything (seed B §2.5)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finclaw.brain.routing_parameters import USUAL_ROUTING
from finclaw.brain.skills import registry
from finclaw.brain.skills.permissions import may_use, permitted_skills, whitelist_of
from finclaw.brain.skills.selection import choose_skill
from finclaw.brain.skills.types import WHO_WORKS, Skill, SkillAccess
from finclaw.brain.skills.wording import describe_offered, describe_started, phrase
from finclaw.brain.types import Intent
from finclaw.brain.understanding.intent import classify
from finclaw.console.tenants import TenantSettings
from foundation.language import ParsedMessage
from memory.models import Route
from memory.research.task_lifecycle import RESEARCH_TOPIC

RESEARCH = Intent("research", 0.7, action_required=True)
ANYBODY = SkillAccess("editor")
TOOLS = frozenset({"a tool", RESEARCH_TOPIC})
THRESHOLD = USUAL_ROUTING.skill_threshold

RESEARCH_ASKED = [
    ("run a snapshot on NVDA", "snapshot"),
    ("Please run a snapshot of Nvidia.", "snapshot"),
    ("Hey FinClaw, make me an NVDA snapshot", "snapshot"),
    ("I'd like a snapshot of BYD", "snapshot"),
    ("I think Tesla wins. Can you do a snapshot on Tesla?", "snapshot"),
    ("Do some research on copper", "snapshot"),
    ("do a risk challenge of my Tesla thesis", "risk_challenge"),
    ("Challenge this view: rates stay high for longer.", "risk_challenge"),
    ("Could you please challenge my view that gold keeps rising?", "risk_challenge"),
    ("Stress-test my thesis on TSMC", "risk_challenge"),
    ("audit the evidence for the NVDA margin story", "evidence_audit"),
    ("Fact-check these claims: revenue doubled in 2025.", "evidence_audit"),
    ("Map the narratives around AI capex", "narrative_mapper"),
    ("Do an impact analysis of the FOMC decision", "event_impact_reader"),
    ("Run a pre-trade check on buying AAPL", "pre_execution"),
    ("Refresh my NVDA thread", "thread_refresh"),
    ("帮我做一份贵州茅台的快照", "snapshot"),
    ("能帮我做一份英伟达的快照吗?", "snapshot"),
    ("給我來一份台積電的快照", "snapshot"),
    ("我需要一份宁德时代的快照", "snapshot"),
    ("帮我研究一下铜", "snapshot"),
    ("挑战一下这个观点", "risk_challenge"),
    ("请对特斯拉的论点做一次压力测试", "risk_challenge"),
    ("质疑一下我对黄金的看法", "risk_challenge"),
    ("核实一下这份报告的数据来源", "evidence_audit"),
    ("请审计一下英伟达毛利率的证据", "evidence_audit"),
    ("梳理一下人工智能行业的叙事", "narrative_mapper"),
    ("帮我做个关于降息的影响分析", "event_impact_reader"),
    ("更新一下我的茅台线程", "thread_refresh"),
    ("Run a snapshot on NVDA. The prevailing narrative is that margins hold; analysts challenge it.", "snapshot"),
    ("Run a snapshot on the AI narrative", "snapshot"),
    ("Run a snapshot on Palantir", "snapshot"),
    ("Research NVDA", "snapshot"),
    ("Can you research Nvidia's margins?", "snapshot"),
    ("请研究一下茅台", "snapshot"),
    ("Challenge my view that gold is overvalued", "risk_challenge"),
    ("Audit the evidence that demand was strong", "evidence_audit"),
    ("Audit the evidence for the narrative that rates fall", "evidence_audit"),
    ("帮我做一份关于人工智能叙事的快照", "snapshot"),
    ("请对特斯拉的叙事做一次压力测试", "risk_challenge"),
]
NOTHING_ASKED = [
    "What is a snapshot?",
    "Should I run a snapshot on NVDA?",
    "Do snapshots cost anything?",
    "Can you do snapshots?",
    "How do I audit evidence?",
    "What could go wrong with NVDA?",
    "I ran a snapshot on NVDA yesterday",
    "The risk challenge of my Tesla thesis was useful",
    "The audit of the evidence took a week",
    "Thanks for the snapshot of NVDA",
    "My thesis is that Tesla wins",
    "I want to challenge this view myself",
    "I prefer snapshots that are short",
    "I work in research on batteries",
    "Remember that I like risk challenges",
    "Always challenge my views",
    "Challenge my thesis whenever I mention gold",
    "Don't run a snapshot on NVDA",
    "Actually, run your snapshots without emojis",
    "Research shows that funds underperform",
    "Challenge accepted",
    "Update: Nvidia beat estimates",
    "That sounds great! Could you show me a picture of it?",
    "Analyse NVDA's valuation",
    "快照是什么?",
    "做一份快照要多久?",
    "要不要做一份茅台的快照?",
    "我昨天做了一份茅台的快照",
    "上次你帮我做了一份贵州茅台的快照",
    "以后每次都挑战一下我的观点",
    "不要做贵州茅台的快照",
    "我喜欢挑战自己的观点",
    "研究显示茅台需求疲软",
    "更新:茅台批价下跌",
    "特斯拉的挑战在于产能",
    "分析一下贵州茅台的估值",
    "Research isn't my thing",
    "Research takes time",
    "Snapshot tests fail in jest",
    "为NVDA做研究的人很多",
    "Red team won the match",
    "stress test results for US banks came out yesterday",
    "质疑他的判断是不礼貌的",
    "挑战自己的看法很难",
    "提供数据审计的公司是普华永道",
    "I want my audit on time",
    "Research Triangle Park is nice",
    "Give me a good case study on audit failures at Wirecard",
    "I'd like a quick refresh of my French",
    "Let's do a fun challenge about trivia",
    "请研究一下红烧肉的做法",
    "Research papers pile up on my desk",
    "Research the best pizza in Rome",
    "Can you research a good school for my son?",
    "Please research cheap flights to Berlin",
    "Take a snapshot of the database",
    "Create a snapshot of the VM before the upgrade",
    "Snapshot taken at noon",
    "Stress test went badly at the cardiologist",
    "Run a stress test on my heart",
    "Do a stress test of the new server",
    "Red team exercises are fun",
    "Challenge yourself every morning",
    "Do the ice bucket challenge for charity",
    "I want a challenge to keep me awake",
    "Audit season is awful",
    "I need an audit of my charity's books",
    "Verify the figures in my tax letter",
    "Make a checkpoint before the boss fight",
    "Do an impact analysis of the new bus line",
    "Update the thread pool",
    "The impact assessment of our garden took weeks",
    "Research NVDA is publishing looks thin",
    "Do some research on red pandas",
    "Give me a study on sleep",
    "请研究一下附近的幼儿园",
    "帮我研究一下怎么去机场",
    "挑战不可能",
    "质疑声很大",
    "质疑一下他的人品",
    "压力测试太累了",
    "帮我更新一下线程池",
    "做研究很辛苦",
    "做一份数据库的快照",
    "我要一份审计的工作",
    "请挑战一下三分球",
    "帮我核实一下航班时间",
    "做个挑战吧",
    "给我来一份早餐",
    "研究一下就知道了",
    "帮我做一次心脏压力测试",
    "更新多线程代码",
]


@pytest.mark.parametrize(("text", "route"), RESEARCH_ASKED)
def test_a_plain_request_is_for_the_skill_it_names(text: str, route: str) -> None:
    intent = classify(ParsedMessage(text))
    assert (intent.intent_type, intent.action_required) == ("research", True)
    chosen = choose_skill(intent, ParsedMessage(text), ANYBODY, TOOLS)
    assert chosen.skill is not None
    assert chosen.skill.name == route


@pytest.mark.parametrize("text", NOTHING_ASKED)
def test_whatever_merely_speaks_of_work_asks_for_none(text: str) -> None:
    assert not classify(ParsedMessage(text)).action_required


@pytest.mark.parametrize(
    "text", ["Book me a flight to Shanghai", "Make me a poster for our shop", "Send an email to Bob", "帮我做一张海报"]
)
def test_work_of_another_kind_is_asked_for_and_no_skill_does_it(text: str) -> None:
    intent = classify(ParsedMessage(text))
    assert intent.action_required
    assert choose_skill(intent, ParsedMessage(text), ANYBODY, TOOLS).reason == "none"


@given(st.text(max_size=200))
def test_any_text_can_be_looked_through_for_a_skill(text: str) -> None:
    assert 0 <= choose_skill(RESEARCH, ParsedMessage(text), ANYBODY, TOOLS).confidence <= 1


def skill(name: str, confidence: float, **fields: object) -> Skill:
    made = Skill(name, frozenset({"research"}), lambda _intent, _text: confidence)
    return replace(made, **fields)  # type: ignore[arg-type]


def chosen_of(monkeypatch: pytest.MonkeyPatch, *skills: Skill, standing: SkillAccess = ANYBODY) -> tuple[str, str]:
    """The chosen skill's name, "" for none, and why."""
    monkeypatch.setattr(registry, "SKILLS", skills)
    choice = choose_skill(RESEARCH, ParsedMessage("do it"), standing, TOOLS)
    return choice.skill.name if choice.skill else "", choice.reason


@pytest.mark.parametrize(("confidence", "name"), [(THRESHOLD, "one"), (THRESHOLD - 0.01, ""), (7.0, "one")])
def test_below_the_threshold_there_is_none(monkeypatch: pytest.MonkeyPatch, confidence: float, name: str) -> None:
    assert chosen_of(monkeypatch, skill("one", confidence))[0] == name


def test_the_surest_is_chosen_and_of_equals_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen_of(monkeypatch, skill("one", 0.5), skill("two", 0.6))[0] == "two"
    assert chosen_of(monkeypatch, skill("one", 0.6), skill("two", 0.6))[0] == "one"


def test_a_skill_that_has_not_the_capability_is_not_even_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    painter = skill("painter", 1.0, capabilities=frozenset({"paint"}))
    assert chosen_of(monkeypatch, painter) == ("", "none")
    assert chosen_of(monkeypatch, painter, skill("one", 0.4))[0] == "one"


@pytest.mark.parametrize(
    ("fields", "standing", "reason"),
    [
        ({"roles": frozenset({"owner"})}, SkillAccess("editor"), "not_permitted"),
        ({"roles": frozenset({"owner"})}, SkillAccess("owner"), "chosen"),
        ({"org_tiers": frozenset({"brand_hq"})}, SkillAccess("owner", "franchise_store"), "not_permitted"),
        ({"org_tiers": frozenset({"brand_hq"})}, SkillAccess("owner", "brand_hq"), "chosen"),
        ({"org_tiers": frozenset({"brand_hq"})}, SkillAccess("owner"), "chosen"),
        ({}, SkillAccess("owner", "brand_hq", frozenset({"two"})), "not_permitted"),
        ({}, SkillAccess("owner", "brand_hq", frozenset({"one"})), "chosen"),
        ({"tools": frozenset({"another tool"})}, SkillAccess("owner"), "tool_missing"),
        ({"tools": frozenset({"a tool"})}, SkillAccess("owner"), "chosen"),
    ],
)
def test_the_chosen_one_must_be_permitted_and_have_its_tools(
    monkeypatch: pytest.MonkeyPatch, fields: dict[str, object], standing: SkillAccess, reason: str
) -> None:
    less_sure = skill("another", 0.4)  # which never stands in for it
    assert chosen_of(monkeypatch, skill("one", 0.9, **fields), less_sure, standing=standing)[1] == reason


def test_the_seven_routes_are_skills_for_all_who_work() -> None:
    assert {one.name for one in registry.SKILLS} == set(Route.values)
    assert permitted_skills(ANYBODY) == set(Route.values)
    assert permitted_skills(SkillAccess("viewer")) == frozenset()
    assert all(may_use(one, SkillAccess(role)) for one in registry.SKILLS for role in WHO_WORKS)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, None),
        ({"drift": {}}, None),
        ({"skill_whitelist": ["snapshot"]}, frozenset({"snapshot"})),
        ({"skill_whitelist": []}, frozenset()),
        ({"skill_whitelist": "snapshot"}, frozenset()),  # cannot be read: nothing is offered rather than all
    ],
)
def test_an_organisation_names_what_it_offers(settings: dict[str, object], expected: frozenset[str] | None) -> None:
    assert whitelist_of(settings) == expected


def test_an_operator_is_told_of_a_skill_that_there_is_not() -> None:
    assert TenantSettings.model_validate({"skill_whitelist": ["snapshot"]}).skill_whitelist == frozenset({"snapshot"})
    with pytest.raises(ValueError, match="no such skill"):
        TenantSettings.model_validate({"skill_whitelist": ["snapshots"]})


def test_our_words_are_there_for_every_skill_in_both_languages() -> None:
    for route in Route.values:
        assert "BTC" in describe_started("en", route, "BTC")
        assert "BTC" in describe_started("zh", route, "BTC")
    assert "覆盖不到" in phrase("zh", "not_covered")
    assert describe_offered(frozenset()) == ""
    assert "snapshot" in describe_offered({"snapshot"})
    assert "audit" not in describe_offered({"snapshot"})
