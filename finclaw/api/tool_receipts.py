"""How what the assistant ran came out: the representation that receipts and research tasks share."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from rest_framework import serializers

from consent.permit import Permit
from memory.models import ToolReceipt
from memory.services.tool_receipts import tool_receipts_of


class ToolReceiptOutput(serializers.ModelSerializer[ToolReceipt]):
    """One tool that the model called, skill, or step of research: names, codes and numbers, never words."""

    counts = serializers.DictField(child=serializers.IntegerField(), help_text="Of what it found or made, by name.")
    at = serializers.DateTimeField(source="created_at")

    class Meta:
        model = ToolReceipt
        fields = ("kind", "tool", "skill", "outcome", "error_code", "duration_ms", "counts", "at")


def show_tool_receipts(permit: Permit, run_id: UUID) -> list[dict[str, Any]]:
    """How each run of the user's reply or research task came out, in order."""
    return [dict(row) for row in ToolReceiptOutput(tool_receipts_of(permit, run_id), many=True).data]
