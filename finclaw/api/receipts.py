"""The part of a receipt that its user may see: why a reply used which memories."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import ApiView
from finclaw.api.tool_receipts import ToolReceiptOutput, show_tool_receipts
from memory.models import Receipt, ReceiptLine
from memory.services.receipts import receipt_of


class CandidateOutput(serializers.ModelSerializer[ReceiptLine]):
    id = serializers.UUIDField(source="ref_id")

    class Meta:
        model = ReceiptLine
        fields = ("kind", "id", "rank", "status", "decision_reason", "context_position", "utilized",
                  "user_feedback_signal")  # fmt: skip


class ReceiptOutput(serializers.ModelSerializer[Receipt]):
    receipt_id = serializers.UUIDField(source="id")
    candidates = CandidateOutput(source="lines", many=True)
    degraded = serializers.ListField(child=serializers.CharField())
    budget = serializers.DictField(child=serializers.IntegerField())
    knowledge_ids = serializers.ListField(
        child=serializers.UUIDField(),
        help_text="The entries of what the organisation knows that the answer was given; some may be gone since.",
    )
    experiments = serializers.SerializerMethodField()
    tools = serializers.SerializerMethodField()

    class Meta:
        model = Receipt
        fields = ("receipt_id", "kind", "session_id", "message_id", "created_at", "candidates", "degraded", "budget",
                  "budget_exceeded", "unsearched_because", "answered_by", "prompt_version", "experiments",
                  "knowledge_ids", "tools")  # fmt: skip

    @extend_schema_field(serializers.DictField(child=serializers.CharField()))
    def get_experiments(self, receipt: Receipt) -> dict[str, str]:
        """The variant by which the answer was made, by the id of each experiment that the user takes part in."""
        return dict(receipt.generation_metadata.get("experiments", {}))

    @extend_schema_field(ToolReceiptOutput(many=True))
    def get_tools(self, receipt: Receipt) -> list[dict[str, Any]]:
        """The tools that the model called for the reply, and the skill it started, in their order."""
        return show_tool_receipts(self.context["permit"], receipt.message_id)


class ReceiptView(ApiView):
    @extend_schema(operation_id="receipt_retrieve", responses=ReceiptOutput)
    def get(self, request: Request, receipt_id: UUID) -> Response:
        """One receipt: every candidate, taken or left out, and why; and how each tool ran."""
        return Response(ReceiptOutput(receipt_of(self.permit, receipt_id), context={"permit": self.permit}).data)


urlpatterns = [path("receipts/<uuid:receipt_id>", ReceiptView.as_view(), name="receipt")]
