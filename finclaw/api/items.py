"""The representation of a memory item that all addresses share: MemoryItem schema v1 plus its state."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar

from django.db.models import Model
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from finclaw.api.aliases import ITEM_ID, AliasedIdField
from memory.models import MemoryItem
from memory.services.references import without_hidden_ids

_REFERENCES: Final[Mapping[str, Any]] = MappingProxyType({"superseded_by": None, "source_sessions": []})
"""The fields that name other rows, and their values where those are not in sight."""


Row = TypeVar("Row", bound=Model)
Shown = dict[str, Any]


class ReferencingList(serializers.ListSerializer[Any]):
    """Rows that name others: which of those the acting program sees is asked once for the whole list."""

    def to_representation(self, rows: Any) -> list[Any]:
        shown: list[Any] = super().to_representation(rows)
        return self.child.without_hidden_ids(shown) if isinstance(self.child, ReferencingRow) else shown


class ReferencingRow(serializers.ModelSerializer[Row]):
    # A row that names others by id, without the ids of what is kept from the acting program. No docstring: the
    # reference of the API would give it to every row that has none of its own.

    def to_representation(self, row: Row) -> Shown:
        shown = super().to_representation(row)
        return shown if isinstance(self.parent, ReferencingList) else self.without_hidden_ids([shown])[0]

    def without_hidden_ids(self, shown: list[Shown]) -> list[Shown]:
        """The rows without such ids."""
        raise NotImplementedError


class ProvenanceOutput(serializers.Serializer[Any]):
    """Where a memory came from: its kind, the rule that found it, the source messages, and what changed."""

    kind = serializers.ChoiceField(choices=MemoryItem.Provenance.choices)
    rule = serializers.CharField(required=False)
    program = serializers.CharField(required=False, help_text="The name of the program that it came through.")
    imported_from = serializers.CharField(required=False, help_text="The program whose export held it.")
    brought_by = serializers.UUIDField(required=False, help_text="The import whose archive held it.")
    message_ids = serializers.ListField(child=serializers.UUIDField(), required=False)
    change = serializers.CharField(required=False)
    reason = serializers.CharField(required=False)
    why = serializers.CharField(required=False)


class ItemOutput(ReferencingRow[MemoryItem]):
    memory_id = serializers.UUIDField(source="id")
    item_id = AliasedIdField(ITEM_ID, source="id")
    memory = serializers.CharField(source="content", help_text="The same as content.")
    superseded_by = serializers.UUIDField(source="superseded_by_id", allow_null=True)
    source_sessions = serializers.ListField(child=serializers.UUIDField())
    attributes = serializers.DictField()
    provenance = serializers.SerializerMethodField()
    program = serializers.SerializerMethodField()

    class Meta:
        model = MemoryItem
        list_serializer_class = ReferencingList
        fields = (
            "memory_id", "item_id", "memory", "content", "user_id", "tenant_id", "group_id", "memory_type",
            "epistemic_type",
            "category", "attributes", "state", "confidence", "provenance", "version", "superseded_by",
            "source_sessions", "program", "valid_at", "invalid_at", "created_at", "updated_at", "superseded_at",
            "last_validated_at",
        )  # fmt: skip

    def without_hidden_ids(self, shown: list[Shown]) -> list[Shown]:
        named = without_hidden_ids([item["provenance"] | {name: item[name] for name in _REFERENCES} for item in shown])
        return [_with_references(item, ids) for item, ids in zip(shown, named, strict=True)]

    @extend_schema_field(ProvenanceOutput)
    def get_provenance(self, item: MemoryItem) -> dict[str, Any]:
        return {"kind": item.provenance, **item.provenance_detail}

    def get_program(self, item: MemoryItem) -> str | None:
        return item.program or None


def _with_references(item: Shown, ids: Shown) -> Shown:
    """The memory with these ids, those of ``_REFERENCES`` as fields of its own and the rest in its provenance."""
    references = {name: ids.pop(name, empty) for name, empty in _REFERENCES.items()}
    return item | references | {"provenance": ids}
