"""Lists the topics of questions about oneself, and says by a table which statements belong to each; no model.

English words are compared by their stems, Chinese ones as substrings.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from foundation.language import cjk_characters, normalize
from foundation.lexicon import read_lexicon
from foundation.text import tokenize

_WORDS: Final = read_lexicon(__file__)

WHO: Final = "who"
ANSWERS: Final = "answers"
PLANS: Final = "plans"
OTHER: Final = "other"

SECTIONS: Final = (
    WHO,
    "work",
    "study",
    "family",
    "friends",
    "pets",
    "home",
    "health",
    "food",
    "money",
    "investing",
    "music",
    "books",
    "films",
    "games",
    "sport",
    "hobbies",
    "tastes",
    "travel",
    "transport",
    "belongings",
    "languages",
    "routine",
    "opinions",
    "past",
    PLANS,
    ANSWERS,
    OTHER,
)
"""The topics in the order of an answer."""

_WIDER: Final = {
    WHO: (WHO, "name", "age", "birthday", "origin"),
    "name": ("name",),
    "age": ("age",),
    "birthday": ("birthday",),
    "origin": ("origin",),
    "people": ("family", "partner", "children", "parents", "siblings", "friends"),
    "family": ("family", "partner", "children", "parents", "siblings"),
    "health": ("health", "allergies"),
    "food": ("food", "allergies"),
    "money": ("money", "investing"),
    "hobbies": ("hobbies", "music", "books", "games"),
    "schedule": ("routine",),
}
"""The narrower topics that a question's topic includes; one that is not listed includes itself."""
_SECTION: Final = {
    "partner": "family",
    "children": "family",
    "parents": "family",
    "siblings": "family",
    "allergies": "health",
} | dict.fromkeys(("name", "age", "birthday", "origin"), WHO)
"""Where statements of a narrow topic are listed."""
_BY_WORDS: Final = frozenset({"parents", "siblings", "age", "name", "origin", "birthday", "tastes"})
"""Narrow topics: a word of one is enough for a statement to belong to it."""

_OF_SLOT: Final[dict[str, tuple[str, ...]]] = {
    slot: tuple(topics.split())
    for topics, slots in (
        ("who", "name nickname address age born nationality height weight identity birthday origin hometown"),
        ("family", "marital family household"),
        ("work", "job job_status employer employer.place field business work_mode teaches"),
        ("study", "studies school education learning"),
        ("pets", "pet"),
        ("home", "home housing"),
        ("home who", "origin hometown"),
        ("health", "health blood_type"),
        ("health food", "allergy"),
        ("food", "diet diet.avoids"),
        ("money", "budget monthly_budget annual_budget income constraint.limit"),
        ("investing", "holds risk horizon invests investment_goal follows"),
        ("travel", "visited not_visited travel_budget"),
        ("transport", "commute"),
        ("belongings", "possession uses"),
        ("languages", "language.speaks"),
        ("routine", "schedule appointment"),
        ("opinions", "opinion fears"),
        ("past", "past experience"),
        ("plans", "goal investment_goal"),
        ("answers", "reply_style language.reply instruction persona"),
        ("hobbies", "activity hobby skills doing"),
        ("tastes", "likes dislikes favourite preference"),
    )
    for slot in slots.split()
}
_PLAN: Final = _WORDS.pattern("plan")
_KIN_FIRST: Final = _WORDS.pattern("kin_first")
_FRIEND_FIRST: Final = _WORDS.pattern("friend_first")
_PET_FIRST: Final = _WORDS.pattern("pet_first")


@dataclass(frozen=True, slots=True)
class _TopicWords:
    stems: frozenset[str]
    characters: tuple[str, ...]


def _topic_words() -> dict[str, _TopicWords]:
    words = read_lexicon(__file__, "statement_topics")
    english, chinese = words.of("en").groups("topics"), words.of("zh").groups("topics")
    return {
        name: _TopicWords(
            frozenset(token for word in english.get(name, ()) for token in tokenize(word)), chinese.get(name, ())
        )
        for name in (*english, *chinese)
    }


_TOPIC_WORDS: Final = _topic_words()


def section_of(found: Collection[str], slot: str) -> str:
    """The one section that lists a statement of these topics."""
    wide = [_SECTION.get(topic, topic) for topic in found]
    first = next((topic for topic in _OF_SLOT.get(_table_slot(slot), ()) if topic in wide), None)
    return first or next((name for name in SECTIONS if name in wide), OTHER)


def topics_of(text: str, slot: str = "", meant: Collection[str] = ()) -> frozenset[str]:
    """Every topic of a statement: by its slot, by classification (``meant``, see ``topic_classifier``), and by the
    words of narrow topics.

    What somebody's sister does is about family, not about their own work.
    """
    said = normalize(text)
    words = topics_by_words(text)
    for pattern, own, along in _SUBJECTS:
        if pattern.search(said):
            return frozenset({own, *(words & along), *({*meant} & _PEOPLE)})
    topics = {*_OF_SLOT.get(_table_slot(slot), ()), *meant, *(words & _BY_WORDS)}
    return frozenset({*topics, PLANS} if _PLAN.search(said) else topics)


def topics_by_words(text: str) -> frozenset[str]:
    """The topics whose words a statement holds."""
    said = normalize(text)
    stems, is_chinese = frozenset(tokenize(said)), bool(cjk_characters(said))
    return frozenset(
        name
        for name, words in _TOPIC_WORDS.items()
        if not words.stems.isdisjoint(stems) or (is_chinese and any(part in said for part in words.characters))
    )


def belongs_to_topic(asked: str, found: Collection[str]) -> bool:
    """Whether a statement of these topics answers a question about ``asked``."""
    return any(topic in found for topic in _WIDER.get(asked, (asked,)))


_SLOT_PART: Final = re.compile(r"[._:]")


def _table_slot(slot: str) -> str:
    """The slot as the table lists it: ``schedule`` for ``schedule.gym``, ``pet`` for ``pet.name``."""
    if slot in _OF_SLOT:
        return slot
    first = _SLOT_PART.split(slot, maxsplit=1)[0]
    return first if first in _OF_SLOT else ""


_PEOPLE: Final = frozenset({"family", "partner", "children", "friends", "pets"})
# Whom a statement is about, the topic of that, and the topics that its words may add.
_SUBJECTS: Final = (
    (_KIN_FIRST, "family", frozenset({"partner", "children", "parents", "siblings", "birthday"})),
    (_FRIEND_FIRST, "friends", frozenset({"work"})),
    (_PET_FIRST, "pets", frozenset[str]()),
)
