"""The sections of a portrait, and to which of them a statement belongs: by its slot, else by what it is about. Pure."""

from __future__ import annotations

from typing import Final

from foundation.text import cjk_characters, tokenize
from memory.evolution.slots import HOW_TO_ANSWER
from memory.evolution.topics import persons_of, topics_of

WHO, WORK, PEOPLE, MONEY = "who", "work", "people", "money"
TASTES, ANSWERS, PLANS, HEALTH = "tastes", "answers", "plans", "health"
SECTIONS: Final = (WHO, WORK, PEOPLE, MONEY, TASTES, ANSWERS, PLANS, HEALTH)
FORMER_SECTIONS: Final = {
    "traits": WHO, "preferences": TASTES, "constraints": WHO, "goals": PLANS, "recent": WHO,
}  # fmt: skip
"""Where the lines of portraits that were made before stand now."""

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


def section_of(content: str, slot: str = "", category: str = "") -> str:
    """The section of a statement. Where neither slot, category nor words tell, it says who its person is."""
    if slot in _SECTION_OF_SLOT or slot.startswith("persona."):
        return _SECTION_OF_SLOT.get(slot, ANSWERS)
    if category in _SECTION_OF_CATEGORY:
        return _SECTION_OF_CATEGORY[category]
    tokens = [*tokenize(content), *cjk_characters(content)]
    if persons_of(tokens):
        return PEOPLE
    found = topics_of(tokens)
    named = next((section for topic, section in _SECTION_OF_TOPIC.items() if topic in found), WHO)
    return TASTES if category == "preference" and named in (WHO, WORK) else named
