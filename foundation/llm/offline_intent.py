"""Guesses by patterns what a message wants, for the offline model."""

from __future__ import annotations

import re
from typing import Final, Literal

from foundation.language import is_question, questions_in

Intent = Literal["forget", "question", "request", "statement"]
"""What a message wants: something erased from memory, an answer, a task done, or nothing but to tell the assistant a
fact (a ``statement``: never SQL here).
"""

# "Remember that I am vegan", but not "remember what I told you", which asks.
_TOLD_TO_REMEMBER: Final = re.compile(
    r"\s*(?:please |pls )?(?:remember|note|keep in mind)\b(?! (?:what|when|where|who|how|why)\b)"
    r"|\s*(?:请|帮我)?(?:你)?(?:记住|记下|记一下)",
    re.IGNORECASE,
)
# In Chinese, 忘了 followed by "say", "tell" or "ask" means "I forgot to mention …" and asks for nothing to be erased.
_TOLD_TO_FORGET: Final = re.compile(
    r"\s*(?:no[,.]? |ok(?:ay)?[,.]? )?(?:please |pls )?(?:(?:can|could|would|will) you (?:please )?)?"
    r"(?:forget|erase|delete|(?:do not|don'?t) (?:remember|keep|store|save))\b"
    r"|\s*(?:不[,，。])?(?:请|麻烦|帮我|给我)*(?:你|您)?(?:能不能|可以|能)?(?:把.{0,20})?"
    r"(?:忘掉|忘[了记](?!说|告诉|提|跟|和|问)|删[掉除]|抹掉|(?:别|不要|不用)(?:再)?(?:记|保存))",
    re.IGNORECASE,
)
# A message shaped like a request ("please tell me what …") that asks for memories, so it is a question.
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
# "What did I ask you before?", ending there: "what did I ask about taxes?" names a subject and does not match.
_ANY_QUESTION: Final = re.compile(
    r"\b(?:did|have|had) (?:i|we) (?:\w+ )?ask(?:ed)?(?: you)?"
    r"(?: (?:before|earlier|last time|just now|first|so far|today|yesterday))*\W*$"
    r"|\b(?:was|were|are|is) (?:my|our) (?:\w+ )?questions?\W*$"
    r"|^(?!.*(?:对|关于)).*(?:(?:问|提)(?:过|了)*(?:你|您)?(?:的)?(?:什么|哪些|哪几个)(?:问题)?(?:吗|呢|来着)?"
    r"|我们?(?:之前|刚才|上次|以前|前面|最近)?的问题(?:是什么|有哪些))\W*$",
    re.IGNORECASE,
)


def intent_of(question: str) -> Intent:
    """What the message wants; the first pattern that matches decides."""
    if _TOLD_TO_REMEMBER.match(question) and not is_question(question):
        return "statement"
    if _TOLD_TO_FORGET.match(question):
        return "forget"
    if _REQUEST.match(question) and not _RECALLING.search(question):
        return "request"
    return "question" if questions_in(question) else "statement"


def asks_for_every_question(question: str) -> bool:
    """Whether the user asks for all of their earlier questions ("what did I ask you?"), not those on one subject."""
    return _ANY_QUESTION.search(question) is not None


def asks_for_everything(question: str) -> bool:
    """Whether the user asks for everything that is remembered about them, not for memories of one subject."""
    return _ABOUT_EVERYTHING.search(question) is not None
