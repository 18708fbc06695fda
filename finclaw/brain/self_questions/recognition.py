"""Whether a message asks what is remembered of its speaker, as a whole or about a topic.

One test for both languages: what a message is made of is put into symbols (who is addressed, what is known, of whom,
which topic), and it is such a question where nothing else is left over. Linear in the length of the message, which is
looked at up to ``LONGEST`` characters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from finclaw.brain.self_questions import grammar_en, grammar_zh
from foundation.text import cjk_share, normalize

LONGEST: Final = 240
_CHINESE_SHARE: Final = 0.25


@dataclass(frozen=True, slots=True)
class SelfQuestion:
    """What is asked for: ``topics`` by their names, none for everything; ``named`` is a noun of the speaker's own that
    no topic knows ("my drumming"). ``is_direct`` marks one without a word of remembering ("What are my plans?").
    """

    topics: tuple[str, ...] = ()
    named: str = ""
    is_direct: bool = False


def read_self_question(text: str) -> SelfQuestion | None:
    """The question about oneself that a message asks; None where it asks or tells something else."""
    if len(text) > LONGEST:
        return None
    said = " ".join(normalize(text).replace("’", "'").split())
    reading = grammar_zh.read_chinese(said) if cjk_share(said) >= _CHINESE_SHARE else grammar_en.read_english(said)
    return SelfQuestion(*reading) if reading is not None else None
