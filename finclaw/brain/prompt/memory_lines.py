"""Writes memories as lines of a prompt, each after a note in brackets that holds only what helps to use it.

    - [2026-01-15] Prefers concise answers
    - [2026-02-03, likely] Is moving to Lisbon
    - [said 2026-02-03] We're moving to Lisbon in March.
    - [report.pdf said 2026-02-03] Sales rose by 4 % in March.
    - [event 2026-03-04] Alice bought 100 shares of NVDA.

The day is when it was said, or since when it holds, on the calendar of the conversation. ``foundation.llm`` reads the
lines back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from finclaw.brain.types import PromptCandidate
from foundation.llm.prompt_elements import (
    BACKGROUND,
    CERTAIN_CONFIDENCE,
    NOTE_ASKED_FOR,
    NOTE_ENDED,
    NOTE_INFERRED,
    NOTE_LIKELY,
    NOTE_SUPPOSED,
    NOTE_UNSURE,
    OPINION,
    OUTDATED,
)
from foundation.llm.types import THE_USER
from foundation.sanitization.prompt_text import (
    NOTHING,
    element,
    escape_text,
    join_texts,
    list_item,
    trusted_text,
    without_brackets,
)
from foundation.sanitization.services import sanitize
from foundation.sanitization.types import SafeText, SanitizationResult
from foundation.text import estimate_tokens
from memory.models import MemoryItem
from memory.types import ASSISTANT

_TAG: Final = "user_memory"
_SOMEBODY: Final = trusted_text("somebody")
_YOU: Final = trusted_text("you")


def memory_elements(memories: Sequence[PromptCandidate]) -> SafeText:
    """The memories in their order: portraits each in an element, all others as lines of one."""
    portraits = [_portrait_element(memory) for memory in memories if memory.kind == "profile"]
    lines = [memory_line(memory) for memory in memories if memory.kind != "profile"]
    listed = [element(_TAG, join_texts("\n", (NOTHING, *lines, NOTHING)))] if lines else []
    return join_texts("\n", (*portraits, *listed))


def memory_line(memory: PromptCandidate) -> SafeText:
    """An item, event or message as a line. Without text where it is blocked or has not been sanitized."""
    notes = join_texts(", ", (_moment(memory), *_notes(memory)))
    text = escape_text(memory.safe_text, quote=False)
    return list_item(join_texts("", (trusted_text("["), notes, trusted_text("] "), text)))


def memory_tokens(memory: PromptCandidate) -> int:
    """Tokens it takes in the prompt; before sanitization, of the stored text."""
    seen = memory if memory.sanitization else replace(memory, sanitization=SanitizationResult.PASS.value)
    return estimate_tokens(_portrait_element(seen) if seen.kind == "profile" else memory_line(seen))


LIST_TOKENS: Final = estimate_tokens(element(_TAG, trusted_text("\n\n")))
"""Tokens of the element around the lines."""


def _portrait_element(portrait: PromptCandidate) -> SafeText:
    written = trusted_text(f"{portrait.occurred_at:%Y-%m-%d}")
    attributes = {"entity": sanitize(portrait.category).text, "updated": written}
    return element("profile", escape_text(portrait.safe_text, quote=False), attributes)


def _moment(memory: PromptCandidate) -> SafeText:
    """The day; of an event or a message also that it is one, and of a message or a file's text who said it."""
    day = trusted_text(f"{memory.occurred_at:%Y-%m-%d}")
    if memory.kind == "event":
        return join_texts(" ", (trusted_text("event"), day))
    if memory.kind in ("turn", "document"):  # a file says what stands in it
        return join_texts(" ", (*_speaker(memory), trusted_text("said"), day))
    return day


def _speaker(message: PromptCandidate) -> Iterator[SafeText]:
    """The speaker of a message; nothing where it was the user."""
    if message.said_by == ASSISTANT:
        yield _YOU
    elif message.said_by != THE_USER:
        yield escape_text(without_brackets(sanitize(message.said_by).text), quote=False) or _SOMEBODY


def _notes(memory: PromptCandidate) -> Iterator[SafeText]:
    """The notes that keep the model from stating the memory as plain fact."""
    if memory.kind == "item":
        yield from _grades_of_item(memory)
    elif memory.is_past:
        yield NOTE_ENDED
    elif memory.is_supposed:
        yield NOTE_SUPPOSED


def _grades_of_item(item: PromptCandidate) -> Iterator[SafeText]:
    confidence = item.confidence or 0.0
    if item.provenance == MemoryItem.Provenance.ANALYSIS:
        yield NOTE_INFERRED
    if confidence < CERTAIN_CONFIDENCE:
        yield NOTE_LIKELY if confidence >= BACKGROUND else NOTE_UNSURE
    if item.epistemic_type == MemoryItem.EpistemicType.OPINION:
        yield OPINION
    elif item.epistemic_type == MemoryItem.EpistemicType.OUTDATED:
        yield OUTDATED
    if item.is_asked_for:
        yield NOTE_ASKED_FOR
