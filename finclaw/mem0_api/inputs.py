"""Validates what mem0's client sends: bodies and query strings."""

from __future__ import annotations

from typing import Final

from rest_framework import serializers

from finclaw.api.serializers import BoundedList, QuerySerializer, StrictSerializer, message_text
from memory.retrieval.event_search import MAX_TOP_K
from memory.services.item_decisions import MAX_CONTENT_CHARS

MOST_BATCHED, FILTER_CHARS = 100, 2_000
UNUSED: Final = (
    "api_version", "async_mode", "enable_graph", "fields", "keyword_search", "latest_only", "org_id", "output_format",
    "project_id", "reference_date", "rerank", "show_expired", "source", "version",
)  # fmt: skip
"""Parameters that are accepted and change nothing here; any other unknown parameter is refused by name."""


class Mem0Input(StrictSerializer):
    also_known = frozenset(UNUSED)


class Mem0Addition(Mem0Input):
    messages = serializers.ListField(child=serializers.DictField(), min_length=1, max_length=100)
    user_id = serializers.CharField(required=False, default="")
    filters = serializers.DictField(required=False, default=dict)
    agent_id = serializers.CharField(required=False, allow_null=True, max_length=120)
    app_id = serializers.CharField(required=False, allow_null=True, max_length=120)
    run_id = serializers.CharField(required=False, allow_null=True, max_length=120)
    metadata = serializers.DictField(required=False, default=dict)
    infer = serializers.BooleanField(default=True)
    timestamp = serializers.IntegerField(required=False, min_value=0, max_value=7_258_118_400)


class Mem0List(Mem0Input):
    filters = serializers.DictField(required=False, default=dict)


class Mem0Page(QuerySerializer):
    page = serializers.IntegerField(min_value=1, max_value=10_000, default=1)
    page_size = serializers.IntegerField(min_value=1, max_value=200, default=100)


class Mem0Search(Mem0List):
    query = message_text()
    top_k = serializers.IntegerField(min_value=1, max_value=MAX_TOP_K, default=10)
    threshold = serializers.FloatField(min_value=0, required=False, default=0.0)


class Mem0Change(Mem0Input):
    text = serializers.CharField(max_length=MAX_CONTENT_CHARS)


class Mem0BatchRow(StrictSerializer):
    memory_id = serializers.UUIDField()
    text = serializers.CharField(max_length=MAX_CONTENT_CHARS, required=False)


class Mem0Batch(Mem0Input):
    memories = BoundedList(child=Mem0BatchRow(), min_length=1, max_length=MOST_BATCHED)


class Mem0Query(QuerySerializer):
    """Query parameters where the address says everything; an erasure takes what is linked in any case."""

    also_known = QuerySerializer.also_known | frozenset(UNUSED)
    delete_linked = serializers.BooleanField(required=False)


class Mem0Whose(Mem0Query):
    user_id = serializers.CharField(required=False, default="")


class Mem0Named(Mem0Whose):
    """Query parameters that name whom a deletion is for; the client writes a filter as Python does."""

    filters = serializers.CharField(required=False, default="", max_length=FILTER_CHARS)
