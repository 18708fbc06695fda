"""Needles in rows that refer to each other as the product's own do: a conversation and a thread with what they made.

``tests.support.needles`` fills every table; here a row of each is about the same thing, so that an erasure of one scope
finds what belongs to it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final
from uuid import UUID

from django.db import models

from consent.declarations import PersonalModel, order_for_deletion, personal_models
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from memory.services.summaries import EXTRACTIVE
from tests.support.needles import NOW, moment_of, needle_words, row_with_needles

_LABELS: Final = (
    "memory.Thread", "memory.Session", "memory.ConversationEvent", "memory.MemoryItem", "memory.EvolutionEvent",
    "memory.EvolutionProposal", "memory.CognitiveJob", "memory.CognitiveEvent", "memory.SearchEntry",
    "memory.EntityProfile", "memory.HistoricalEntityProfile", "memory.Receipt", "memory.ReceiptLine",
    "memory.ResearchTask", "memory.TaskContext", "memory.ThreadContext", "memory.Snapshot", "memory.Refresh",
    "memory.WatchQuestion", "memory.Checkpoint", "memory.TrainingAssetCandidate", "memory.ChatImport",
    "drift.Feedback", "drift.DriftSignal", "personas.PersonaState", "personas.PersonaSignal", "outbox.OutboxMessage",
    "media.MediaFile", "media.MediaUse", "media.MediaPassage",
)  # fmt: skip
_KINDS: Final = {"memory.MemoryItem": "memory", "memory.ConversationEvent": "message"}
PORTRAITS: Final = ("memory.EntityProfile", "memory.HistoricalEntityProfile")
FROM_PROMPT: Final = [{"kind": "prompt", "id": ""}]


def plant(
    user: User, prefix: str, about: str, *, topic: str = "", without: Collection[str] = ()
) -> tuple[dict[str, UUID], dict[str, str]]:
    """One row in each table of a conversation and a thread, linked; their ids by label, and the needles by field.

    Of feedback and drift the row is ``about`` the row of this label. With a ``topic`` each text speaks of it beside its
    needle. Tables ``without`` a row are left alone.
    """
    keys = {label: new_id() for label in _LABELS}
    keys["memory.SearchEntry"] = keys["memory.MemoryItem"]
    keys["outbox.OutboxMessage"] = keys["memory.ResearchTask"]  # a task's job shares its id
    tenant = Tenant.objects.filter(name=f"Employer of {user.username}").first()
    made: dict[type[models.Model], Any] = {User: user, Tenant: tenant}
    needles: dict[str, str] = {}
    words = needle_words(prefix, topic)
    with acting_as(user.pk):
        for one in _tables(without):
            links = _links(one.label, keys, user, about)
            row, marked = row_with_needles(one, user, words, made, links)
            one.model._base_manager.bulk_create([row])
            made[one.model] = row
            needles |= {field: needle.split()[-1] for field, needle in marked.items()}
    return keys, needles


def _tables(without: Collection[str]) -> list[PersonalModel]:
    return order_for_deletion([one for one in personal_models() if one.label in set(_LABELS) - set(without)])[::-1]


def key_for(label: str, keys: Mapping[str, UUID]) -> str:
    """What names a row to an erasure: its id, or an event's own."""
    return _event_id(keys) if label == "memory.CognitiveEvent" else str(keys[label])


def _event_id(keys: Mapping[str, UUID]) -> str:
    return f"{_request_id(keys)}:1"


def _request_id(keys: Mapping[str, UUID]) -> str:
    return f"request-{keys['memory.CognitiveJob']}"


def reference(label: str, key: UUID) -> str:
    """How feedback, drift and training candidates name a row."""
    return f"{_KINDS.get(label) or label.partition('.')[2].lower()}:{key}"


def _links(label: str, keys: Mapping[str, UUID], user: User, about: str) -> dict[str, Any]:
    """The fields by which a row refers to others, as functions of its needles where they hold one, too."""
    turn, item, session = (keys[f"memory.{name}"] for name in ("ConversationEvent", "MemoryItem", "Session"))
    named = reference(about, keys[about])
    if about == "memory.CognitiveEvent":
        named = f"event:{_event_id(keys)}"
    elif about == "memory.EntityProfile":
        named = f"profile:{user.pk}"
    request = _request_id(keys)
    by_label: dict[str, dict[str, Any]] = {
        "memory.Session": {"brought_by": keys["memory.ChatImport"], "thread_id": None, **_summary()},
        "memory.ConversationEvent": {"role": "user"},
        "memory.MemoryItem": {
            "provenance_detail": lambda needle: {"rule": needle, "message_ids": [str(turn)]},
            "attributes": lambda needle: {"subject": "user", "slot": "statement", "value": needle},
            "source_sessions": [session],
        },
        "memory.EvolutionEvent": {"chain_id": keys["memory.MemoryItem"]},
        "memory.CognitiveJob": {"request_id": request, "end_seq": 1, "message_ids": [turn]},
        "memory.CognitiveEvent": {
            "request_id": request, "end_seq": 1, "event_id": _event_id(keys), "message_ids": [turn],
            "timezone": "Asia/Shanghai",
            "sources": lambda needle: [{"message": str(turn), "quote": needle}],
        },
        "memory.SearchEntry": {"kind": "item", "session_id": session},
        "memory.EntityProfile": {"entity_type": "user", "entity_id": user.pk, **_lines(item)},
        "memory.HistoricalEntityProfile": {
            "id": keys["memory.EntityProfile"], "entity_type": "user", "entity_id": user.pk, **_lines(item),
        },
        "memory.ChatImport": {"state": "done"},
        "memory.Receipt": {"message_id": turn},
        "memory.ReceiptLine": {"kind": "item", "ref_id": item, "status": "accepted"},
        "memory.Snapshot": {"thesis_sources": FROM_PROMPT, "object_sources": FROM_PROMPT}
        | {"thread_id": keys["memory.Thread"]},
        "memory.Thread": {"object_sources": FROM_PROMPT},
        "memory.Checkpoint": {"thread_id": keys["memory.Thread"]},
        "memory.ResearchTask": {"state": "completed", "ended_at": NOW, "thread_id": keys["memory.Thread"]},
        "memory.TrainingAssetCandidate": {"object_ref": reference("memory.Snapshot", keys["memory.Snapshot"])},
        "drift.Feedback": {"object_ref": named},
        "drift.DriftSignal": {
            "object_ref": named, "prior_signal": moment_of(named), "current_signal": moment_of(named),
        },
        "personas.PersonaSignal": {"message_id": turn, "session_id": session},
        "personas.PersonaState": {"session_id": session},
        "outbox.OutboxMessage": {"state": "done"},
        "media.MediaUse": {"media_id": keys["media.MediaFile"], "session_id": session, "message_id": turn},
        "media.MediaPassage": {"media_id": keys["media.MediaFile"]},
    }  # fmt: skip
    return (
        {"id": keys[label], **by_label.get(label, {})} if label != "memory.HistoricalEntityProfile" else by_label[label]
    )


def _summary() -> dict[str, Any]:
    return {
        "summary_blocks": lambda needle: [{"text": needle, "made_by": EXTRACTIVE, "created_at": NOW.isoformat()}],
        "entity_slots": lambda needle: {"topic": [needle]},
    }


def _lines(item: UUID) -> dict[str, Any]:
    return {
        "lines": lambda needle: [
            {
                "id": str(new_id()), "text": needle, "section": "other", "said_at": NOW.isoformat(),
                "sources": [{"kind": "item", "id": str(item)}], "stated": False, "slot": "", "value": "", "parts": [],
            }
        ],
    }  # fmt: skip
