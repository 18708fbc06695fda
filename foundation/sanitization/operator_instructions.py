"""The door for instructions that operators write: plain words, without any mark with which a prompt is written.

A tag of ours is named in braces, as ``{user_memory}``, and only one that instructions may speak of. What an operator
writes stands after the safety policy and cannot change it; orders to leave it are refused nonetheless.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final
from unicodedata import category

from foundation.sanitization.payloads import INVISIBLE, PAYLOADS
from foundation.sanitization.services import order_rule
from foundation.sanitization.types import SafeText

REFERABLE_TAGS: Final = frozenset({"setting", "user_context", "user_memory", "knowledge", "program_instructions"})
"""The tags of which an operator's instructions may speak."""
_BRACKET: Final = re.compile(r"[<>＜＞﹤﹥]")
_BRACE: Final = re.compile(r"\{(?P<name>[^{}]*)\}|[{}]")
_LINE_BREAK: Final = "\n"


class InstructionFlaw(StrEnum):
    """Why an operator's text may not instruct a model."""

    EMPTY = "empty"
    BRACKET = "bracket"
    REFERENCE = "reference"
    UNSEEN = "unseen"
    PAYLOAD = "payload"
    ORDER = "order"


class UnfitInstruction(ValueError):
    """A text that may not instruct a model. It never holds the words themselves."""

    def __init__(self, flaw: InstructionFlaw) -> None:
        self.flaw = flaw
        super().__init__(flaw.value)


def instruction_flaw(text: str) -> InstructionFlaw | None:
    """The first flaw of an operator's text; None where it may instruct a model."""
    if not text.strip():
        return InstructionFlaw.EMPTY
    if _BRACKET.search(text):
        return InstructionFlaw.BRACKET
    if any(brace["name"] not in REFERABLE_TAGS for brace in _BRACE.finditer(text)):
        return InstructionFlaw.REFERENCE
    if INVISIBLE.search(text) or any(category(sign) in ("Cc", "Co", "Cs") for sign in text if sign != _LINE_BREAK):
        return InstructionFlaw.UNSEEN
    lower = text.lower()
    if any(payload.may_stand_in(text, lower) and payload.cut(text) != text for payload in PAYLOADS):
        return InstructionFlaw.PAYLOAD
    return InstructionFlaw.ORDER if order_rule(text) else None


def operator_instruction(text: str) -> SafeText:
    """An operator's text as it may instruct a model, with the tags it speaks of in their place.

    Raises ``UnfitInstruction``.
    """
    flaw = instruction_flaw(text)
    if flaw is not None:
        raise UnfitInstruction(flaw)
    return SafeText(_BRACE.sub(lambda named: f"<{named['name']}>", text.strip()))
