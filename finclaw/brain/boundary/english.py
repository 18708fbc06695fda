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
from foundation.lexicon import read_lexicon
from foundation.sanitization.rules import holds_any

_WORDS: Final = read_lexicon(__file__, "requests")

_LONGEST_ORDER: Final = 300  # characters of a clause that are read
_LEAD: Final = _WORDS.of("en").pattern("lead")
_REQUEST: Final = _WORDS.of("en").pattern("request")
_URGED: Final = _WORDS.of("en").pattern("urged")
_REQUEST_DONE: Final = _WORDS.of("en").pattern("request_done")
_REQUEST_DOING: Final = _WORDS.of("en").pattern("request_doing")
_CONDITION: Final = _WORDS.of("en").pattern("condition")
_UP_TO_FIGURE: Final = _WORDS.of("en").pattern("up_to_figure")
_QUESTION: Final = re.compile(r"\?\W{0,20}$")
_BREAK: Final = _WORDS.of("en").pattern("break")
_WEAK_BREAK: Final = _WORDS.of("en").pattern("weak_break")
_SUBORDINATED: Final = _WORDS.of("en").pattern("subordinated")
_FINISHED: Final = _WORDS.of("en").pattern("finished")
_OF_ONES_OWN: Final = _WORDS.of("en").pattern("of_ones_own")
_CLAIM_SIGNS: Final = _WORDS.of("en").words("claim_signs")
_REQUEST_SIGNS: Final = _WORDS.of("en").words("request_signs")
_WORD: Final = re.compile("[a-z]+")
_OPENING: Final = " \t\"'“”‘’*->•·.,;:!()[]"


def asks_or_claims(sentence: str) -> bool:
    """Whether a folded sentence asks to act or claims to have acted. Linear in its length."""
    shapes = english_patterns()
    if shapes.first_words.isdisjoint(_WORD.findall(sentence)):
        return False
    if _has_claim(sentence, shapes) or _has_request(sentence, shapes):
        return True
    return _QUESTION.search(sentence) is None and any(
        _is_order(clause, shapes) for clause in _clauses(sentence, shapes)
    )


def _is_order(clause: str, shapes: EnglishPatterns) -> bool:
    first = _WORD.match(clause)
    return first is not None and first.group() in shapes.first_words and shapes.act.match(clause) is not None


def _has_claim(sentence: str, shapes: EnglishPatterns) -> bool:
    return holds_any(sentence, _CLAIM_SIGNS) and any(claim.search(sentence) for claim in shapes.claims)


def _has_request(sentence: str, shapes: EnglishPatterns) -> bool:
    if shapes.wish_for_act.search(sentence) is not None:
        return True
    if not holds_any(sentence, _REQUEST_SIGNS):
        return False
    asked = (shapes.act.match(sentence, found.end()) for found in _REQUEST.finditer(sentence))
    minded = (shapes.act_gerund.match(sentence, found.end()) for found in _REQUEST_DOING.finditer(sentence))
    urged = (shapes.trade.match(sentence, found.end()) for found in _URGED.finditer(sentence))
    wished = (shapes.act_participle.match(sentence, found.end()) for found in _REQUEST_DONE.finditer(sentence))
    return any(asked) or any(urged) or any(minded) or any(wished)


def _clauses(sentence: str, shapes: EnglishPatterns) -> Iterator[str]:
    """The parts of a sentence that may be an order: the whole, what follows its condition, and what follows a comma;
    what follows "and" or a colon only where the sentence already gives instructions. None after a supposition, a
    calculation or an indirect question.
    """
    first = _strip_to_verb(sentence)
    yield first[:_LONGEST_ORDER]
    if shapes.supposition.match(first):
        return
    if figure := _UP_TO_FIGURE.match(first):
        yield first[figure.end() :][:_LONGEST_ORDER]
    condition = _CONDITION.match(first)
    instructs = condition is not None
    start = 0
    for mark in _BREAK.finditer(sentence):
        before, start = sentence[start : mark.start()], mark.end()
        instructs = instructs or shapes.instruction.match(_strip_to_verb(before)) is not None
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
