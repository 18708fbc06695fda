"""Finds the section of a portrait that a statement belongs to, by its slot, or else by what it is about. Pure."""

from __future__ import annotations

import re
from typing import Final

from foundation.language import cjk_characters
from foundation.lexicon import read_lexicon
from foundation.text import tokenize
from memory.evolution import health_statements
from memory.evolution.slots import HOW_TO_ANSWER
from memory.evolution.topics import persons_of, topics_of

_WORDS: Final = read_lexicon(__file__)

WHO, WORK, PEOPLE, MONEY = "who", "work", "people", "money"
TASTES, ANSWERS, PLANS, HEALTH = "tastes", "answers", "plans", "health"
SECTIONS: Final = (WHO, WORK, PEOPLE, MONEY, TASTES, ANSWERS, PLANS, HEALTH)
FORMER_SECTIONS: Final = {
    "traits": WHO, "preferences": TASTES, "constraints": WHO, "goals": PLANS, "recent": WHO,
}  # fmt: skip
"""Maps the sections of portraits made before to the present ones."""

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


_HEALTH: Final = _WORDS.pattern("health", re.IGNORECASE)
_MONEY: Final = _WORDS.pattern("money", re.IGNORECASE)
_OF_OTHERS: Final = _WORDS.pattern("of_others", re.IGNORECASE)
_NAMED_SUBJECT: Final = _WORDS.of("en").pattern("named_subject")
_OWN_VERB: Final = _WORDS.of("en").pattern("own_verb")
_PLANNED: Final = _WORDS.pattern("planned")


def names_health(content: str) -> bool:
    """Whether a statement speaks of somebody's health, as far as its words tell."""
    return _HEALTH.search(content) is not None or health_statements.names_health(content)


def section_of(content: str, slot: str = "", category: str = "") -> str:
    """The section of a statement: "who" if neither its slot, its category nor its words decide."""
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
