"""Template data of the lines under a message that say what was learned from it, in the message's language."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from types import MappingProxyType
from typing import Final
from uuid import UUID

from consent.permit import Permit
from finclaw.web.types import TemplateData
from foundation.language import (
    Language,
    language_of,
)
from memory.learning.learned_changes import LearnedChange
from memory.learning.message_learning import MessageLearning, learning_by_message
from memory.models import ConversationEvent

LINES_SHOWN: Final = 5
POLL_MILLISECONDS: Final = (300, 300, 400, 500, 1_000, 2_000, 4_000, 6_000, 8_000)
"""How long the page waits before each look at what was learned: 22 seconds in all."""
LAST_ATTEMPT: Final = len(POLL_MILLISECONDS)
WATCHED: Final = 3
"""For how many messages the page polls: the latest ones."""
_DIGEST_BYTES: Final = 8

# The words before and after the learned statement, by kind of change, or by its present standing ("undone").
_LABELS: Final[Mapping[Language, Mapping[str, str]]] = MappingProxyType(
    {
        "en": {
            "noted": "Noted: ",
            "changed": "Changed: ",
            "asked": "Not sure whether this is right: ",
            "perhaps_changed": "Noted: ",
            "retracted": "No longer true: ",
            "preference": "From now on: ",
            "left_out": "Left out: ",
            "undone": "Undone: ",
        },
        "zh": {
            "noted": "记下了：",
            "changed": "已更新：",
            "asked": "不确定这样说对不对：",
            "perhaps_changed": "记下了：",
            "retracted": "不再成立：",
            "preference": "从现在起：",
            "left_out": "不再保留：",
            "undone": "已撤销：",
        },
    }
)
_ENDINGS: Final[Mapping[Language, Mapping[str, str]]] = MappingProxyType(
    {
        "en": {"was": ", was {former}", "holds_again": " holds again", "replaces": ". Does it replace “{former}”?"},
        "zh": {"was": "，之前是{former}", "holds_again": "，恢复有效", "replaces": "。它取代“{former}”吗？"},
    }
)
_BUTTONS: Final[Mapping[Language, Mapping[str, str]]] = MappingProxyType(
    {
        "en": {"undo": "Undo", "yes": "Yes", "no": "No", "more": "and {count} more"},
        "zh": {"undo": "撤销", "yes": "对", "no": "不对", "more": "还有 {count} 条"},
    }
)
_ICONS: Final = {"asked": "info", "perhaps_changed": "info", "undone": "undo", "left_out": "undo"}


def learned_under(permit: Permit, messages: Sequence[ConversationEvent]) -> dict[UUID, TemplateData]:
    """The lines under each of the user's own messages, by its id; see ``web/partials/chat_learned.html``.

    The page polls only for the latest messages, since an imported chat may have many that the worker has not read yet.
    """
    found = learning_by_message(permit, messages)
    own = [message for message in messages if found[message.pk].status != "none"]
    watched = {message.pk for message in own[-WATCHED:]}
    return {
        message.pk: show_learning(message, found[message.pk], attempt=0 if message.pk in watched else LAST_ATTEMPT)
        for message in own
    }


def show_learning(
    message: ConversationEvent, learning: MessageLearning, *, attempt: int = 0, answered: UUID | None = None
) -> TemplateData:
    """The lines under a message, and when to ask again. ``attempt`` counts the requests so far; ``answered`` is the
    memory whose button was just pressed.
    """
    language = language_of(message.text)
    lines = [_show_line(change, language, has_focus=change.memory_id == answered) for change in learning.changes]
    is_over = learning.status == "done" or attempt >= LAST_ATTEMPT
    hidden = lines[LINES_SHOWN:]
    return {
        "message_id": message.pk,
        "session_id": message.session_id,
        "language": language,
        "lines": lines[:LINES_SHOWN],
        "more_lines": hidden,
        "words": {**_BUTTONS[language], "more": _BUTTONS[language]["more"].format(count=len(hidden))},
        "digest": lines_digest(learning),
        "next_attempt": 0 if is_over else attempt + 1,
        "wait": 0 if is_over else POLL_MILLISECONDS[attempt],
    }


def lines_digest(learning: MessageLearning) -> str:
    """A digest that stays the same as long as the lines do."""
    told = repr([astuple(change) for change in learning.changes])
    return hashlib.blake2b(told.encode(), digest_size=_DIGEST_BYTES).hexdigest()


def _show_line(change: LearnedChange, language: Language, *, has_focus: bool) -> TemplateData:
    kind = _line_kind(change)
    content, ending = _line_text(change, language)
    return {
        "kind": kind,
        "icon": _ICONS.get(kind, "check"),
        "label": _LABELS[language][kind],
        "content": content,
        "ending": ending,
        "memory_id": change.memory_id,
        "is_asked": change.standing == "waiting",
        "undo": change.undo,
        "has_focus": has_focus,
    }


def _line_kind(change: LearnedChange) -> str:
    if change.standing in ("left_out", "undone"):
        return change.standing
    return "perhaps_changed" if change.event == "asked" and change.former_content else change.event


def _line_text(change: LearnedChange, language: Language) -> tuple[str, str]:
    """The statement that the line links to, and what follows it."""
    endings = _ENDINGS[language]
    if change.standing == "undone":
        return change.former_content or change.content, endings["holds_again"]
    if change.former_content is None:
        return change.content, ""
    if change.event == "asked":
        return change.content, endings["replaces"].format(former=change.former_content)
    return change.content, endings["was"].format(former=change.former_value or change.former_content)
