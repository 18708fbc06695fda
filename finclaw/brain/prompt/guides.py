"""The guides of a prompt, in the shipped words or in those of a version that operators wrote and an experiment tries.

Guides say how to answer. The safety policy is no guide: it stands before them, and no version touches it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import structlog

from consent.experiment_assignment import VariantAssignment
from consent.models import Experiment, PromptGuide
from foundation.sanitization.operator_instructions import operator_instruction
from foundation.sanitization.prompt_text import join_texts, trusted_text
from foundation.sanitization.types import SafeText
from foundation.text import estimate_tokens

log = structlog.get_logger(__name__)
SHIPPED_VERSION: Final = "1"
"""The version of the guides below. It counts on, as 1.1, 1.2 and so on, whenever one of them changes."""
MOST_TOKENS: Final = 1_000
"""Tokens of all guides of a version together; the shipped ones have about 700."""

ANSWER_GUIDE = trusted_text("""\
Answer in the language of the message, Chinese in the characters it uses, unless <user_context> names another. For \
now and here go by <setting>. Use the person's name where it is natural.""")

MEMORY_GUIDE = trusted_text("""\
<memory_usage_guide>
Each line of <user_memory> is one thing remembered. Its day is when it was said or since when it holds: "last week" in \
it counts from there. Rely on a line without further notes. Put "likely" and "inferred" tentatively, and keep "unsure" \
to yourself; an "opinion" is theirs, no fact; "outdated" and "no longer holds" answer only questions about the past; \
"only supposed" was imagined.
What the person says now holds over memories, and so does <knowledge>. Of two memories the later holds; where that \
settles nothing, ask.
Weave in what fits, as somebody who knows them would. Never recite lines, days or notes, and never speak of memories, \
tags or records unless asked what you remember. Never claim to remember, or guess, what is not here.
Nothing is forgotten by being asked to in a chat: say so, and that it can be forgotten on the page "What I remember".
</memory_usage_guide>""")

PROGRAM_GUIDE = trusted_text("""\
The person talks through a program. Follow its instructions in <program_instructions>, as far as they agree with all \
that stands before them.""")

END_GUIDE = trusted_text("""\
<end_of_turn_guide>
When the message tells something of the person, call the tool "end" once, in the same reply as your answer.
action_summary: what you actually did in this turn, in one short sentence; empty where you only answered.
new_info: the one new thing that this very message tells, in the person's words and language; empty where it tells \
nothing. Never repeat what you already knew, and never what you said yourself.
Greetings, thanks, questions and requests tell nothing. Never mention the tool to the person.
</end_of_turn_guide>""")

_SHIPPED_GUIDES: Final[Mapping[PromptGuide, SafeText]] = {
    PromptGuide.ANSWER: ANSWER_GUIDE,
    PromptGuide.MEMORY: MEMORY_GUIDE,
    PromptGuide.PROGRAM: PROGRAM_GUIDE,
    PromptGuide.END_OF_TURN: END_GUIDE,
    PromptGuide.SMALL_TALK: trusted_text("Greet with what you know of their preferences, and stay short."),
    PromptGuide.RESEARCH: trusted_text("Advise in the light of their history and preferences."),
    PromptGuide.CORRECTION: trusted_text("Acknowledge the correction; the new statement holds from now on."),
    PromptGuide.MEMORY_CHECK: trusted_text("Go through what is remembered carefully, statement by statement."),
}
GUIDE_OF_INTENT: Final[Mapping[str, PromptGuide]] = {
    guide.value: guide
    for guide in (PromptGuide.SMALL_TALK, PromptGuide.RESEARCH, PromptGuide.CORRECTION, PromptGuide.MEMORY_CHECK)
}
"""The guide for each kind of message that has one of its own."""
_ELEMENTS: Final = {
    PromptGuide.MEMORY: (trusted_text("<memory_usage_guide>"), trusted_text("</memory_usage_guide>")),
    PromptGuide.END_OF_TURN: (trusted_text("<end_of_turn_guide>"), trusted_text("</end_of_turn_guide>")),
}
_TAG: Final = re.compile(r"<([a-z_]+)>")


@dataclass(frozen=True)
class PromptWording:
    """All guides of one ``version``, each with the tags around it."""

    version: str
    guides: Mapping[PromptGuide, SafeText]


SHIPPED_WORDING: Final = PromptWording(SHIPPED_VERSION, _SHIPPED_GUIDES)


def wording_of(assignments: Iterable[VariantAssignment]) -> PromptWording:
    """The guides for a user with these variants: the shipped ones, unless one names a version that can be read."""
    for assignment in assignments:
        if assignment.dimension == Experiment.Dimension.PROMPT_VERSION and assignment.guides is not None:
            return _readable_wording(assignment.variant.prompt_version, assignment.guides)
    return SHIPPED_WORDING


def version_wording(version: str, changed: Mapping[str, str]) -> PromptWording:
    """The guides of a version of which ``changed`` differ from the shipped ones, as an operator wrote them.

    Raises ``UnfitInstruction``, and ``ValueError`` for a guide that there is not.
    """
    own = {PromptGuide(name): operator_instruction(text) for name, text in changed.items()}
    return PromptWording(version, {**_SHIPPED_GUIDES, **{guide: _enclosed(guide, text) for guide, text in own.items()}})


def shipped_texts() -> dict[str, str]:
    """The shipped guides as an operator would write them: without the tags around, and tags named in braces."""
    return {guide.value: _as_written(guide) for guide in _SHIPPED_GUIDES}


def guide_tokens(wording: PromptWording) -> int:
    """Tokens of all guides together; no prompt holds more than one of those for a kind of message."""
    return sum(map(estimate_tokens, wording.guides.values()))


def _readable_wording(version: str, changed: Mapping[str, str]) -> PromptWording:
    try:
        return _cached_wording(version, tuple(sorted(changed.items())))
    except (AttributeError, TypeError, ValueError) as error:  # what only a later release can write
        _log_unreadable(version, type(error).__name__)
        return SHIPPED_WORDING


@lru_cache(maxsize=16)
def _cached_wording(version: str, changed: tuple[tuple[str, str], ...]) -> PromptWording:
    return version_wording(version, dict(changed))


@lru_cache(maxsize=64)
def _log_unreadable(version: str, error: str) -> None:
    log.error("prompt_version_unreadable", version=version, error=error)


def _enclosed(guide: PromptGuide, text: SafeText) -> SafeText:
    if guide not in _ELEMENTS:
        return text
    opening, closing = _ELEMENTS[guide]
    return join_texts("\n", (opening, text, closing))


def _as_written(guide: PromptGuide) -> str:
    text = str(_SHIPPED_GUIDES[guide])
    for tag in _ELEMENTS.get(guide, ()):
        text = text.replace(tag, "")
    return _TAG.sub(r"{\1}", text.strip())
