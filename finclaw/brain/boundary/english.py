"""Whether an English sentence asks its reader to act, or claims to have acted for them.

The mood decides: an imperative at the start of a clause, or a request ("could you", "I want you to"), whose next verb
is one of execution and has an object. "Explain how to sell", "I sold" and "insiders sell" ask for nothing: another verb
or a subject stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from finclaw.brain.boundary.english_patterns import EnglishPatterns, english_patterns

_LONGEST_ORDER: Final = 300
_ADVERBS: Final = (
    r"(?:(?:please|pls|plz|kindly|now|just|also|immediately"
    r"|simply|then|quickly|finally|first|next|go and|go ahead and) )*+"
)
_DAY: Final = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)?day|week|month|quarter|year|payday|open|close|morning|noon)s?"
)
_LEAD: Final = re.compile(
    r"(?:(?:please|pls|plz|kindly|now|ok|okay|yes|just|then|so|also|first|next|finally|hey|hi|and|but|otherwise|finclaw"
    r"|go(?! (?:long|short|all))|ahead|let'?s|let us|time to|you should(?: now)?|do this"
    r"|order(?=:)|instruction|execute(?=:)"
    rf"|today|tomorrow|tonight|immediately|(?:every|each|on|by|at|this|next|before|after) (?:\w+ ){{0,2}}?{_DAY}"
    r"|automatically|(?:have|tell|ask|email|call|instruct|message|notify|get)"
    r" (?:my|the|our) (?:\w+ )?(?:broker|bank|brokerage|exchange|desk)(?: to)?"
    r"|us(?:e|ing) (?:[^\s,]+ ){1,5}?to)\b[\s,:]*)*+"
)
_REQUEST: Final = re.compile(
    r"\b(?:(?:can|could|will|can't|couldn't|won't) (?:you|u)|would (?:you|u)(?= (?:please|kindly|just|go)\b)"
    r"|why (?:don't|not)(?: you)?|please|pls|plz|help me(?: to)?|go ahead and|let's|make sure (?:you|to)|be sure to"
    r"|remember to|feel free to|i(?:'d| would) (?:like|love|prefer)(?: for)? you to|i'm asking you to"
    r"|i (?:hereby )?(?:want|need|expect|order|instruct|authori[sz]e|allow|ask|permit) you to"
    r"|you have my (?:permission|consent|authori[sz]ation|ok|okay) to"
    r"|(?:possible|fine|ok|okay) for you to|so kind as to|(?:are|aren't) you (?:able|willing) to"
    r"|do me a favou?r(?: and|[,:])"
    r"|if you (?:could|would|can)|us(?:e|ing) (?:[^\s,]+ ){1,5}?to) " + _ADVERBS
)
_URGED: Final = re.compile(  # "can you buy …" may be a general question; these address the reader only
    r"\b(?:(?:can|could|will|would) (?:you|u) (?:please|kindly)|(?<!don't )(?<!do not )please|pls|plz|help me(?: to)?"
    r"|i (?:want|need|order|instruct) you to|i(?:'d| would) like you to) " + _ADVERBS
)
_REQUEST_DONE: Final = re.compile(r"\b(?:appreciate|grateful|great|nice|love)\b[^.?!]{0,20} if you ")
_REQUEST_DOING: Final = re.compile(r"(?:\b(?:would|do) (?:you|u) mind|^\W*mind) ")
_CONDITION: Final = re.compile(
    r"(?:if|when|whenever|once|after|as soon as|in case|should|until|before|unless)\b[^,]*,\s*(?:then )?"
)
_UP_TO_FIGURE: Final = re.compile(r"(?:if|when|whenever|once)\b[^,]*? \d[\d,.]*[k%]? (?=\w)")
_QUESTION: Final = re.compile(r"\?\W{0,20}$")
_BREAK: Final = re.compile(
    r"(?:(?<!\s)\s++)?(?:[,;—]|:(?=\s)|(?<=\s)-++\s)\s*(?:(?:and|then|but|so)\b\s*)*+"
    r"|\s(?:and|then) (?:then )?(?:(?:if so|(?:if|once) (?:it|that|this) \w+),?\s+)?"
)
_WEAK_BREAK: Final = re.compile(r"(?:(?<!\s)\s++)?:|\s(?:and|then)\b")
_SUBORDINATED: Final = re.compile(r"\b(?:whether|how|why|what|which|who|if (?!it|that|this))\b")
_FINISHED: Final = re.compile(  # an indirect question that no base form continues: "whether it is ok | and sell"
    r"\b(?:whether|how|why|what|which|who|if)\b"
    r"(?!.*\b(?:i|we|you|they|people|to|should|could|would|can|may|might|must|will|do|does|did|when|where|because)\b)"
    r".*\b(?:is|are|was|were|has|had|isn't|aren't|wasn't|fell|beat|rose|went|came|held|broke|\w{2,}ed"
    r"|(?:the|my|its|this|that) (?:\w+ )?\w{2,}[^s\W]s|it \w{2,}s)\b"
)
_OF_ONES_OWN: Final = re.compile(r"[^,;]{0,24}?\b(?:my|it|them|all|half)\b|[^,;]{0,32}?(?:\d|\$[a-z])")
_OPENING: Final = " \t\"'“”‘’*->•·.,;:!()[]"


def asks_or_claims(sentence: str) -> bool:
    """Whether a folded sentence asks to act or claims to have acted. Linear in its length."""
    shapes = english_patterns()
    if any(claim.search(sentence) for claim in shapes.claims) or _has_request(sentence, shapes):
        return True
    return _QUESTION.search(sentence) is None and any(map(shapes.act.match, _clauses(sentence, shapes)))


def _has_request(sentence: str, shapes: EnglishPatterns) -> bool:
    asked = (shapes.act.match(sentence, found.end()) for found in _REQUEST.finditer(sentence))
    minded = (shapes.doing.match(sentence, found.end()) for found in _REQUEST_DOING.finditer(sentence))
    urged = (shapes.trade.match(sentence, found.end()) for found in _URGED.finditer(sentence))
    wished = (shapes.done.match(sentence, found.end()) for found in _REQUEST_DONE.finditer(sentence))
    return any(asked) or any(urged) or any(minded) or any(wished) or shapes.wanted_done.search(sentence) is not None


def _clauses(sentence: str, shapes: EnglishPatterns) -> Iterator[str]:
    """Where an order may begin: the sentence, behind its condition, behind a comma; behind "and" or a colon only in a
    sentence that already gives instructions. Nothing after a supposition, a calculation or an indirect question.
    """
    first = _strip_to_verb(sentence)
    yield first[:_LONGEST_ORDER]
    if shapes.supposes.match(first):
        return
    if figure := _UP_TO_FIGURE.match(first):
        yield first[figure.end() :][:_LONGEST_ORDER]
    condition = _CONDITION.match(first)
    instructs = condition is not None
    start = 0
    for mark in _BREAK.finditer(sentence):
        before, start = sentence[start : mark.start()], mark.end()
        instructs = instructs or shapes.instructs.match(_strip_to_verb(before)) is not None
        clause = _strip_to_verb(sentence[start : start + _LONGEST_ORDER])
        if condition is None and _SUBORDINATED.search(before) and not _continues_question(before, clause):
            return
        if instructs or _WEAK_BREAK.match(mark.group()) is None:
            yield clause


def _continues_question(question: str, clause: str) -> bool:
    """Whether the text behind an indirect question cannot belong to it and names an object to act upon."""
    return _OF_ONES_OWN.match(clause) is not None and _FINISHED.search(question[-_LONGEST_ORDER:]) is not None


def _strip_to_verb(clause: str) -> str:
    """A clause without what may precede its imperative."""
    opened = clause.lstrip(_OPENING)
    lead = _LEAD.match(opened)
    return opened[lead.end() :] if lead else opened
