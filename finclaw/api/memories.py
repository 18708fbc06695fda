"""Memories: list, read, correct, confirm, settle, undo, and the history of each."""

from __future__ import annotations

from functools import partial
from io import BytesIO
from typing import Any
from uuid import UUID

from django.urls import path
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from consent.models import ErasureScope
from finclaw.api.base import ApiView
from finclaw.api.erasures import ConfirmInput, DeletionReceiptOutput, ForgettingView, SourcesQuery
from finclaw.api.items import ItemOutput, ReferencingList, ReferencingRow, Shown
from finclaw.api.masking import MayBeMasked, masked_in
from finclaw.api.memory_additions import AddedOutput, AdditionInput, LearningOutput, add_memories, checked_metadata
from finclaw.api.operations import FORGETS, LEARNS, READS_BODY, located, raises
from finclaw.api.parsers import StorableJSONParser
from finclaw.api.schema import PAGE, page_of
from finclaw.api.serializers import MomentField, QuerySerializer, StrictSerializer
from memory.models import EvolutionEvent, MemoryItem
from memory.services.conflicts import settle_conflict
from memory.services.history import changes_of, undo
from memory.services.item_decisions import MAX_CONTENT_CHARS, correct, reject, withdraw_memory
from memory.services.item_queries import history_of, item_of, items_matching
from memory.services.items import confirm
from memory.services.recorded_states import item_as_recorded, items_as_recorded
from memory.services.references import without_hidden_ids

QUERY_CHARS = 200


class ListInput(QuerySerializer):
    """Without ``state``, ``valid_at``, ``known_at`` or ``include_invalid``: what is in force now."""

    memory_type = serializers.ChoiceField(choices=MemoryItem.MemoryType.choices, required=False)
    epistemic_type = serializers.ChoiceField(choices=MemoryItem.EpistemicType.choices, required=False)
    state = serializers.ChoiceField(choices=MemoryItem.State.choices, required=False)
    valid_at = MomentField(required=False, help_text="True of the world at this time.")
    known_at = MomentField(required=False, help_text="As it was remembered, and recorded, at this time.")
    include_invalid = serializers.BooleanField(default=False, help_text="Those that are no longer true too.")
    q = serializers.CharField(max_length=QUERY_CHARS, required=False, help_text="Words that stand in it.")
    metadata = serializers.CharField(
        max_length=QUERY_CHARS * 2, required=False, help_text="A JSON object: what its `attributes.metadata` holds."
    )

    def validate_metadata(self, written: str) -> dict[str, Any]:
        """The object that is written. Raises ``ValidationError`` for anything else."""
        try:
            held = StorableJSONParser().parse(BytesIO(written.encode()))
        except ParseError:
            held = None
        if not isinstance(held, dict):
            raise serializers.ValidationError(_("Give a JSON object."))
        return held


class KnownQuery(QuerySerializer):
    known_at = MomentField(required=False, help_text="As it was recorded at this time.")


class CorrectionInput(StrictSerializer):
    content = serializers.CharField(max_length=MAX_CONTENT_CHARS)
    reason = serializers.CharField(max_length=500, default="", allow_blank=True)
    metadata = serializers.DictField(required=False)

    def validate_metadata(self, metadata: dict[str, Any]) -> dict[str, Any]:
        return checked_metadata(metadata)


class CorrectedOutput(MayBeMasked, ItemOutput):
    class Meta(ItemOutput.Meta):
        fields = (*ItemOutput.Meta.fields, "masked")  # type: ignore[assignment]


class MemoryChangeOutput(ReferencingRow[EvolutionEvent]):
    change_id = serializers.UUIDField(source="id")
    memory_id = serializers.UUIDField(source="item_id", help_text="The version that was changed, or that was written.")
    at = serializers.DateTimeField(source="created_at")
    inputs = serializers.DictField(help_text="What the rule went by: ids and numbers.")

    class Meta:
        model = EvolutionEvent
        list_serializer_class = ReferencingList
        fields = ("change_id", "memory_id", "action", "actor", "rule", "inputs", "at", "undone_at")

    def without_hidden_ids(self, shown: list[Shown]) -> list[Shown]:
        inputs = without_hidden_ids([change["inputs"] for change in shown])
        return [change | {"inputs": ids} for change, ids in zip(shown, inputs, strict=True)]


class HistoryOutput(serializers.Serializer[Any]):
    results = ItemOutput(many=True)
    changes = MemoryChangeOutput(many=True)


class ItemViews(ApiView):
    """The common part of the views of one memory."""

    def represent(self, key: str) -> Any:
        """The memory that a write left in force."""
        return ItemOutput(item_of(self.permit, UUID(key))).data


class MemoriesView(ForgettingView):
    query_inputs = {"GET": ListInput}

    @extend_schema(operation_id="memory_list", parameters=[ListInput, *PAGE], responses=page_of(ItemOutput))
    def get(self, request: Request) -> Response:
        """Your memories, latest first; none without memory_learning_allowed."""
        found = items_matching(self.permit, **self.query)
        known_at = self.query.get("known_at")
        then = partial(items_as_recorded, self.permit, known_at=known_at) if known_at else list
        return self.page(found, ItemOutput, ordering="-created_at", shown_as=then)

    @located("memory", "memory_id", status=201)
    @located("job", "job_id", status=202)
    @raises(*LEARNS, "kind_withheld", "not_found", "profile_consent_required", "session_archived")
    @extend_schema(operation_id="memory_add", request=AdditionInput, responses={201: AddedOutput, 202: LearningOutput})
    def post(self, request: Request) -> Response:
        """Add a conversation to learn from or, with ``infer`` off, statements word for word."""
        return add_memories(self, self.valid(AdditionInput))

    @located("erasure", "tombstone_id", status=202)
    @raises(*FORGETS, *READS_BODY, "kind_withheld")
    @extend_schema(operation_id="memory_delete_all", request=ConfirmInput, responses={202: DeletionReceiptOutput})
    def delete(self, request: Request) -> Response:
        """Forget everything learned; the messages it came from lose their words. A body must hold your user name under
        `confirm`.
        """
        self.require_confirmation(self.valid(ConfirmInput)["confirm"])
        return self.forget(ErasureScope.MEMORIES)


