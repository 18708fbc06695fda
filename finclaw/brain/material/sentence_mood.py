"""The mood of a sentence: question, request or condition; Chinese and English."""

from __future__ import annotations

import re

_MARKED = re.compile(r"[?？]\W{0,40}$")
_ASKED_EN = re.compile(  # without a question mark: an auxiliary before its subject; a comma makes it a condition
    r"^(?!what (?:would|will|could|might) \w+ (?:my|our|the) \w+ "
    r"(?:is|are)\b)(?:(?:what|why|how(?: \w+)?|which|who|when|where) "
    r"(?:is|are|was|does|do|did|has|have|will|would|can|could"
    r"|should|might)|is|are|was|were|does|do|did|has|have|will|would|can|could|should)\b[^,]*$"
    r"|^(?:what|why|how|which|who|when|where)\b[^.。]*$",
    re.IGNORECASE,
)
_ASKED_ZH = re.compile(
    r"(?:吗|呢|(?<![那这多要怎什])么)\W*$|(?:需要?|有待|待)先?(?:确认|核实)"
    r"|(?<![^。])(?=[^。]*+$)[^。]*?"
    r"(?:什么|为何|如何|怎么|怎样|何时|多少|哪些|哪个|哪里|几时|是否|能否|会不会|是不是|有没有|能不能)"
)
_NOT_ASKED_ZH = re.compile(r"(?:无论|不管|不论|取决于|没有?)[^,，;；]{0,8}(?:什么|如何|怎么|怎样|多少|是否|哪)|什么都")
_REQUEST = re.compile(
    r"^(?:please|analy[sz]e|assess|(?:take a )?look (?:at|into)|audit|give me|tell me|help me|refresh|challenge"
    r"|summari[sz]e"
    r"|evaluate|write|explain|check|read|map|(?:run|do|make|prepare|create|get)(?: me)? an?|(?:research|review)"
    r"(?! (?:and|of|by|from|in|on|firms?|reports?|notes?|shows?|showed|found|suggests?|spending|costs?)\b))\b(?!-)"
    r"|^(?:请|帮我|帮忙|麻烦你?|给我|看看|(?:做|来|跑)一?[份个次]|(?:挑战|质疑|核实)一下"
    r"|(?:分析|研究|检查|审计|梳理|总结|评估|更新)"
    r"(?!师|员|院|所|机构|报告|显示|发现|表明|认为|指出|结果|意见|后|值|中|人))"
    r"|[,，;；]\s*(?:先|再|也)?(?:请|帮我|帮忙|麻烦)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?<!even )(?<!as )(?<!what )\bif\b(?! (?:any|anything|not)\b)"
    r"(?! (?:you|we|one) (?:include|exclude|count|adjust|strip)\b)"
    r"|\b(?:unless|as long as|provided that|in case|until (?!now|then|recently|lately|(?:\w+ )?(?:19|20)\d\d))\b"
    r"|(?<!at )\bonce (?:the|it|they|this|that|its|their|a|an)\b"
    r"|^should [^,?]{3,80},|^when \w[^,?]{3,80}, (?:the|i|we)\b"
    r"|\bwhat (?:would|will|could|might) (?:change|end|break|prove)\b"
    r"|^first,? (?:i|we) (?:\w+ )?(?:need|have|want) to\b"
    r"|\b(?:must|need to|needs to|have to) (?:first )?(?:be )?(?:check|confirm|verif|settl|clear|know)\w*"
    r"|\bonly (?:if|when|works)\b"
    r"|\bbefore (?:i|we) (?:\w+ )?(?:buy|sell|act|decide|commit|invest)\b"
    r"|只有(?!\s*\d)|前提是|(?:^|[，,。；;])(?:我)?(?:要|须|必须|应当?)?先(?:要)?(?:确认|核实|弄清|看清|等)"
    r"|会改变我?的?(?:看法|判断|观点)"
    r"|如果|假如|假使|万一|(?<!倘)若(?!干)|一旦|除非|只要|倘若|(?<![主重需只])要是",
    re.IGNORECASE,
)
_PRECONDITION = re.compile(
    r"\bonly (?:if|when|works)\b|^first\b|\b(?:must|need to|needs to|have to)\b|\b(?:wait|hold off|not act)\b"
    r"|\bprovided that\b|\bbefore (?:i|we)\b"
    r"|只有|前提|先(?:要)?(?:确认|核实|弄清|看清|等)|才(?:能|会|考虑|可以)",
    re.IGNORECASE,
)


def is_question(sentence: str) -> bool:
    """Whether a sentence is a question, with or without a question mark."""
    if _MARKED.search(sentence) or _ASKED_EN.search(sentence):
        return True
    return _ASKED_ZH.search(sentence) is not None and _NOT_ASKED_ZH.search(sentence) is None


def is_request(sentence: str) -> bool:
    """Whether a sentence asks for work to be done."""
    return _REQUEST.search(sentence) is not None


def opens_with_request(sentence: str) -> bool:
    """Whether a sentence begins with a request: then what follows its colon is material."""
    return _REQUEST.match(sentence) is not None


def condition_in(sentence: str) -> re.Match[str] | None:
    """The match of a condition in the sentence, None without one."""
    return _CONDITION.search(sentence)


def is_precondition(sentence: str) -> bool:
    """Whether a condition must be met before acting, rather than end what was thought."""
    return condition_in(sentence) is not None and _PRECONDITION.search(sentence) is not None
