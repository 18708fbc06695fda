"""How what the assistant ran came out: the representation that receipts and research tasks share."""

from __future__ import annotations

from rest_framework import serializers

from memory.models import ToolReceipt


class ToolReceiptOutput(serializers.ModelSerializer[ToolReceipt]):
    """One tool that the model called, skill, or step of research: names, codes and numbers, never words."""

    counts = serializers.DictField(child=serializers.IntegerField(), help_text="Of what it found or made, by name.")
    at = serializers.DateTimeField(source="created_at")

    class Meta:
        model = ToolReceipt
        fields = ("kind", "tool", "skill", "outcome", "error_code", "duration_ms", "counts", "at")
