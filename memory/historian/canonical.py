"""One event as one absolute text: when, who, what."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from memory.grammar import is_common_verb, is_past_tense
from memory.historian.persons import spaced
from memory.historian.phrases import chinese_date, english_date
from memory.historian.types import Draft, Language

_VERBS_ZH: Final = re.compile(
    r"(?:已经?|正在|将|没有?|不再?|也|还|更|很|最|只|都|曾|新)*(?:喜欢|偏好|讨厌|关注|住|在|有|持有|"
    r"买|卖|想|要|计划|打算|希望|需要|认为|觉得|是|对|会|来自|"
    r"搬|换|开始|学|吃|喝|去|回|答|解释|推荐|告诉|提醒|记|查|分析|总结|介绍|帮|为|给|向|与|和|建议|"
    r"讨论|发|写|翻译|完成|更新|比较|计算|列|安慰|确认|询问|说|提)"
)
_ENDS: Final = "。！？.!?…"


def compose(did_what: str, new_info: str, draft: Draft, day: date, language: Language) -> str:
    """``8 May 2023: FinClaw answered … . Alice likes …`` or its Chinese form; "" without any text."""
    sentence = _chinese if language == "zh" else _english
    names = (draft.sender_name, draft.assistant_name)
    parts = [
        sentence(text.strip(), who, names)
        for text, who in ((did_what, draft.assistant_name), (new_info, draft.sender_name))
        if text.strip()
    ]
    if not parts:
        return ""
    if language == "zh":
        return f"{chinese_date(day)}：{''.join(parts)}"
    return f"{english_date(day)}: {' '.join(parts)}"


def _english(text: str, who: str, names: tuple[str, str]) -> str:
    """The text with a subject: its own, ``who`` before a bare verb, else ``who`` as the source."""
    first = re.match(r"[A-Za-z]+", text)
    if text.startswith(names):
        return ended(text, ".")
    if first and _lacks_subject(first.group()):
        return ended(f"{who} {text[:1].lower()}{text[1:]}", ".")
    return ended(text if who and who in text else f"{who}: {text}", ".")


def _lacks_subject(word: str) -> bool:
    """A verb in the past or the third person: "answered", "prefers". A bare one is an order to somebody."""
    lower = word.lower()
    stems = {lower.removesuffix("s"), lower.removesuffix("es")} - {lower}
    return is_past_tense(lower) or any(is_common_verb(stem) for stem in stems)


def _chinese(text: str, who: str, names: tuple[str, str]) -> str:
    if text.startswith(names) or (who and who in text):
        return ended(text, "。")
    return ended(f"{spaced(who, after=text)}{text}" if _VERBS_ZH.match(text) else f"{who}：{text}", "。")


def ended(text: str, mark: str) -> str:
    """The text with an end mark: its own, or ``mark``."""
    return text if text.endswith(tuple(_ENDS)) else text + mark
