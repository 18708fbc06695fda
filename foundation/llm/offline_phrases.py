"""The fixed sentences that the offline model can say, in English and Chinese."""

from __future__ import annotations

from datetime import date
from typing import Final

from foundation.language import Language
from foundation.llm.prompt_elements import CERTAIN_CONFIDENCE, NOTE_INFERRED, PromptStatement
from foundation.llm.types import THE_USER

FIXED_PHRASES: Final[dict[str, tuple[str, str]]] = {
    "greeting": ("Hello! What’s on your mind?", "你好！今天想聊点什么？"),
    "how_are_you": ("I’m well, thank you. How are you?", "我很好，谢谢。你呢，最近怎么样？"),
    "goodbye": ("Goodbye, and take care.", "再见，多保重。"),
    "thanks": ("You’re welcome.", "不客气。"),
    "praise": ("Glad to hear that.", "很高兴你这么说。"),
    "apology": ("No problem at all.", "没关系。"),
    "agreed": ("All right.", "好的。"),
    "who_are_you": (
        (
            "I’m FinClaw. I remember what you tell me and bring it up when it matters. Ask me “What do you "
            "remember about me?”"
        ),
        "我是FinClaw。你告诉我的事，我会记住，用得上的时候再提起。可以问我：“你记得我什么？”",
    ),
    "forget": (
        "Nothing is forgotten by a word in a chat. Find it under What I remember, and forget it there.",
        "在对话里说一声并不会忘掉任何内容。请在“What I remember”（我记得的内容）里找到它，在那里删除。",
    ),
    "found": ("From what I remember:", "我记得："),
    "knowledge": ("Your organisation says:", "你所在组织的知识："),
    "nothing": (
        "I have nothing about that in memory, and without a language model I can only tell what I remember.",
        "关于这一点，我的记忆里没有任何内容；没有语言模型，我只能说我记得的事。",
    ),
    "unread": (
        "I could not look into memory just now. Please ask again in a moment.",
        "我暂时无法读取记忆，请稍后再问一次。",
    ),
    "request": ("I can’t do that without a language model.", "没有语言模型，这件事我做不了。"),
    "request_found": (
        "I can’t do that without a language model. What I remember about it:",
        "没有语言模型，这件事我做不了。关于它，我记得：",
    ),
    "statement": ("Got it.", "明白了。"),
    "statement_unlearned": (
        "Got it. Nothing is learned from this chat, so I won’t remember it.",
        "明白了。本次对话不会学习任何内容，所以我不会记住。",
    ),
    "statement_waits": (
        "Got it. Learning is switched off for now: what you said waits until it is on again.",
        "明白了。学习功能暂时关闭：你说的内容会等到重新开启后再学习。",
    ),
    "said": ("Earlier in this chat you said:", "你在本次对话中说过："),
    "request_said": (
        "I can’t do that without a language model. Earlier in this chat you said:",
        "没有语言模型，这件事我做不了。你在本次对话中说过：",
    ),
    "style_not_supported": (
        "Without a language model I can change the language of my answers, but not yet their style or length.",
        "没有语言模型，我只能换回答的语言，语气和长短暂时还换不了。",
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


def fixed_phrase(name: str, language: Language) -> str:
    """A sentence that the offline model says word for word, by its name."""
    english, chinese = FIXED_PHRASES[name]
    return chinese if language == "zh" else english


def source_of(statement: PromptStatement, language: Language) -> str:
    """Where a quoted statement comes from and from when, as far as the prompt says."""
    notes = [_origin_in_words(statement, language)]
    if statement.is_outdated:
        notes.append(fixed_phrase("outdated", language))
    elif statement.confidence < CERTAIN_CONFIDENCE:
        notes.append(fixed_phrase("unsure", language))
    return "，".join(notes) if language == "zh" else ", ".join(notes)


def _origin_in_words(statement: PromptStatement, language: Language) -> str:
    day = _format_day(statement.day, language) if statement.day else ""
    speaker = fixed_phrase("you", language) if statement.speaker == THE_USER else statement.speaker
    if speaker and language == "zh":
        return f"{speaker} {day}说的" if day else f"{speaker} 说的"
    if speaker:
        return f"{speaker} said this on {day}" if day else f"{speaker} said this"
    known = fixed_phrase(_origin_name(statement), language)
    return f"{known}{'，' if language == 'zh' else ', '}{day}" if day else known


def _origin_name(statement: PromptStatement) -> str:
    """Where a statement without a speaker comes from: only what the user told outright needs no note."""
    if statement.kind == "event":
        return "event"
    if NOTE_INFERRED in statement.notes:
        return "analysis"
    if statement.is_outdated:
        return "other"
    return "observation" if statement.confidence < CERTAIN_CONFIDENCE else "confirmed_by_user"


def _format_day(day: date, language: Language) -> str:
    return f"{day.year}年{day.month}月{day.day}日" if language == "zh" else f"{day.day} {day:%b %Y}"
