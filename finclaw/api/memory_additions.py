"""Adding memories, with the parameter names of mem0."""

from __future__ import annotations

import json
from datetime import datetime
from itertools import repeat
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.response import Response

from consent.sensitive.services import screen_text
from finclaw.api.base import ApiView
from finclaw.api.idempotency import receipt_reference
from finclaw.api.jobs import JobOutput, show_job
from finclaw.api.masking import MayBeMasked, masked_in
from finclaw.api.serializers import BoundedList, MomentField, StrictSerializer, message_text
from foundation.outbox.models import OutboxMessage
from memory.core import MEMORY, Observation
from memory.learning.added_conversations import add_conversation
from memory.models import ConversationEvent, MemoryItem
from memory.services.item_decisions import MAX_CONTENT_CHARS, STATED_KINDS
from memory.services.item_queries import items_of
from memory.types import ASSISTANT, NewMessage

MAX_MESSAGES = 100
METADATA_CHARS = 4_000
USER = ConversationEvent.Role.USER.value
_EVENTS = {"accepted": "ADD", "merged": "UPDATE", "rejected": "NONE"}
_STATUS_OF = {event: status for status, event in _EVENTS.items()}


class AddedMessage(StrictSerializer):
    role = serializers.ChoiceField(choices=ConversationEvent.Role.choices)
    content = message_text()
    name = serializers.CharField(max_length=60, required=False, default="", allow_blank=True)
    timestamp = MomentField(required=False, allow_null=True, default=None)


def checked_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """Metadata that PostgreSQL can hold: no NaN, no infinity, at most 4,000 characters. Raises ``ValidationError``."""
    try:
        size = len(json.dumps(metadata, allow_nan=False, ensure_ascii=False))
    except ValueError:
        raise serializers.ValidationError(_("Numbers must be finite.")) from None
    if size > METADATA_CHARS:
        raise serializers.ValidationError(_("At most %(limit)d characters of JSON.") % {"limit": METADATA_CHARS})
    return metadata


class AdditionInput(StrictSerializer):
    """``messages`` or ``text``. With ``infer`` off each is kept word for word, so they must be the user's own."""

    messages = BoundedList(child=AddedMessage(), required=False, min_length=1, max_length=MAX_MESSAGES)
    text = message_text(required=False)
    infer = serializers.BooleanField(default=True)
    session_id = serializers.UUIDField(required=False, allow_null=True, default=None)
    group_id = serializers.UUIDField(required=False, allow_null=True, default=None)
    metadata = serializers.DictField(required=False, default=dict)
    memory_type = serializers.ChoiceField(
        choices=list(STATED_KINDS), required=False, help_text="What a statement kept word for word is; else an insight."
    )

    def validate_metadata(self, metadata: dict[str, Any]) -> dict[str, Any]:
        return checked_metadata(metadata)

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if ("messages" in given) == ("text" in given):
            raise serializers.ValidationError(_("Give either messages or text."))
        text = given.pop("text", None)
        if text is not None:
            given["messages"] = [{"role": USER, "content": text, "name": "", "timestamp": None}]
        refuse = _refuse_learning if given["infer"] else _refuse_verbatim
        refuse(given)
        return given


def _refuse_learning(given: dict[str, Any]) -> None:
    for name in ("metadata", "memory_type"):
        if given.get(name):
            raise serializers.ValidationError({name: [_("Kept only with infer: false.")]})
    if given["session_id"] and given["group_id"]:
        raise serializers.ValidationError({"group_id": [_("The session says already which group it is of.")]})


def _refuse_verbatim(given: dict[str, Any]) -> None:
    if given["session_id"] or given["group_id"]:
        raise serializers.ValidationError({"infer": [_("A conversation is added to only with infer: true.")]})
    if any(message["role"] != USER for message in given["messages"]):
        raise serializers.ValidationError({"messages": [_("Only the person's own words are kept word for word.")]})
    if any(len(message["content"]) > MAX_CONTENT_CHARS for message in given["messages"]):
        raise serializers.ValidationError(
            {"messages": [_("At most %(limit)d characters each.") % {"limit": MAX_CONTENT_CHARS}]}
        )


