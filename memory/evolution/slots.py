"""Slots: stable keys by which two statements are recognised as being about the same thing."""

from __future__ import annotations

import re
from typing import Final

from foundation.language import comparison_form, normalize
from foundation.lexicon import read_lexicon
from foundation.text import ANSWER_STYLE

_WORDS: Final = read_lexicon(__file__)

USER_SUBJECT: Final = "user"
SEVERAL_VALUES: Final = frozenset(
    {
        "likes",
        "dislikes",
        "follows",
        "possession",
        "family",
        "pet",
        "diet.avoids",
        "allergy",
        "language.speaks",
        "constraint.avoid",
        "instruction",
        "note",
        "learning",
        "goal",
        "schedule",
        "experience",
        "activity",
        "doing",
        "skills",
        "identity",
        "education",
        "visited",
        "not_visited",
        "past",
        "fears",
        "cannot",
        "has_not",
        "health",
        "uses",
        "teaches",
        "invests",
        "appointment",
    }
)
"""Slots that hold many values at once, in which a new value affects only the same value. Every other slot holds one."""
STATEMENT: Final = "statement"
"""The slot of sentences kept as they are: it holds many values, each of which affects only itself."""
INSTRUCTION: Final = "instruction"
GATE: Final = "gate"
"""The rule by which such a sentence is kept: the gate judged that it teaches something lasting."""
GATE_ANEW: Final = "gate.anew"
"""The same for a message that was read before sentences were judged, and then again."""
OWN_SENTENCE: Final = frozenset({GATE, GATE_ANEW})
"""The rules of sentences kept as they are."""
HOW_TO_ANSWER: Final = frozenset({"reply_style", "language.reply", "instruction"})
"""Slots of how users want to be answered, which say nothing of what else they like."""

DIET: Final = "diet.avoids"
_MET: Final = {
    "likes": ("likes", "dislikes", "uses", DIET),
    "dislikes": ("dislikes", "likes"),
    DIET: (DIET, "likes"),
}
_OPPOSITES: Final = {"likes": "dislikes", "dislikes": "likes"}
_CONTRARIES: Final = {"likes": ("dislikes", DIET), "dislikes": ("likes",), DIET: ("likes",)}
_CONSUMING: Final = _WORDS.pattern("consuming")

_ONE_NAME: Final = _WORDS.mapping("one_name")
"""Names of one thing in either language, without spaces and 的, and the slot they share."""

_DOMAINS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (slot, re.compile(pattern, re.IGNORECASE))
    for slot, pattern in (
        (
            "language.reply",
            r"\bin (?:english|chinese|mandarin|german|french|spanish|japanese)\b|用(?:中文|英文|英语|"
            r"汉语|普通话|粤语|日语)",
        ),
        ("reply_style", ANSWER_STYLE),
        (
            "risk",
            r"\brisks?\b|\b(?:conservative|aggressive|cautious|balanced) (?:invest|portfolio|strateg)|"
            r"风险|稳健|保守|激进",
        ),
        (
            "horizon",
            r"\b(?:long|short|medium)[- ]term\b|\b(?:day|swing) trad|长线|短线|中线|长期投资|短期投资|"
            r"长期持有",
        ),
        (
            "style",
            r"\b(?:style|styles|minimalis[tm]|minimalistic|sporty|vintage|casual wear|look)\b|风格?$|"
            r"简约|复古|休闲|极简",
        ),
    )
)

_QUANTITY = _WORDS.pattern("quantity", re.IGNORECASE)
_NOISE = re.compile(rf"^(?:{_WORDS.phrase('noise')})")
_TRAILING: Final = _WORDS.of("zh").phrase("trailing")


def infer_slot(value: str, default: str) -> str:
    """The single-valued slot a value belongs to by its words, else ``default``."""
    folded = normalize(value).strip()
    return next((slot for slot, pattern in _DOMAINS if pattern.search(folded)), default)


def value_key(value: str) -> str:
    """A value in the form in which values are compared: one spelling, without articles, particles and end marks."""
    key = comparison_form(value).rstrip(_TRAILING)
    while (shorter := _NOISE.sub("", key)) != key:
        key = shorter
    return key


def asset_key(value: str) -> str:
    """The asset held, without amount and date: "200 shares of AAPL" is about ``aapl``."""
    return value_key(_QUANTITY.sub("", " ".join(value.split()))) or value_key(value)


def named_slot(slot: str) -> str:
    """The slot by its canonical name: "我的预算" and "my budget" are one."""
    return _ONE_NAME.get(slot, slot)


def food_or_drink_in(value: str) -> str:
    """The food or drink a value names: "drinking coffee" is about ``coffee``."""
    return value_key(_CONSUMING.sub("", value_key(value)))


def holds_several(slot: str) -> bool:
    """Whether values of this slot stand beside each other instead of replacing each other."""
    return slot in SEVERAL_VALUES or slot == STATEMENT


def slots_affected_by(slot: str) -> tuple[str, ...]:
    """The slots whose items a statement of this slot may affect.

    Who switches banks only names them: nothing says in which of these slots the old one was stored.
    """
    return _MET.get(slot, (slot,))


def opposite_slot(slot: str) -> str | None:
    """The slot that contradicts this one for the same value: liking and disliking."""
    return _OPPOSITES.get(slot)


def contraries(slot: str) -> tuple[str, ...]:
    """The slots whose items a statement of this slot may end: its opposite, and liking for what is not eaten."""
    return _CONTRARIES.get(slot, ())
