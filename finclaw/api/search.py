"""Hybrid search over memories, events and messages. Not atomic: a remote model may embed the question first."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from django.conf import settings
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.permit import Permit
from finclaw.api.base import NonAtomicView
from finclaw.api.events import EventOutput
from finclaw.api.items import ItemOutput
from finclaw.api.messages import MessageOutput
from finclaw.api.operations import raises
from finclaw.api.serializers import MomentField, StrictSerializer, message_text, score_floor
from foundation.accounts.groups import group_of
from foundation.database.replica import reading_from_replica
from foundation.exceptions import NotFound
from memory.exceptions import MemoryUnavailable
from memory.models import ConversationEvent, MemoryItem
from memory.retrieval.event_search import FILTER_DEPTH, MAX_TOP_K, search_events
from memory.retrieval.message_search import search_messages
from memory.retrieval.services import EmbeddedQuery, embed_query, search
from memory.services.item_queries import items_of
from memory.services.recorded_states import items_as_recorded
from memory.types import SearchHit, SearchQuery, SearchResult

EXPLAINED = ("semantic", "lexical", "recency", "confidence_effective", "provenance", "frequency")


class FiltersInput(StrictSerializer):
    memory_type = serializers.ChoiceField(choices=MemoryItem.MemoryType.choices, required=False)
    epistemic_type = serializers.ChoiceField(choices=MemoryItem.EpistemicType.choices, required=False)
    category = serializers.CharField(max_length=60, required=False)
    group_id = serializers.UUIDField(required=False)


class MemorySearchInput(StrictSerializer):
    query = message_text()
    top_k = serializers.IntegerField(min_value=1, max_value=MAX_TOP_K, default=8)
    filters = FiltersInput(required=False, default=dict)
    valid_at = MomentField(required=False, allow_null=True, default=None)
    known_at = MomentField(required=False, allow_null=True, default=None)
    explain = serializers.BooleanField(default=False)
    min_score = score_floor()


class EventSearchInput(StrictSerializer):
    query = message_text()
    target_user_id = serializers.UUIDField(required=False, allow_null=True, default=None)
    target_group_id = serializers.UUIDField(required=False, allow_null=True, default=None)
    top_k = serializers.IntegerField(min_value=1, max_value=MAX_TOP_K, default=lambda: settings.COGNITIVE_TOOL_TOP_K)
    time_from = MomentField(required=False, allow_null=True, default=None)
    time_to = MomentField(required=False, allow_null=True, default=None)
    min_score = score_floor()


class MessageSearchInput(StrictSerializer):
    query = message_text()
    top_k = serializers.IntegerField(min_value=1, max_value=MAX_TOP_K, default=20)
    min_score = score_floor()


class ExplainOutput(serializers.Serializer[Any]):
    semantic = serializers.FloatField()
    lexical = serializers.FloatField()
    recency = serializers.FloatField()
    confidence_effective = serializers.FloatField()
    provenance = serializers.FloatField()
    frequency = serializers.FloatField()


class FoundItemOutput(ItemOutput):
    score = serializers.FloatField()
    explain = ExplainOutput(required=False)

    class Meta(ItemOutput.Meta):
        fields = (*ItemOutput.Meta.fields, "score", "explain")  # type: ignore[assignment]


class FoundEventOutput(EventOutput):
    score = serializers.FloatField()

    class Meta(EventOutput.Meta):
        fields = (*EventOutput.Meta.fields, "score")  # type: ignore[assignment]


class FoundMessageOutput(MessageOutput):
    title = serializers.CharField(source="session.title", help_text="The conversation's.")
    score = serializers.FloatField()

    class Meta(MessageOutput.Meta):
        fields = (*MessageOutput.Meta.fields, "title", "score")  # type: ignore[assignment]


class FoundItemsOutput(serializers.Serializer[Any]):
    results = FoundItemOutput(many=True)
    degraded = serializers.ListField(child=serializers.CharField())


class FoundEventsOutput(serializers.Serializer[Any]):
    results = FoundEventOutput(many=True)
    degraded = serializers.ListField(child=serializers.CharField())


class FoundMessagesOutput(serializers.Serializer[Any]):
    results = FoundMessageOutput(many=True)
    degraded = serializers.ListField(child=serializers.CharField())


class MemorySearchView(NonAtomicView):
    @raises("not_found")
    @extend_schema(operation_id="memory_search", request=MemorySearchInput, responses=FoundItemsOutput)
    def post(self, request: Request) -> Response:
        """The memories that answer a question best; none where none is relevant."""
        given = self.valid(MemorySearchInput)
        embedded = embed_query(given["query"])
        filters = dict(given["filters"])
        with reading_from_replica(), self.acting() as permit:
            group_id = filters.pop("group_id", None)
            if group_id is not None:
                group_of(self.user, group_id)
            found = self._search(_memory_query(given, group_id, deep=bool(filters)), embedded)
            rows = _found_rows(permit, found, filters, given["known_at"])
            fitting = (hit for hit in found.hits if hit.id in rows and hit.score >= given["min_score"])
            hits = list(islice(fitting, given["top_k"]))
            items = ItemOutput([rows[hit.id] for hit in hits], many=True).data
        results = [_show_hit(item, hit, explain=given["explain"]) for item, hit in zip(items, hits, strict=True)]
        return Response({"results": results, "degraded": list(found.degraded)})

    def _search(self, query: SearchQuery, embedded: EmbeddedQuery) -> SearchResult:
        """The hits; none, and ``memory_unavailable``, where memory cannot be read in time."""
        try:
            return search(self.permit, query, embedded)
        except MemoryUnavailable as error:
            return SearchResult((), "", 0.0, (*embedded.degraded, error.code))


def _memory_query(given: dict[str, Any], group_id: UUID | None, *, deep: bool) -> SearchQuery:
    return SearchQuery(
        given["query"],
        ("item",),
        group_id=group_id,
        speaker_only=True,
        top_k=FILTER_DEPTH if deep else given["top_k"],
        valid_at=given["valid_at"],
        known_at=given["known_at"],
        floored=True,
    )


def _found_rows(
    permit: Permit, found: SearchResult, filters: Mapping[str, Any], known_at: datetime | None
) -> dict[UUID, MemoryItem]:
    """The memories that were found and pass the filters, as they were recorded at ``known_at``."""
    rows = list(items_of(permit).filter(pk__in=[hit.id for hit in found.hits]))
    recorded = items_as_recorded(permit, rows, known_at) if known_at else rows
    return {row.pk: row for row in recorded if all(getattr(row, name) == value for name, value in filters.items())}


def _show_hit(item: Mapping[str, Any], hit: SearchHit, *, explain: bool) -> dict[str, Any]:
    shown = dict(item) | {"score": hit.score}
    return shown | {"explain": {name: hit.signals[name] for name in EXPLAINED}} if explain else shown


class EventSearchView(NonAtomicView):
    @raises("not_found")
    @extend_schema(operation_id="event_search", request=EventSearchInput, responses=FoundEventsOutput)
    def post(self, request: Request) -> Response:
        """The events that answer a question best: your own, or those of one of your groups; none where none is
        relevant. With both targets, what you told in that group.
        """
        given = self.valid(EventSearchInput)
        self._require_reach(given)
        embedded = embed_query(given["query"])
        with reading_from_replica(), self.acting() as permit:
            try:
                searched = search_events(permit, _event_query(given), embedded, own_only=_is_own_in_group(given))
            except MemoryUnavailable as error:
                return Response({"results": [], "degraded": [*embedded.degraded, error.code]})
            found = [(event, hit) for event, hit in searched.events if hit.score >= given["min_score"]]
            results = [dict(EventOutput(event).data) | {"score": hit.score} for event, hit in found]
        return Response({"results": results, "degraded": list(searched.found.degraded)})

    def _require_reach(self, given: dict[str, Any]) -> None:
        if given["target_user_id"] not in {None, self.user.pk}:
            raise NotFound()
        if given["target_group_id"] is not None:
            group_of(self.user, given["target_group_id"])


class MessageSearchView(NonAtomicView):
    @extend_schema(operation_id="message_search", request=MessageSearchInput, responses=FoundMessagesOutput)
    def post(self, request: Request) -> Response:
        """The messages in your own conversations that answer a question best; none without memory_learning_allowed."""
        given = self.valid(MessageSearchInput)
        embedded = embed_query(given["query"])
        with reading_from_replica(), self.acting() as permit:
            try:
                found = search_messages(permit, embedded, given["top_k"])
            except MemoryUnavailable as error:
                return Response({"results": [], "degraded": [*embedded.degraded, error.code]})
            hits = [(message, hit) for message, hit in found.messages if hit.score >= given["min_score"]]
            results = [_show_message(message, hit) for message, hit in hits]
        return Response({"results": results, "degraded": list(found.degraded)})


def _show_message(message: ConversationEvent, hit: SearchHit) -> dict[str, Any]:
    return dict(MessageOutput(message).data) | {"title": message.session.title, "score": hit.score}


def _event_query(given: dict[str, Any]) -> SearchQuery:
    return SearchQuery(
        given["query"], ("event",), group_id=given["target_group_id"], top_k=given["top_k"],
        time_from=given["time_from"], time_to=given["time_to"], floored=True,
    )  # fmt: skip


def _is_own_in_group(given: dict[str, Any]) -> bool:
    """Whether the search is limited to the user's own events in a group; without a group everything is their own."""
    return given["target_user_id"] is not None and given["target_group_id"] is not None


urlpatterns = [
    path("memories/search", MemorySearchView.as_view(), name="memory_search"),
    path("messages/search", MessageSearchView.as_view(), name="message_search"),
    path("events/search", EventSearchView.as_view(), name="event_search"),
]
