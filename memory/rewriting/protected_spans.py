"""Spans of a text that only look relative and are never rewritten: titles, fixed expressions, technical terms."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

_QUOTED: Final = r"《[^》]{0,200}》|〈[^〉]{0,200}〉|「[^」]{0,200}」|『[^』]{0,200}』|“[^”]{0,200}”|\"[^\"]{0,200}\""
_SPOKEN = re.compile(
    r"(?:[说道问答喊写讲]|表示|[:：]|\b(?:said|says|say|told \w+|asked|wrote|replied|answered|"
    r"goes))[:：,，]?\s*$",
    re.IGNORECASE,
)
LOOK_BACK: Final = 100
"""Characters. What stands farther away does not decide how a word is meant; keeps long texts linear."""
_ANY_QUOTE = re.compile(_QUOTED)
_FIXED = re.compile(
    # Chinese
    r"其[他它她]|自我|忘我|[小大本超]我|我行我素|唯我|无我|你追我赶|尔虞我诈|吉他|[利排维无]他|"
    r"他[人国乡日律汀]|[你您]好(?![像像似吗])"
    r"|最近邻|最近点|最近(?:距离|路径)|(?:距离?|离|隔)[^,，。]{0,8}最近|最近的(?=地铁|车站|火车|机场|"
    r"超市|医院|银行|酒店|餐厅|药店|商店|门店|公园|一?家|出口)"
    r"|本地(?=化|部署|服务器?|文件|模型|环境|变量|存储|数据库?|缓存|网络|运行|磁盘|硬盘|主机|仓库|"
    r"测试|开发)"
    r"|今日头条|今日说法|明日方舟|[昨明]日黄花|后天(?=性|免疫|培养|形成|努力|因素|习得)|(?<=天)下周|上周(?=围|边|密|详|期|易|杰伦|星驰|润发)|刚刚好|(?<=以)后天天"
    # English
    r"|\btoday's (?=world|society|economy|youth|age\b|standards|technology)|\b(?:USA|Psychology) Today\b|"
    r"\b(?:the )?here and now\b"
    r"|\bhere and there\b|\blater on in life\b|\b(?:years?|months?|weeks?|days?|hours?|"
    r"minutes?) later\b|\bsooner or later\b|\b(?:as|how|no|too|so) soon(?:er)?\b|\bno later than\b"
    r"|\blater(?= (?:than|stages?|versions?|generations?)\b)|\blast[- ]minute\b"
    r"|\b(?:times|hours|minutes|days|weeks|months|meals) in an? (?:day|week|month|year)\b|\bi\.e\."
    r"|\bthere(?='s| (?:is|are|was|were|will|has|have|had|may|might|can|could|seems?|appears?|"
    r"exists?)\b)|\b(?:is|are|was|were) there\b"
    r"|\b(?:gold|coal|copper|silver|salt|data|diamond|land|the|a|this) mines?\b|\bmine(?= (?:shaft|"
    r"worker|field|clearance))",
    re.IGNORECASE,
)
_FIXED_CASE = re.compile(
    r"\b(?:U\.S\.|US|IT)\b"
    r"|\b(?:War|Type|Phase|Part|Chapter|Volume|Level|Series|Class|Article|Title|Section|Tier|Act|"
    r"Schedule|Form|Grade|Stage|Group|"
    r"Elizabeth|Charles|Napoleon|Henry|William|James) I\b(?![’'])"
)
_EXPLETIVE = re.compile(
    r"\bit(?:'s| is| was| will be| has been| isn't| wasn't)? (?=(?:rain|snow|hail|freez|drizzl|likely|"
    r"unlikely|possible|impossible|"
    r"important|clear that|worth|time to|too late|sunny|cold|hot|warm|windy|cloudy|noon|midnight)\w*)",
    re.IGNORECASE,
)


_IT = re.compile(r"\b(?:it|its|itself)\b")
_NAMED_BEFORE = re.compile(r"\b(?:an?|the|\w+['’]s)\s+[a-z][\w-]+[^.!?\n]*$")
"""A thing named earlier in the sentence: the "it" that follows reads alone."""


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Everything in quotation or title marks: somebody's exact words, never rewritten."""
    return [match.span() for match in _ANY_QUOTE.finditer(text)]


def without_quotations(text: str) -> str:
    """The text's own words alone."""
    return _ANY_QUOTE.sub("", text)


def harmless_spans(text: str) -> list[tuple[int, int]]:
    """What no gate objects to: titles, quoted names and fixed expressions. Quoted speech is not harmless."""
    titles = [match.span() for match in _ANY_QUOTE.finditer(text) if not preceded_by(_SPOKEN, text, match.start())]
    return merged(titles + fixed_spans(text))


def fixed_spans(text: str) -> list[tuple[int, int]]:
    """Words that hold a pronoun or a time word without being one: 其他, 自我, "World War I", "there is"."""
    fixed = [match.span() for pattern in (_FIXED, _FIXED_CASE, _EXPLETIVE) for match in pattern.finditer(text)]
    return fixed + [match.span() for match in _IT.finditer(text) if preceded_by(_NAMED_BEFORE, text, match.start())]


def preceded_by(pattern: re.Pattern[str], text: str, position: int) -> bool:
    """Whether ``pattern``, which ends in ``$``, matches what stands just before ``position``."""
    return pattern.search(text, max(0, position - LOOK_BACK), position) is not None


def merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same ground, sorted and without overlaps."""
    result: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if result and start < result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def overlaps(start: int, end: int, spans: list[tuple[int, int]]) -> bool:
    """Whether ``[start, end)`` touches one of the ``merged`` spans."""
    following = bisect_left(spans, (end,))
    return following > 0 and spans[following - 1][1] > start