class MemoryView(ItemViews, ForgettingView):
    query_inputs = {"GET": KnownQuery, "DELETE": SourcesQuery}

    @extend_schema(operation_id="memory_retrieve", parameters=[KnownQuery], responses=ItemOutput)
    def get(self, request: Request, memory_id: UUID) -> Response:
        """One memory, whatever its state; with ``known_at`` as it was recorded then, if it was learned by then."""
        known_at = self.query.get("known_at")
        if known_at is None:
            return Response(ItemOutput(item_of(self.permit, memory_id)).data)
        return Response(ItemOutput(item_as_recorded(self.permit, memory_id, known_at)).data)

    @raises(*LEARNS, "kind_withheld")
    @extend_schema(operation_id="memory_correct", request=CorrectionInput, responses=CorrectedOutput)
    def patch(self, request: Request, memory_id: UUID) -> Response:
        """Correct it: the old version is superseded, the new one returned."""
        given = self.valid(CorrectionInput)
        masked = masked_in([self.user.name], content=given["content"], reason=given["reason"])
        write = partial(correct, self.permit, memory_id, **given)
        return self.once(200, write, lambda key: self.represent(key) | masked)

    @located("erasure", "tombstone_id", status=202)
    @raises(*FORGETS)
    @extend_schema(operation_id="memory_delete", parameters=[SourcesQuery], responses={202: DeletionReceiptOutput})
    def delete(self, request: Request, memory_id: UUID) -> Response:
        """Forget it with everything derived from it. Invisible at once; the receipt leads to the certificate."""
        return self.forget(ErasureScope.ITEM, str(memory_id), self.query["sources"])


class MemoryHistoryView(ApiView):
    @extend_schema(operation_id="memory_history", responses=HistoryOutput)
    def get(self, request: Request, memory_id: UUID) -> Response:
        """Every version and every change, each oldest first."""
        item = item_of(self.permit, memory_id)
        answer = {"results": history_of(self.permit, item), "changes": changes_of(self.permit, item)}
        return Response(HistoryOutput(answer).data)


class MemoryConfirmView(ItemViews):
    @raises(*LEARNS)
    @extend_schema(operation_id="memory_confirm", request=None, responses=ItemOutput)
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Confirm it: creates a confirmed version with the same words, and puts a quarantined memory in use."""
        return self.once(200, lambda: confirm(self.permit, memory_id), self.represent)


class MemoryRejectView(ItemViews):
    @raises(*LEARNS)
    @extend_schema(operation_id="memory_reject", request=None, responses=ItemOutput)
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Reject a memory in state ``quarantined``: it is never used."""
        return self.once(200, lambda: reject(self.permit, memory_id), self.represent)


class MemoryUndoView(ItemViews):
    @raises(*LEARNS, "kind_withheld")
    @extend_schema(operation_id="memory_undo", request=None, responses=ItemOutput)
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Undo the last change of this memory, whoever made it; returns the version in force."""
        return self.once(200, lambda: undo(self.permit, memory_id), self.represent)


class SettleInput(StrictSerializer):
    holds = serializers.ChoiceField(choices=["newer", "older", "both"])


class ConflictSettleView(ItemViews):
    @raises(*LEARNS)
    @extend_schema(operation_id="memory_settle", request=SettleInput, responses=ItemOutput)
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Settle a conflict: whether this memory (``newer``), the one it seems to change (``older``) or both hold.
        Returns the memory whose change ``undo`` takes back.
        """
        holds = self.valid(SettleInput)["holds"]
        return self.once(200, lambda: settle_conflict(self.permit, memory_id, holds), self.represent)


class MemoryTakeBackView(ItemViews):
    @raises(*LEARNS)
    @extend_schema(operation_id="memory_take_back", request=None, responses=ItemOutput)
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Take back what was learned from your words and not changed since: it counts as never true, and ``undo``
        restores it.
        """
        return self.once(200, lambda: withdraw_memory(self.permit, memory_id), self.represent)


urlpatterns = [
    path("memories", MemoriesView.as_view(), name="memories"),
    path("memories/<uuid:memory_id>", MemoryView.as_view(), name="memory"),
    path("memories/<uuid:memory_id>/history", MemoryHistoryView.as_view(), name="history"),
    path("memories/<uuid:memory_id>/confirm", MemoryConfirmView.as_view(), name="confirm"),
    path("memories/<uuid:memory_id>/reject", MemoryRejectView.as_view(), name="reject"),
    path("memories/<uuid:memory_id>/undo", MemoryUndoView.as_view(), name="undo"),
    path("memories/<uuid:memory_id>/settle", ConflictSettleView.as_view(), name="settle"),
    path("memories/<uuid:memory_id>/take-back", MemoryTakeBackView.as_view(), name="take_back"),
]