class AddedItem(serializers.Serializer[Any]):
    """A statement that was kept, or was kept before."""

    memory_id = serializers.UUIDField()
    memory = serializers.CharField()
    event = serializers.ChoiceField(choices=["ADD", "UPDATE", "NONE"])
    change_id = serializers.UUIDField(allow_null=True)
    written_at = serializers.DateTimeField(allow_null=True)
    status = serializers.ChoiceField(choices=["accepted", "rejected", "merged"], allow_null=True)


class AddedOutput(MayBeMasked):
    results = AddedItem(many=True)


class LearningOutput(MayBeMasked, JobOutput):
    """The job that learns, and what was masked in the messages."""


def add_memories(view: ApiView, given: dict[str, Any]) -> Response:
    """202 with the learning job, or 201 with what was stored word for word."""
    for message in given["messages"]:
        screen_text("name", message["name"])
    names = [view.user.name, *(message["name"] for message in given["messages"])]
    masked = masked_in(names, content="\n".join(message["content"] for message in given["messages"]))
    if given["infer"]:
        return view.once(
            202, lambda: _queue_learning(view, given), lambda made: _show_learning_job(view, made) | masked
        )
    return view.once(201, lambda: _store_verbatim(view, given), lambda made: _show_stored(view, made) | masked)


def _queue_learning(view: ApiView, given: dict[str, Any]) -> OutboxMessage:
    messages = [_new_message(view, message) for message in given["messages"]]
    session_id, group_id = given["session_id"], given["group_id"]
    return add_conversation(
        view.permit, view.user, messages, session_id=session_id, group_id=group_id, program=view.program
    )


def _new_message(view: ApiView, message: dict[str, Any]) -> NewMessage:
    speaker = message["name"] or (view.user.name if message["role"] == USER else ASSISTANT)
    return NewMessage.of_text(message["role"], message["content"], speaker, occurred_at=message["timestamp"])


def _show_learning_job(view: ApiView, key: str) -> Any:
    job = OutboxMessage.objects.get(pk=key, user=view.user)
    return JobOutput(show_job(view.permit, job)).data


def _store_verbatim(view: ApiView, given: dict[str, Any]) -> dict[str, Any]:
    said = [message["content"] for message in given["messages"]]
    kind = given.get("memory_type", MemoryItem.MemoryType.INSIGHT)
    observed = [Observation(text, kind, given["metadata"], program=view.program) for text in said]
    written = [MEMORY.write_observation(view.permit, observation) for observation in observed]
    return {"receipts": [receipt_reference(receipt) for receipt in written]}


def _show_stored(view: ApiView, made: dict[str, Any]) -> Any:
    receipts = made.get("receipts") or _receipts_of_before(made)
    kept = items_of(view.permit).in_bulk([UUID(receipt["memory_id"]) for receipt in receipts])
    results = [
        receipt
        | {
            "memory": kept[key].content,
            "event": _EVENTS[receipt["status"]],
            "change_id": receipt["receipt_id"],
            "written_at": _moment(receipt["written_at"]),
        }
        for receipt in receipts
        if (key := UUID(receipt["memory_id"])) in kept
    ]
    return AddedOutput({"results": results}).data


def _moment(written_at: str | None) -> datetime | None:
    return datetime.fromisoformat(written_at) if written_at else None


def _receipts_of_before(made: dict[str, Any]) -> list[dict[str, Any]]:
    """What older versions kept of an answer for its key, for as long as such keys are kept: ids and events."""
    events = made.get("events", repeat("ADD"))
    return [
        {"memory_id": key, "status": _STATUS_OF[event], "receipt_id": None, "written_at": None}
        for key, event in zip(made["memories"], events, strict=False)
    ]
