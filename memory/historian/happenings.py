"""Whether a sentence tells what its speaker did, what became of them, or what they are going to do."""

# ruff: noqa: E501, SIM905 - a pattern and what it means are read on one line, and a list of words as text

from __future__ import annotations

import re
from typing import Final

from memory.evolution.clauses import is_chinese
from memory.grammar import is_past_tense

_FEELING: Final = frozenset(
    (
        "felt feel thought knew was were had wanted hoped found said meant guessed realized "
        "realised understood agreed believed wished loved liked enjoyed did got has is read noticed asked"
    ).split()
)
_LEAD_EN: Final = re.compile(
    r"\A(?:(?:today|yesterday|last|this|on|in|at|two|three|a|the|earlier|recently|just|after|during|over|one|when)\b[^,.!?;]{0,40},?\s)?I\s+(?:(?:just|also|finally|recently|already|even|then|really|actually|once|never|have|had|'ve)\s+)*(?P<verb>[a-z']+)(?P<rest>[^.!?\n]*)",
    re.IGNORECASE,
)
_HAPPENED_EN: Final = frozenset(
    ("been gone done seen met bought sold started finished taken made moved visited").split()
)
_EVENT_AFTER: Final = re.compile(
    r"\s+(?:promoted|born|laid|fired|hired|married|divorced|diagnosed|accepted|rejected|invited|elected|admitted|offered|transferred|a (?:baby|meeting|fight|party|interview|chance|great time|call)|an (?:accident|interview|argument|exam|operation)|into\b|in [A-Z]|at the|to [a-z]+)"
)
_PLANNED_EN: Final = re.compile(
    r"\bI(?:'m| am) (?:going to|planning|about to|moving|starting|leaving|flying|travell?ing|getting)\b|\bI(?:'ll| will| have decided| decided| plan| signed up)\b",
    re.IGNORECASE,
)
_HAPPENED_ZH: Final = re.compile(
    r"(?:我|今天|昨天|前天|昨晚|今早|早上|上午|中午|下午|晚上|上周|上个?月|周末|去年|前几天|最近|刚|和|跟|跟着|同)[^,，。！？!?]{0,20}?(?:(?<![好坏为除])了(?!解|不)|过(?!得|度|程|于|来|年|节))"
)
_FEELING_ZH: Final = re.compile(
    r"觉得|感觉|感到|认为|以为|希望|想要|明白了|知道了|懂了|好了$|太[^,，。]{1,6}了|变得|受益|够了|累了|忘了|谢谢|感谢|放心"
)
_PLANNED_ZH: Final = re.compile(
    r"(?:我|明天|后天|下周|下个?月|明年|周末|打算|计划|决定|准备)[^,，。！？!?]{0,12}?(?:打算|计划|准备|决定|要去|会去|报名)"
)
_PROMISED: Final = re.compile(
    r"\bI(?:['’]ll| will| shall)\b|\A[^,，。！？]{0,8}我(?:也|就|还|先|再)*(?:会|将|来|去|先)(?!不会)(?!自|源)",
    re.IGNORECASE,
)
_RECENT: Final = re.compile(r"\bI(?:['’]ve| have| had)? (?:just|finally|recently)\b|刚刚?|终于|最近", re.IGNORECASE)
_NAME: Final = re.compile(
    r"(?<=[\w,;)’] )(?!I\b)[A-Z][\w&’'-]+|[\"“《「]|\d|(?<=[\u4e00-\u9fff])[A-Za-z]{2,}"
    r"|(?:搬到|搬去|去了?|到了?|回了?|来自|飞到|飞往)(?!一|两|几|个|了|这|那|家|外|公园|学校|医院|公司|单位|商场|超市|餐厅|饭店|健身房|图书馆|电影院|海边|山|朋友|同事|同学|老家|看|吃|买|玩|参加)(?=[\u4e00-\u9fff]{2})"
)
"""A name, a title, a figure; in Chinese, which has no capitals, somewhere that is gone to."""


_DROPPED_CHINESE: Final = re.compile(
    r"\A(?:今天|昨天|前天|昨晚|今早|早上|上午|中午|下午|晚上|上周|上个?月|周末|去年|前几天|最近|刚刚?)*+(?:又|也|还|就|已经)?"
    r"(?:称|量|买|卖|去|吃|看|做|学|跑|搬|回|参加|见|读|逛|爬|写|画|养|换|租|签|考)[^,，。我你他她它们]{0,6}[了过]"
)
_GENERIC: Final = (
    r"(?:own|friends?|life|mind|heart|time|best|way|head|thoughts?|experiences?|feelings?|day|hands?|self|things?|"
    r"favou?rites?|skills?|everything|problems?|mistakes?|efforts?|goals?|dreams?|journey|passion)"
)
_POSSESSED: Final = re.compile(rf"\b[Mm]y (?!{_GENERIC}\b)[a-z]{{3,}}")
"""Something or somebody of the speaker's: "my fatty liver", "my sister"."""


def with_dropped_subject(text: str) -> str:
    """A Chinese sentence with the 我 that it leaves out before its verb; any other as it is."""
    return f"我{text}" if _DROPPED_CHINESE.match(text) and "我" not in text else text


def is_past(text: str) -> bool:
    """Whether the first verb of an English sentence about its speaker is in the past."""
    match = _LEAD_EN.match(text)
    if match is None:
        return False
    verb = match["verb"].lower()
    return verb in ("was", "had") or (is_past_tense(verb) and verb not in ("has", "set", "put", "let", "read", "used"))


def is_promised(text: str) -> bool:
    """Whether a sentence says "I will": of what is done at once, or never, unless it says when."""
    return _PROMISED.search(text) is not None


def is_anchored(text: str) -> bool:
    """Whether a happening can be told from others of its kind: it has just come to pass, names something, gives a
    figure or is about something of the speaker's. (Its time is read by the grammar of time.)
    """
    return any(pattern.search(text) for pattern in (_RECENT, _NAME, _POSSESSED))


def happened(text: str) -> bool:
    """Whether a sentence tells what its speaker did or what became of them: "I sold BYD yesterday", "我昨天卖了比亚迪"."""
    if is_chinese(text):
        return _HAPPENED_ZH.search(text) is not None and _FEELING_ZH.search(_first_clause(text)) is None
    match = _LEAD_EN.match(text)
    if match is None:
        return False
    verb = match["verb"].lower()
    if verb in ("was", "got", "had"):
        return _EVENT_AFTER.match(match["rest"]) is not None
    return (is_past_tense(verb) and verb not in _FEELING) or verb in _HAPPENED_EN


def _first_clause(text: str) -> str:
    return text[: min((at for at in (text.find(mark) for mark in ",，") if at > 0), default=len(text))]


def is_life_event(text: str) -> bool:
    """Whether a sentence tells of something that happens once in a life: "I got promoted", "I was born in Leeds"."""
    match = _LEAD_EN.match(text)
    return (
        match is not None and match["verb"].lower() in ("was", "got") and _EVENT_AFTER.match(match["rest"]) is not None
    )


def is_planned(text: str) -> bool:
    """Whether a sentence tells what its speaker is going to do or has decided."""
    return (_PLANNED_ZH if is_chinese(text) else _PLANNED_EN).search(text) is not None
