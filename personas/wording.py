"""The product's wording for modes, preferences and tones, in English and Chinese."""

# ruff: noqa: E501 - a table reads best with a row a line

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

from personas.types import Language, Mode

TONE_ONLY: Final = (
    "It changes how you say things; never what is true, which evidence and risks are named, or the rules."
)

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
        ("reply_language", "en"): {"en": "Wants answers in English.", "zh": "希望用英文回答。"},
        ("reply_language", "zh"): {"en": "Wants answers in Chinese.", "zh": "希望用中文回答。"},
        ("mode", "rational"): {"en": "Wants to be answered in the rational way.", "zh": "希望用理性的方式回答。"},
        ("mode", "idol"): {"en": "Wants to be answered in the idol's way: warm and encouraging.", "zh": "希望用偶像的方式回答：热情、鼓励。"},
        ("mode", "hybrid"): {"en": "Wants to be answered in the hybrid way: rational with some warmth.", "zh": "希望用混合的方式回答：理性中带一点温度。"},
        ("mode", "strict"): {"en": "Wants to be answered in the strict way: structured and short.", "zh": "希望用严格的方式回答：结构清楚、简短。"},
    }
)  # fmt: skip
"""Every preference there can be, as the memory that keeps it says it."""

MANNERS: Final = MappingProxyType[tuple[str, str], dict[Language, str]](
    {
        ("mode", "rational"): {"en": "rational, facts and steps first", "zh": "理性，先讲事实和步骤"},
        ("mode", "idol"): {"en": "warm and encouraging", "zh": "温暖、多鼓励"},
        ("mode", "hybrid"): {"en": "balanced, matter-of-fact with a little warmth", "zh": "平衡，以理性为主，带一点温度"},
        ("mode", "strict"): {"en": "strict, structured and short", "zh": "严格，结构清楚、简短"},
        ("reply_length", "concise"): {"en": "short answers", "zh": "回答简短"},
        ("reply_length", "detailed"): {"en": "detailed answers", "zh": "回答详细"},
        ("reply_structure", "points"): {"en": "answers in bullet points", "zh": "分点回答"},
        ("reply_structure", "prose"): {"en": "whole sentences without lists", "zh": "用完整的句子，不列要点"},
        ("reply_tone", "warm"): {"en": "a warm tone", "zh": "语气亲切"},
        ("reply_tone", "plain"): {"en": "a plain, sober tone", "zh": "语气平实"},
        ("reply_language", "en"): {"en": "answers in English", "zh": "用英文回答"},
        ("reply_language", "zh"): {"en": "answers in Chinese", "zh": "用中文回答"},
    }
)  # fmt: skip
"""Every preference there can be, as the assistant says what it goes by from now on."""

# What the assistant says to somebody whose message only says how to be answered; how to take that back included.
LASTING: Final[dict[Language, str]] = {
    "en": "Understood. From now on: {manners}. You can take it back on the page “How I speak”.",
    "zh": "好的。从现在起：{manners}。可以在“How I speak”页面里取消。",
}
FOR_NOW: Final[dict[Language, str]] = {
    "en": "Understood: {manners}. Say “back to normal” to take it back in this chat.",
    "zh": "好的：{manners}。说“恢复正常”就可以在这次对话里取消。",
}
FOR_TURNS: Final[dict[Language, str]] = {
    "en": "Understood. For your next {turns} messages here: {manners}. Say “back to normal” to take it back.",
    "zh": "好的。接下来你的 {turns} 条消息：{manners}。说“恢复正常”就可以取消。",
}
USUAL: Final[dict[Language, str]] = {
    "en": "Understood. I am back to my usual way: {manners}.",
    "zh": "好的。我恢复平时的方式：{manners}。",
}
ONE_WAY: Final[dict[Language, str]] = {
    "en": "Here I speak in one way with everybody, and it cannot be chosen: {manners}.",
    "zh": "在这里我对所有人都用同一种方式说话，不能选择：{manners}。",
}
REMEMBERED_TOO: Final[dict[Language, str]] = {
    "en": " It also stands under “What I remember”, and holds in other chats until you forget it there.",
    "zh": "这一点也会列在“What I remember”（我记得的内容）里，在其他对话里同样有效，直到你在那里让我忘记它。",
}
_BETWEEN: Final[dict[Language, str]] = {"en": "; ", "zh": "；"}

# By the tier of the organisation, and by the person's role in it.
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


def preference_sentence(key: str, value: str, language: Language) -> str:
    """The sentence that states a preference. Raises ``KeyError`` for an unknown one."""
    return PREFERENCES[key, value][language]


def manners_in_words(told: Iterable[tuple[str, str]], language: Language) -> str:
    """Several preferences in one line. Raises ``KeyError`` for an unknown one."""
    return _BETWEEN[language].join(MANNERS[pair][language] for pair in told)
