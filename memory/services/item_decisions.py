"""What users decide about memories by hand: reject one, take it back, correct it, or write one down."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from consent.permit import Permit
from consent.sensitive.services import screen_text
from foundation.accounts.models import User
from foundation.exceptions import ValidationFailed
from foundation.personal_data import ConsentScope
from memory.confidence import EXPLICIT_CONFIDENCE
from memory.models import MemoryItem
from memory.services import history, versions
from memory.services.history import Action, Actor
from memory.services.item_queries import open_item
from memory.services.items import (
    CONFIRMED,
    State,
    WriteResult,
    close_as_never_true,
    draft_of,
    quarantined_item,
    supersede,
    write,
)
from memory.services.versions import ItemDraft, program_detail

MAX_CONTENT_CHARS = 2_000


def reject(permit: Permit, memory_id: UUID) -> MemoryItem:
    """Reject a quarantined memory: it was never true, and is never in use.

    Raises ``NotFound``, and ``ValidationFailed`` for what awaits no decision.
    """
    with versions.learning_transaction(permit):
        item = quarantined_item(permit, memory_id)
        return close_as_never_true(permit, item)


def withdraw_memory(permit: Permit, memory_id: UUID) -> MemoryItem:
    """Withdraw a memory learned from the user's words as never true. An undo brings it back.

    Raises ``NotFound``, and ``ValidationFailed`` for what was not learned from conversation, or was changed since.
    """
    with versions.learning_transaction(permit):
        item = versions.lock_open(open_item(permit, memory_id))
        if item.state != State.ACTIVE or not history.is_unchanged_since_learned(permit, item):
            sentence = _("This memory has changed since it was noted, so it cannot be taken back.")
            raise ValidationFailed(sentence, {"memory_id": [sentence]})
        return close_as_never_true(permit, item)


def correct(
    permit: Permit, memory_id: UUID, content: str, reason: str = "", *, metadata: Mapping[str, Any] | None = None
) -> MemoryItem:
    """Supersede a memory by the user's correction, which is confirmed; ``metadata`` replaces what stands beside it.

    Raises ``ValidationFailed`` for empty or oversized text, ``SensitiveInput``, and ``NotFound`` for an item that is
    not open.
    """
    text = _checked_content(permit, content)
    old = open_item(permit, memory_id)
    attributes = dict(old.attributes) | {"value": text}
    if metadata is not None:
        screen_text("metadata", json.dumps(metadata, ensure_ascii=False))
        attributes["metadata"] = dict(metadata)
    detail = {"change": "corrected", "reason": screen_text("reason", reason).text}
    draft = draft_of(
        old, content=text, attributes=attributes, provenance=CONFIRMED, confidence=EXPLICIT_CONFIDENCE,
        valid_at=timezone.now(), detail=detail,
    )  # fmt: skip
    return supersede(permit, old, draft, action=Action.CORRECTED, actor=Actor.PERSON)


STATED_KINDS = {
    MemoryItem.MemoryType.INSIGHT: MemoryItem.EpistemicType.FACT,
    MemoryItem.MemoryType.PREFERENCE: MemoryItem.EpistemicType.PREFERENCE,
    MemoryItem.MemoryType.PATTERN: MemoryItem.EpistemicType.FACT,
}
"""The kinds of statements that users may write down themselves, each with its epistemic type."""


def store_statement(
    permit: Permit,
    content: str,
    *,
    metadata: Mapping[str, Any] | None = None,
    memory_type: str = MemoryItem.MemoryType.INSIGHT,
    program: str = "",
) -> WriteResult:
    """Store a sentence word for word, as told by the user or a ``program`` of theirs (``infer: false``).

    ``memory_type`` is one of ``STATED_KINDS``. Raises ``ConsentScopeMissing``, ``SensitiveInput``, and
    ``ValidationFailed`` for nothing, or too much.
    """
    permit.require(ConsentScope.MEMORY_LEARNING)
    text = _checked_content(permit, content)
    screen_text("metadata", json.dumps(metadata or {}, ensure_ascii=False))
    kind = MemoryItem.MemoryType(memory_type)
    draft = ItemDraft(
        content=text, memory_type=kind, epistemic_type=STATED_KINDS[kind],
        provenance=CONFIRMED, confidence=EXPLICIT_CONFIDENCE,
        attributes={"metadata": dict(metadata or {})}, detail={"rule": "stated"} | program_detail(program),
    )  # fmt: skip
    return write(permit, draft, actor=Actor.PERSON)


def add_stated(permit: Permit, content: str) -> MemoryItem:
    """The memory that stands for a sentence kept word for word (see ``store_statement``)."""
    return store_statement(permit, content).item


def _checked_content(permit: Permit, content: str) -> str:
    text = content.strip()
    if not text or len(text) > MAX_CONTENT_CHARS:
        sentence = f"Give between 1 and {MAX_CONTENT_CHARS} characters."
        raise ValidationFailed(details={"content": [sentence]})
    return screen_text("content", text, [User.objects.get(pk=permit.user_id).name]).text
