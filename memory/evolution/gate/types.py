"""The judgement of the gate: the trained classifier that decides which sentences of a message are learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from foundation.language import Language

Band = Literal["remember", "ask", "ignore"]
"""What is to be done with a sentence: learn it, ask the user about it, or leave it."""

# The kinds of sentences; those that teach and then those that do not are the classes of the weights, in this order.
TEACHING: Final = ("fact", "preference", "instruction", "plan", "position", "correction", "retraction")
NOT_TEACHING: Final = (
    "question", "small talk", "task", "about others", "quotation or fiction", "hypothetical", "joke", "passing",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Judgement:
    """The gate's judgement of one sentence of a message.

    ``sentence`` is verbatim, a stripped part of the message. Three are calibrated probabilities: ``teaches`` that the
    sentence teaches something lasting about its speaker, ``own`` that it is the speaker's own claim and no quotation,
    fiction, news of others, hypothesis, joke or task, ``change`` that it changes, corrects or ends something stated
    before. ``kind`` is the likeliest of ``TEACHING``, whether or not it teaches.
    """

    sentence: str
    language: Language
    teaches: float
    own: float
    kind: str
    change: float
    band: Band
