"""Whether a Chinese sentence asks its reader to act, or claims to have acted for them.

Read clause by clause in simplified characters. A request (帮我, 请, 授权你) asks for the first verb behind it:
to act, or to look into something. Without a request, a clause is an order where it begins with the verb,
or with 把 and an object, and names nobody else.
"""

from __future__ import annotations

import re
from typing import Final

from finclaw.brain.boundary.chinese_patterns import AMOUNT, ChinesePatterns, chinese_patterns
from foundation.language.script import CJK_RANGES
from foundation.lexicon import read_lexicon
from foundation.sanitization.rules import holds_any

_WORDS: Final = read_lexicon(__file__, "requests")

_CHINESE: Final = re.compile(rf"[{CJK_RANGES}]")
_STATEMENT_ABOUT: Final = _WORDS.of("zh").pattern("said_of")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_LONGEST_REACH: Final = 60  # characters behind a request, or of an order, in which the verb of acting may stand
_READ_BACK: Final = 12  # characters before a request in which it may be denied
_DENIAL_BEHIND: Final = _WORDS.of("zh").pattern("denies")
_DENIAL_BEFORE: Final = _WORDS.of("zh").pattern("denied")
_TELLING_BEFORE: Final = _WORDS.of("zh").pattern("told")
_REQUEST: Final = _WORDS.of("zh").pattern("request")
_REQUEST_SIGN: Final = _WORDS.of("zh").pattern("request_sign")
_CLAIM_SIGNS: Final = _WORDS.of("zh").words("claim_signs")
_COUNTS_SOMETHING: Final = _WORDS.of("zh").pattern("counted")
_CLAUSE: Final = re.compile(r"[,;:。!?…—]")
# Clauses in which orders are looked for: a comma before an amount divides none (买入,一百股).
_ORDER_CLAUSE: Final = re.compile(rf"[;:。!—]|,(?!\s*{AMOUNT})")
_URGENT: Final = _WORDS.of("zh").pattern("urgent")
_QUESTION: Final = _WORDS.of("zh").pattern("question")
_TELLS_OF_ONESELF: Final = _WORDS.of("zh").pattern("tells")
_SUPPOSES: Final = _WORDS.of("zh").pattern("supposes")
_CONDITION: Final = _WORDS.of("zh").pattern("condition")
_PREFIX: Final = _WORDS.of("zh").pattern("prefix")


def asks_or_claims(sentence: str) -> bool:
    """Whether a folded sentence asks to act or claims to have acted. Linear in its length."""
    if not _CHINESE.search(sentence):
        return False
    patterns, sentence = chinese_patterns(), _THOUSANDS.sub("", sentence)
    if holds_any(sentence, _CLAIM_SIGNS) and patterns.claims.search(sentence):
        return True
    if not any(sign.search(sentence) for sign in patterns.signs):
        return False
    if _REQUEST_SIGN.search(sentence) and any(_has_request(clause, patterns) for clause in _CLAUSE.split(sentence)):
        return True
    return _has_order(sentence, patterns)


def _has_request(clause: str, patterns: ChinesePatterns) -> bool:
    """Whether one of the clause's requests governs a verb of acting, and is neither past nor somebody else's."""
    governing = None
    for request in _REQUEST.finditer(clause):
        if governing is None or governing.start() < request.end():
            governing = patterns.verb.search(clause, request.end())
        if governing is None:
            return False
        if _is_governed(request, governing) and governing["research"] is None and not _is_no_request(clause, request):
            return True
    return False


def _is_governed(request: re.Match[str], governing: re.Match[str]) -> bool:
    """Whether the verb is near enough behind the request to be what is requested."""
    return governing.start() - request.end() <= _LONGEST_REACH


def _is_no_request(clause: str, request: re.Match[str]) -> bool:
    """Whether the request is denied, before or behind it, or tells what somebody did for the user."""
    if _DENIAL_BEHIND.match(clause, request.end()):
        return True
    before = clause[max(0, request.start() - _READ_BACK) : request.start()]
    is_of_the_reader = request.group()[-1] in "您你"
    return _DENIAL_BEFORE.search(before) is not None or (
        not is_of_the_reader and _TELLING_BEFORE.search(before) is not None
    )


def _has_order(sentence: str, patterns: ChinesePatterns) -> bool:
    """Whether a clause without a request is an order. Clauses behind one that tells what the user did or plans are
    not read: they go on telling.
    """
    if _QUESTION.search(sentence) or _SUPPOSES.search(sentence):
        return False
    clauses = list(map(str.strip, _ORDER_CLAUSE.split(sentence)))
    for place, clause in enumerate(clauses):
        if _TELLS_OF_ONESELF.search(clause):
            return False
        if _is_order(clause, patterns, sentence, clauses[:place]) and not _asks_for_research(clause, patterns):
            return True
    return any(pattern.match(sentence) for pattern in (patterns.alone, patterns.sized))


def _asks_for_research(clause: str, patterns: ChinesePatterns) -> bool:
    request = _REQUEST.search(clause)
    return request is not None and _asks_to_look_into(clause[request.end() : request.end() + _LONGEST_REACH], patterns)


def _is_order(clause: str, patterns: ChinesePatterns, sentence: str, before: list[str]) -> bool:
    """Whether a clause begins with an order, ignoring particles before it; ``before`` are the clauses before it."""
    condition = _CONDITION.match(clause)
    begun = clause[condition.end() if condition else 0 :]
    prefix = _PREFIX.match(begun)
    order = begun[prefix.end() if prefix else 0 :][:_LONGEST_REACH]
    if not _may_be_order(order, patterns) or (condition and _asks_to_look_into(condition.group(), patterns)):
        return False
    if condition and patterns.conditional.match(order):
        return True
    if _URGENT.search(clause) and patterns.trade.match(order) and not _STATEMENT_ABOUT.search(order):
        return True
    # A bare verb is an order only behind other words, or with an exclamation mark.
    if patterns.alone.match(order) and (
        order != clause or sentence.endswith("!") or any(map(_PREFIX.fullmatch, before))
    ):
        return True
    return patterns.order.match(order) is not None or patterns.topic.match(order) is not None


def _may_be_order(order: str, patterns: ChinesePatterns) -> bool:
    """Whether a clause begins or ends like an order, or counts something: a cheap test that most clauses fail."""
    return order[:1] in patterns.first_characters or order.endswith("吧") or _COUNTS_SOMETHING.match(order) is not None


def _asks_to_look_into(text: str, patterns: ChinesePatterns) -> bool:
    governing = patterns.verb.search(text)
    return governing is not None and governing["research"] is not None
