"""Everything the offline model says in its own words, in English and Chinese."""

from __future__ import annotations

from datetime import date
from typing import Final

from foundation.llm.offline_reading import Language
from foundation.llm.prompt_elements import Statement
from foundation.llm.types import THE_USER

_PHRASES: Final[dict[str, tuple[str, str]]] = {
    "greeting": ("Hello.", "你好。"),
    "thanks": ("You are welcome.", "不客气。"),
    "forget": (
        "Nothing is forgotten by a word in a chat. Find it under What I remember, and forget it there.",
        "在对话里说一声并不会忘掉任何内容。请在“What I remember”（我记得的内容）里找到它，在那里删除。",
    ),
    "found": ("From what I remember:", "我记得："),
    "nothing": ("I have nothing about that in memory.", "关于这一点，我的记忆里没有任何内容。"),
    "unread": (
        "I could not look into memory just now. Please ask again in a moment.",
        "我暂时无法读取记忆，请稍后再问一次。",
    ),
    "request": ("I cannot do that.", "这件事我做不了。"),
    "request_found": (
        "I cannot do that. What I remember about it:",
        "这件事我做不了。关于它，我记得：",
    ),
    "statement": (
        "I have read that. Anything I learn from it appears under What I remember.",
        "我看到了。如果我从中学到什么，会列在“What I remember”（我记得的内容）里。",
    ),
    "statement_unlearned": (
        "I have read that. Nothing may be learned from this chat, so I will not remember it.",
        "我看到了。本次对话不允许学习，所以我不会记住它。",
    ),
    "said": ("Earlier in this chat you said:", "你在本次对话中说过："),
    "request_said": (
        "I cannot do that. Earlier in this chat you said:",
        "这件事我做不了。你在本次对话中说过：",
    ),
    "limits": (
        "No language model is configured, so I can only quote memory, not reason.",
        "目前没有配置语言模型，所以我只能引用记忆，不能推理。",
    ),
    "limits_manner": (
        "No language model is configured: until one is, only the language of my own sentences follows it.",
        "目前没有配置语言模型：在那之前，只有我自己句子的语言会随之改变。",
    ),
    "you": ("you", "你"),
    "outdated": ("no longer current", "已过时"),
    "unsure": ("not certain", "不确定"),
    "confirmed_by_user": ("you told me this", "你告诉过我"),
    "observation": ("noted from what you said", "根据你说过的话记下"),
    "analysis": ("concluded from several conversations", "从多次对话中归纳"),
    "event": ("an event on record", "一条事件记录"),
    "other": ("on record", "记录在案"),
}


def phrase(name: str, language: Language) -> str:
    """One of the model's own sentences."""
    english, chinese = _PHRASES[name]
    return chinese if language == "zh" else english


def source_of(statement: Statement, language: Language) -> str:
    """Where a quoted statement comes from and from when, as far as the prompt says."""
    notes = [_origin(statement, language)]
    if statement.is_outdated:
        notes.append(phrase("outdated", language))
    elif statement.confidence < 0.8:  # seed B §2.1: below 0.8 only tentatively
        notes.append(phrase("unsure", language))
    return "，".join(notes) if language == "zh" else ", ".join(notes)


def _origin(statement: Statement, language: Language) -> str:
    day = _written(statement.day, language) if statement.day else ""
    speaker = statement.attributes.get("said_by")
    if speaker == THE_USER:
        speaker = phrase("you", language)
    if speaker and language == "zh":
        return f"{speaker} {day}说的" if day else f"{speaker} 说的"
    if speaker:
        return f"{speaker} said this on {day}" if day else f"{speaker} said this"
    known = phrase(_origin_name(statement), language)
    return f"{known}{'，' if language == 'zh' else ', '}{day}" if day else known


def _origin_name(statement: Statement) -> str:
    name = statement.attributes.get("provenance", statement.kind)
    return name if name in ("confirmed_by_user", "observation", "analysis", "event") else "other"


def _written(day: date, language: Language) -> str:
    return f"{day.year}年{day.month}月{day.day}日" if language == "zh" else f"{day.day} {day:%b %Y}"
