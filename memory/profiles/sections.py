"""The sections of a portrait, and the section of a statement: by its slot, else by what it is about. Pure."""

from __future__ import annotations

import re
from typing import Final

from foundation.text import cjk_characters, tokenize
from memory.evolution import health_statements
from memory.evolution.slots import HOW_TO_ANSWER
from memory.evolution.topics import persons_of, topics_of

WHO, WORK, PEOPLE, MONEY = "who", "work", "people", "money"
TASTES, ANSWERS, PLANS, HEALTH = "tastes", "answers", "plans", "health"
SECTIONS: Final = (WHO, WORK, PEOPLE, MONEY, TASTES, ANSWERS, PLANS, HEALTH)
FORMER_SECTIONS: Final = {
    "traits": WHO, "preferences": TASTES, "constraints": WHO, "goals": PLANS, "recent": WHO,
}  # fmt: skip
"""The present sections of lines in portraits made before."""

_SECTION_OF_SLOT: Final = {
    **dict.fromkeys(HOW_TO_ANSWER, ANSWERS),
    **dict.fromkeys(("health", "allergy", "diet", "diet.avoids"), HEALTH),
    **dict.fromkeys(("risk", "horizon", "investment_goal", "invests", "budget", "income", "follows"), MONEY),
    **dict.fromkeys(("goal", "appointment", "travel_budget"), PLANS),
    **dict.fromkeys(("education", "studies", "teaches", "work_mode"), WORK),
    **dict.fromkeys(("family", "marital", "household", "pet"), PEOPLE),
    **dict.fromkeys(("likes", "dislikes"), TASTES),
    "skills": WHO,
}
_SECTION_OF_CATEGORY: Final = {
    "identity": WHO, "home": WHO, "language": WHO, "work": WORK, "family": PEOPLE, "pet": PEOPLE, "finance": MONEY,
    "goal": PLANS, "diet": HEALTH, "health": HEALTH, "instruction": ANSWERS, "hobby": TASTES,
}  # fmt: skip
_SECTION_OF_TOPIC: Final = {
    "holdings": MONEY, "employment": WORK, "study": WORK, "family": PEOPLE, "pets": PEOPLE,
    "diet": TASTES, "travel": TASTES, "hobby": TASTES, "sport": TASTES,
}  # fmt: skip
"""Topics by which a statement without a slot is sorted, the more telling first."""


_HEALTH: Final = re.compile(
    r"\b(?:allerg\w+|migraines?|surgery|diagnos\w+|doctor|physio|pills?|milligrams?|flu shots?|shots? done|vaccin\w+|"
    r"hearing aids?|medicat\w+|meds|blood pressure|cholesterol|stroke|cancer|asthma|adhd|diabet\w+|osteoporosis|"
    r"dyslexia|injur\w+|(?:bad|weak) (?:\w+ )?(?:knee|back|shoulder|hip|neck)|dairy|gluten|on the wagon)\b"
    r"|过敏|尿酸|血压|血糖|血脂|肩周炎|关节|膝盖|医生说|干眼|近视|老花|散光|住院|手术|体检|吃药|胰岛素|房颤|结石|睡眠障碍|"
    r"忌口|月经|怀孕|心理咨询|糖尿病|抑郁|焦虑症|失眠",
    re.IGNORECASE,
)
_MONEY: Final = re.compile(
    r"[$€£]\d|(?<![\d,.])\d[\d,.]{0,12}k\b|\b(?:mortgage|pension|portfolio|stocks?|shares|etfs?|index funds?|bonds?|"
    r"dividends?|ira|401k|savings|salary|payments?|tax(?:es)?|crypto|bitcoin|btc)\b"
    r"|股票|基金|定投|持仓|仓位|国债|存款|定期|房贷|贷款|月供|工资|薪|年终奖|税前|税后|虚拟币|比特币|花呗|理财|公积金|加仓|止损",
    re.IGNORECASE,
)
_OF_OTHERS: Final = re.compile(r"\b(?:he|she|his|her|him|he's|she's)\b|[他她]", re.IGNORECASE)
_NAMED_SUBJECT: Final = re.compile(
    r"(?!Their\b|The\b|All\b|No\b|Not\b)[A-Z][a-z]+(?:'s)? (?:[a-z]+(?:s|ed)|got|took|quit|is)\b"
)
_OWN_VERB: Final = re.compile(r"(?:Is|Has|Was|Does|Had|Got|Been|[A-Z][a-z]*[^s]s|[A-Z][a-z]*ing|[A-Z][a-z]*ed)\b")
_PLANNED: Final = re.compile(
    r"(?:Wants to|Plans to|Planning|Is planning|Hopes to|Hoping to|Saving up)\b|(?:计划|打算|准备|想去|一直想)"
)


def names_health(content: str) -> bool:
    """Whether a statement speaks of somebody's health, as far as its words tell."""
    return _HEALTH.search(content) is not None or health_statements.names_health(content)


def section_of(content: str, slot: str = "", category: str = "") -> str:
    """The section of a statement. Where neither slot, category nor words tell, it says who the user is."""
    if slot in _SECTION_OF_SLOT or slot.startswith("persona."):
        return _SECTION_OF_SLOT.get(slot, ANSWERS)
    if category in _SECTION_OF_CATEGORY:
        return _SECTION_OF_CATEGORY[category]
    if _PLANNED.match(content):
        return PLANS
    if names_health(content):
        return HEALTH
    if _MONEY.search(content):
        return MONEY
    if category != "preference" and _is_of_another(content):
        return PEOPLE
    tokens = [*tokenize(content), *cjk_characters(content)]
    if persons_of(tokens):
        return PEOPLE
    found = topics_of(tokens)
    named = next((section for topic, section in _SECTION_OF_TOPIC.items() if topic in found), WHO)
    return TASTES if category == "preference" and named != PEOPLE else named


def _is_of_another(content: str) -> bool:
    """Whether the subject is somebody else, or spoken of as "he" or "she"."""
    named = _NAMED_SUBJECT.match(content) is not None and _OWN_VERB.match(content) is None
    return named or _OF_OTHERS.search(content) is not None
