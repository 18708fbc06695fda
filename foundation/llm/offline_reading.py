"""What the offline model understands of a message: its language, and what it wants, by its surface."""

from __future__ import annotations

import re
from typing import Final, Literal

from foundation.text import cjk_share

Language = Literal["en", "zh"]
Intent = Literal["greeting", "thanks", "question", "request", "statement"]

_GREETING: Final = re.compile(
    r"\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings"
    r"|你好|您好|嗨|哈[喽啰罗]|早上好|早安|下午好|晚上好|早)"
    r"(?:[ ,，]*(?:there|all|finclaw|呀|啊))?\W*",
    re.IGNORECASE,
)
_THANKS: Final = re.compile(
    r"\W*(?:(?:many )?thanks|thank you|thx|谢谢|多谢|感谢)"
    r"(?:[ ,，]*(?:a lot|so much|very much|finclaw|你|您|啦|了))?\W*",
    re.IGNORECASE,
)
_TOLD_TO_REMEMBER: Final = re.compile(
    r"\s*(?:please |pls )?(?:remember|note|keep in mind)\b(?! (?:what|when|where|who|how|why)\b)"
    r"|\s*(?:请|帮我)?(?:你)?(?:记住|记下|记一下)",
    re.IGNORECASE,
)
_QUESTION: Final = re.compile(
    r"[?？]\s*$"
    r"|^\s*(?:so |and |but |ok(?:ay)?,? )?"
    r"(?:what|who|whom|whose|where|when|which|why|how|do|does|did|is|are|was|were"
    r"|am|have|has|had|should|shall|will|would|tell me|remind me)\b"
    r"|什么|谁|哪[里儿个些种天年只]|怎么|怎样|多少|为何|是否|是不是|有没有|[吗呢]\s*[。！!]?\s*$|告诉我|提醒我",
    re.IGNORECASE,
)
# Stricter than ``_QUESTION``: "When I lived in Berlin I bought gold" tells something.
_ASKED: Final = re.compile(
    r"[?？]\s*$"
    r"|^\s*(?:so |and |but )?(?:(?:what|who|whom|whose|where|when|which|why|how)(?:'s| \w+){0,3}? )?"
    r"(?:do|does|did|is|are|was|were|am|can|could|should|shall|will|would|have|has|had)"
    r" (?:i|you|we|he|she|they|it|my|your|the|this|that|there)\b"
    r"|^\s*(?:please )?(?:tell|remind|show) me\b"
    r"|(?<![没无])什么(?![都也])|谁(?![都也])|哪[里儿个些种天年只]|怎么|怎样|多少|为何|是否|是不是|有没有|[吗呢]\s*[。！!]?\s*$",
    re.IGNORECASE,
)
_RECALLING: Final = re.compile(
    r"\b(?:remember|recall|remind|know about me|tell me what)\b|记得|记住|提醒我|告诉我", re.IGNORECASE
)
_REQUEST: Final = re.compile(
    r"\s*(?:please\b|pls\b|(?:can|could|would|will) you\b|help me\b|let'?s\b"
    r"|(?:write|draft|recommend|suggest|analy[sz]e|summari[sz]e|calculate|compute|translate|explain|compare"
    r"|plan|list|show|make|create|give|find|search)\b"
    r"|请|麻烦|帮[我忙]|给我|替我|能不能|可以帮|推荐|建议|写|分析|总结|计算|翻译|解释|比较|列出)",
    re.IGNORECASE,
)
_ABOUT_EVERYTHING: Final = re.compile(
    r"\b(?:remember|know)\b.*\b(?:about me|of me)\b|\bwhat (?:do|can) you remember\b|\bwho am i\b"
    r"|(?:记得|知道|了解)(?:关于)?我(?:的)?(?:什么|哪些|多少)|你(?:都)?记得(?:些)?什么|我是谁",
    re.IGNORECASE,
)


def language_of(question: str, preference: str | None) -> Language:
    """The language to answer in: the question's, the user's preference where it mixes or shows none."""
    share = cjk_share(question)
    if share >= 0.5:
        return "zh"
    if share == 0 and re.search(r"[A-Za-z]{2}.*[a-z]|\b(?:hi|hey)\b", question):
        return "en"
    if preference in ("en", "zh"):
        return "zh" if preference == "zh" else "en"
    return "zh" if share >= 0.25 else "en"


def intent_of(question: str) -> Intent:
    """What the message wants: to greet, to thank, to recall something, to have something done, or to tell."""
    if _GREETING.fullmatch(question):
        return "greeting"
    if _THANKS.fullmatch(question):
        return "thanks"
    if _TOLD_TO_REMEMBER.match(question) and not question.rstrip().endswith(("?", "？", "吗")):
        return "statement"
    if _REQUEST.match(question) and not _RECALLING.search(question):
        return "request"
    return "question" if _QUESTION.search(question) else "statement"


def is_asked(sentence: str) -> bool:
    """Whether a sentence said earlier asked for something, and so told nothing."""
    return _ASKED.search(sentence) is not None


def asks_for_everything(question: str) -> bool:
    """Whether the question is what is remembered at all, rather than about a subject."""
    return _ABOUT_EVERYTHING.search(question) is not None
