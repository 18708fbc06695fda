"""Validates what mem0's client sends: bodies and query strings."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.fields import empty

from finclaw.api.serializers import BoundedList, QuerySerializer, StrictSerializer, message_text
from memory.retrieval.event_search import MAX_TOP_K
from memory.services.item_decisions import MAX_CONTENT_CHARS

MOST_BATCHED, FILTER_CHARS = 100, 2_000
UNUSED: Final = (
    "api_version", "async_mode", "enable_graph", "fields", "keyword_search", "latest_only", "org_id", "output_format",
    "project_id", "reference_date", "rerank", "show_expired", "source", "version",
)  # fmt: skip
"""Parameters that are accepted and change nothing here; any other unknown parameter is refused by name."""

_READERS: Final[tuple[Callable[[str], Any], ...]] = (json.loads, ast.literal_eval)


class Mem0Input(StrictSerializer):
    also_known = frozenset(UNUSED)


class Mem0List(Mem0Input):
    filters = serializers.DictField(required=False, default=dict)


class Mem0AboutOne(Mem0List):
    """What is about one user, named by ``user_id`` or by filters on it alone."""

    user_id = serializers.CharField(required=False, default="")


class Mem0Addition(Mem0AboutOne):
    messages = serializers.ListField(child=serializers.DictField(), min_length=1, max_length=100)
    agent_id = serializers.CharField(required=False, allow_null=True, max_length=120)
    app_id = serializers.CharField(required=False, allow_null=True, max_length=120)
    run_id = serializers.CharField(required=False, allow_null=True, max_length=120)
    metadata = serializers.DictField(required=False, default=dict)
    infer = serializers.BooleanField(default=True)
    timestamp = serializers.IntegerField(required=False, min_value=0, max_value=7_258_118_400)


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


class LiteralField(serializers.CharField):
    """A filter in a query string, as JSON or, as mem0's client writes it, as Python does."""

    def run_validation(self, data: Any = empty) -> Any:
        text = super().run_validation(data)
        for read in _READERS:
            with suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                return read(text)
        raise serializers.ValidationError(_("This is not a filter."))


class Mem0Named(Mem0Whose):
    """Query parameters that name whom a deletion is for."""

    filters = LiteralField(required=False, default="{}", max_length=FILTER_CHARS)
