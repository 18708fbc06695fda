"""Reads the memories and markers in a prompt back from its text, for the offline model.

The code that assembles the prompt writes memories as list items within one element. Each item has notes in brackets;
its text is escaped and its further lines are indented, so that nothing a user said can open an element or an item.
A "statement" is a sentence about the user, never SQL.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from foundation.language import Language
from foundation.llm.types import THE_USER, Prompt
from foundation.sanitization.prompt_text import trusted_text
from foundation.sanitization.types import SafeText

_MEMORIES: Final = re.compile(r"<user_memory>(?P<lines>[^<]*)</user_memory>")
_LINE: Final = re.compile(r"^- \[(?P<notes>[^\]\n]*)\] (?P<text>[^\n]*(?:\n  [^\n]*)*)$", re.MULTILINE)
_MOMENT: Final = re.compile(r"(?:(?P<speaker>.+?) )??(?:(?P<kind>event|said) )?(?P<day>\d{4}-\d\d-\d\d)")
_INJECTED: Final = re.compile(
    r"<(?P<tag>user_preferences|user_memory|profile|knowledge|user_context)\b[^<>]*>[^<]*</(?P=tag)>"
)
_KNOWLEDGE: Final = re.compile(r'<knowledge kind="(?:rule|fact)"[^<>]*>(?P<text>[^<]*)</knowledge>')
_ATTACHMENT: Final = re.compile(r'<attachment name="(?P<name>[^"<>]*)"[^<>]*>(?P<text>[^<]*)</attachment>')
_CONTEXT: Final = re.compile(r"<user_context>(?P<body>[^<]*)</user_context>")
_CONTEXT_LINE: Final = re.compile(r"^[ \t]*(?P<name>[a-z_]+):[ \t]*(?P<value>\S(?:.*[^ \t\n])?)[ \t]*$", re.MULTILINE)


THIS_CONVERSATION: Final = "said_now"
"""The kind of a statement that an earlier message of this conversation makes; it is no memory."""
KNOWLEDGE: Final = "knowledge"
"""The kind of a statement of the organisation's knowledge."""
ATTACHED: Final = "attached"
"""The kind of a statement that a file makes which came with the message."""
NOTE_LIKELY: Final = trusted_text("likely")
NOTE_UNSURE: Final = trusted_text("unsure")
NOTE_INFERRED: Final = trusted_text("inferred")
OPINION: Final = trusted_text("opinion")
OUTDATED: Final = trusted_text("outdated")
NOTE_ENDED: Final = trusted_text("no longer holds")
NOTE_SUPPOSED: Final = trusted_text("only supposed")
NOTE_ASKED_FOR: Final = trusted_text("asked for")
"""What the notes of a line say after its day; one without any is certain, current and the user's own."""
CERTAIN_CONFIDENCE: Final = 0.8
"""Confidence from which on an answer may refer to a memory without hedging."""
BACKGROUND: Final = 0.5
"""Confidence below which it is not brought up."""
_CONFIDENCE_OF: Final = {NOTE_LIKELY: (BACKGROUND + CERTAIN_CONFIDENCE) / 2, NOTE_UNSURE: BACKGROUND / 2}
NOTHING_LEARNED: Final = trusted_text(
    "<learning>off: nothing the person says here is remembered; never say it is</learning>"
)
"""Stands in the prompt where the permit, or a temporary conversation, lets nothing be learned."""
LEARNING_WAITS: Final = trusted_text(
    "<learning>waits: what the person says is taken into memory later, not now; never say it is remembered</learning>"
)
"""Stands in the prompt where learning is allowed, and switched off for a while."""
NOTHING_RECALLED: Final = trusted_text(
    "<memory>unread: memory could not be looked into just now; never say that it holds nothing</memory>"
)
"""Stands in the prompt where memory failed, or took too long."""

_ACKNOWLEDGED: Final = '<acknowledge language="{}">{}</acknowledge>'
_ACKNOWLEDGES: Final = re.compile(_ACKNOWLEDGED.format("(?P<language>en|zh)", "(?P<text>[^<]*)"))


@dataclass(frozen=True, slots=True)
class PromptStatement:
    """A statement in the prompt: about the user, of ``kind`` item, turn, event or ``said_now``, of the organisation,
    of ``kind`` knowledge, or of a file, of ``kind`` attached.

    ``day`` is when it was said or is true of, None where the prompt does not say; ``speaker`` is who said it, "" for
    an item or event.
    """

    kind: str
    text: str
    day: date | None = None
    speaker: str = ""
    notes: frozenset[str] = frozenset()

    @property
    def confidence(self) -> float:
        """0.0 to 1.0, as the notes grade it; 1.0 without a note."""
        return min((_CONFIDENCE_OF[note] for note in _CONFIDENCE_OF if note in self.notes), default=1.0)

    @property
    def is_asked_for(self) -> bool:
        """Whether the prompt marks it as an answer to the message, whatever words they share."""
        return NOTE_ASKED_FOR in self.notes

    @property
    def is_outdated(self) -> bool:
        """Whether it is known to be out of date."""
        return OUTDATED in self.notes


