"""Reads negated clauses: "I follow ETH, not BTC", "I don't drink tea any more"."""

from __future__ import annotations

import re

from memory.evolution.clauses import RuleInput

_NOT_THAT = re.compile(
    r"(?:instead of|rather than|not) (?!(?:only|just|merely|to|when|because|if)\b)"
    r"(?:(?:at|in|for|on|with) )?(?P<en>[^,]{2,40}?)(?: any ?more| any longer)?"
    r"|(?:而|并)?(?:不是|不再是|非)(?!因为|为了|只)在?(?P<zh>[^,，是]{1,20}?)了?",
    re.IGNORECASE,
)
_STOPPED = re.compile(
    r"\b(?:any ?more|any longer|no longer|quit|stopped|gave up|given up)\b|了$|不再|再也不|戒", re.IGNORECASE
)


def negated_statement(clause: RuleInput, stated: RuleInput, value: tuple[int, int]) -> RuleInput | None:
    """The statement that ``clause`` denies, in the words of the clause before it.

    "I follow BTC" for "not BTC" after ``stated`` "I follow ETH", whose value stands at ``value``. None where the clause
    denies nothing of the kind.
    """
    found = _NOT_THAT.fullmatch(clause.text)
    if found is None:
        return None
    begin, end = value
    denied = found["en"] or found["zh"]
    return RuleInput(stated.text[:begin] + denied + stated.text[end:], stated.chinese, whole=False)


def is_given_up(clause: str) -> bool:
    """Whether a clause says that what it denies was true before: "any more", 不…了."""
    return _STOPPED.search(clause) is not None
