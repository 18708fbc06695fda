"""Our own words for modes, preferences and tones, in English and Chinese. Plain tables, to be read and changed."""

# ruff: noqa: E501 - a table reads best with a row a line

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from personas.types import Language, Mode

TONE_ONLY: Final = (
    "It changes how you say things; never what is true, which evidence and risks are named, or the rules."
)

# Seed C §7.
MODE_PROMPTS: Final = MappingProxyType[Mode, str](
    {
        "rational": "Speak rationally: facts, figures, steps and decisions first, without ornament.",
        "idol": "Speak warmly: encourage, set a mood, let creativity lead, and keep every figure exact.",
        "hybrid": "Speak mostly rationally, about sixty parts of a hundred, with some warmth and imagery in the rest.",
        "strict": "Speak strictly: highly structured, unemotional, as short as the matter allows.",
    }
)

PREFERENCES: Final = MappingProxyType[tuple[str, str], dict[Language, str]](
    {
        ("reply_length", "concise"): {"en": "Wants short, concise answers.", "zh": "希望回答简洁。"},
        ("reply_length", "detailed"): {"en": "Wants detailed answers.", "zh": "希望回答详细。"},
        ("reply_structure", "points"): {"en": "Wants answers in bullet points.", "zh": "希望分点回答。"},
        ("reply_structure", "prose"): {"en": "Wants answers in whole sentences, without lists.", "zh": "希望用完整的句子回答，不要列表。"},
        ("reply_tone", "warm"): {"en": "Wants to be spoken to warmly.", "zh": "希望语气亲切。"},
        ("reply_tone", "plain"): {"en": "Wants to be spoken to in a plain, sober tone.", "zh": "希望语气平实。"},
        ("mode", "rational"): {"en": "Wants to be answered in the rational way.", "zh": "希望用理性的方式回答。"},
        ("mode", "idol"): {"en": "Wants to be answered in the idol's way: warm and encouraging.", "zh": "希望用偶像的方式回答：热情、鼓励。"},
        ("mode", "hybrid"): {"en": "Wants to be answered in the hybrid way: rational with some warmth.", "zh": "希望用混合的方式回答：理性中带一点温度。"},
        ("mode", "strict"): {"en": "Wants to be answered in the strict way: structured and short.", "zh": "希望用严格的方式回答：结构清楚、简短。"},
    }
)  # fmt: skip
"""Every preference there can be, as the memory that keeps it says it."""

# Seed B §2.1, "dialogue style": by the tier of the organisation, and by the person's role in it.
TIER_TONES: Final = MappingProxyType(
    {
        "brand_hq": "Professional and strategic.",
        "regional_agent": "Practical, about what to do next.",
        "franchise_store": "Friendly and in everyday words.",
    }
)
ROLE_TONES: Final = MappingProxyType(
    {
        "owner": "Lay out several options to decide between.",
        "admin": "Lay out several options to decide between.",
        "editor": "Advise directly.",
        "viewer": "Advise directly.",
    }
)


def sentence(key: str, value: str, language: Language) -> str:
    """The sentence of a preference. Raises ``KeyError`` for one there is not."""
    return PREFERENCES[key, value][language]