def remembered_statements(prompt: Prompt) -> list[PromptStatement]:
    """Memories and events of the context, the user's earlier messages, and what attached files say, each text once.

    Without portraits, which say again what events and memories say one by one.
    """
    found = {statement.text: statement for statement in _earlier_messages(prompt)}
    found |= {statement.text: statement for statement in _statements_in_context(prompt.context)}
    found |= {statement.text: statement for statement in _attached_texts(prompt.context)}
    return list(found.values())


def known_statements(prompt: Prompt) -> list[PromptStatement]:
    """The rules and facts of the organisation, in their order; a tone answers no question."""
    told = (html.unescape(found["text"]).strip() for found in _KNOWLEDGE.finditer(prompt.context))
    return [PromptStatement(KNOWLEDGE, text) for text in told if text]


def learning_is_on(prompt: Prompt) -> bool:
    """Whether what the user says may be remembered. Their words are escaped and cannot forge the marker."""
    return NOTHING_LEARNED not in prompt.system


def learning_waits(prompt: Prompt) -> bool:
    """Whether what the user says is taken into memory later only."""
    return LEARNING_WAITS in prompt.system


def memory_was_read(prompt: Prompt) -> bool:
    """Whether memory could be searched for this answer."""
    return NOTHING_RECALLED not in prompt.guidance


def acknowledgement_instruction(sentences: Mapping[Language, str]) -> SafeText:
    """The instruction to confirm a style wish: a sentence for each language."""
    told = "\n".join(_ACKNOWLEDGED.format(*pair) for pair in sentences.items())
    return trusted_text(f"The message only says how to answer. Confirm it in one sentence, to this effect:\n{told}")


def acknowledgement_in(prompt: Prompt, language: str) -> str | None:
    """The sentence of ``acknowledgement_instruction`` in a language; None where the prompt holds none."""
    found = _ACKNOWLEDGES.finditer(prompt.guidance)
    return next((match["text"] for match in found if match["language"] == language), None)


def injected_elements(prompt: Prompt) -> list[str]:
    """The prompt's elements of memory, knowledge, context and look-ups, letter for letter, from top to bottom."""
    looked_up = [answer for tool_round in prompt.rounds for answer in tool_round.answers]
    parts = (prompt.system, prompt.context, *looked_up)
    return [element.group() for part in parts for element in _INJECTED.finditer(part)]


def preferred_language(prompt: Prompt) -> str | None:
    """The language that the user asked answers in, else the one they stated; None for neither."""
    context = _CONTEXT.search(prompt.context)
    lines = _CONTEXT_LINE.finditer(html.unescape(context["body"])) if context else ()
    told = {line["name"]: line["value"] for line in lines}
    return told.get("reply_language") or told.get("language_preference")


def _statements_in_context(context: str) -> Iterator[PromptStatement]:
    for memories in _MEMORIES.finditer(context):
        for line in _LINE.finditer(memories["lines"]):
            if text := html.unescape(line["text"]).replace("\n  ", "\n").strip():
                yield _statement(text, html.unescape(line["notes"]).split(", "))


def _attached_texts(context: str) -> Iterator[PromptStatement]:
    """The paragraphs of the files that came with the message, each said by its file."""
    for attached in _ATTACHMENT.finditer(context):
        for paragraph in filter(None, map(str.strip, html.unescape(attached["text"]).split("\n"))):
            yield PromptStatement(ATTACHED, paragraph, speaker=html.unescape(attached["name"]))


def _statement(text: str, notes: Sequence[str]) -> PromptStatement:
    when = _MOMENT.fullmatch(notes[0])
    if when is None:
        return PromptStatement("item", text, notes=frozenset(notes))
    kind = {"event": "event", "said": "turn"}.get(when["kind"], "item")
    speaker = (when["speaker"] or THE_USER) if kind == "turn" else ""
    return PromptStatement(kind, text, _parse_day(when["day"]), speaker, frozenset(notes[1:]))


def _earlier_messages(prompt: Prompt) -> Iterator[PromptStatement]:
    for message in prompt.messages[:-1]:
        if message.role == "user" and message.content.strip():
            yield PromptStatement(THIS_CONVERSATION, message.content.strip())


def _parse_day(day: str) -> date | None:
    try:
        return date.fromisoformat(day)
    except ValueError:
        return None
