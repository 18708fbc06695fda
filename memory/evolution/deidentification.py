"""Which memories may be proposed to others, and in which words.

Two gates. By its kind: a memory of a group, and one about a life (home, family, health, work, money, holdings), is
never proposed; what may be is how work is to be done, whoever asks for it, and facts about an asset. By its words:
names, whatever the classifier finds, and amounts are taken out; where nothing is left, nothing is proposed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from consent.sensitive.services import redact_text
from foundation.language import whole_word
from foundation.lexicon import read_lexicon
from memory.evolution.slots import USER_SUBJECT

_WORDS: Final = read_lexicon(__file__)

WORKING_SLOTS: Final = frozenset(
    {"reply_style", "language.reply", "instruction", "risk", "horizon", "constraint.avoid", "style"}
)
"""The slots (``memory.evolution.slots``) that say how answers and work should be."""

_ASSET = re.compile(r"\$?[A-Z]{1,5}(?:\.[A-Z]{1,2})?|\d{4,6}\.[A-Z]{2}|[A-Z0-9]{2,10}/[A-Z]{3,4}")
_PREFIX = re.compile(r"^\[[^\]]{1,80}\]\s*")  # the context a memory is stored with
_NUMBER = rf"(?<!\d)(?<!\d[,.])\d++(?:[,.]\d++)*+(?:{_WORDS.phrase('number')})?"
_HELD = _WORDS.phrase("held")
_MONEY = _WORDS.phrase("money")
_AMOUNT = re.compile(
    rf"[$€£¥]\s?{_NUMBER}(?:\s?(?:{_MONEY})\b)?"
    rf"|{_NUMBER}\s?(?:(?:{_HELD}|{_MONEY})\b|{_WORDS.of('zh').phrase('held')}|{_WORDS.of('zh').phrase('money')})",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(r"\[(?:name|amount|redacted:[a-z_]+)\]")
_WORD = re.compile(r"\w")
NAME, AMOUNT = "[name]", "[amount]"


def may_be_told(attributes: Mapping[str, Any], group_id: object) -> bool:
    """Whether a memory of this kind may be proposed to others, whatever its words."""
    if group_id is not None:
        return False
    subject, slot = str(attributes.get("subject", USER_SUBJECT)), str(attributes.get("slot", ""))
    return slot in WORKING_SLOTS if subject == USER_SUBJECT else _ASSET.fullmatch(subject) is not None


def deidentified(content: str, names: Collection[str]) -> str | None:
    """The words without who said them: ``names``, findings of the classifier and amounts are replaced.

    None where no word is left beside the placeholders.
    """
    text = redact_text(_PREFIX.sub("", content.strip()))
    for name in sorted(filter(None, names), key=len, reverse=True):
        text = _as_name(name).sub(NAME, text)
    text = _AMOUNT.sub(AMOUNT, text).strip()
    return text if _WORD.search(_PLACEHOLDER.sub("", text)) else None


def _as_name(name: str) -> re.Pattern[str]:
    """A name as a word of its own; Chinese has no spaces to tell words by."""
    letters = "a-z0-9_" if name.isascii() else ""
    return whole_word(name, before=letters, after=letters, ignores_case=True)
