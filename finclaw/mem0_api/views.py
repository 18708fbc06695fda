"""Serves mem0's memory endpoints, so that its unchanged client adds, lists, searches, corrects and forgets memories."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from consent.models import ErasureScope, Sources, Tombstone
from finclaw import erasure
from finclaw.api.erasures import certificate_url
from finclaw.api.memory_additions import AdditionInput, add_memories
from finclaw.api.serializers import QuerySerializer
from finclaw.mem0_api.base import Mem0View
from finclaw.mem0_api.filters import SCOPE_IDS, Filters
from finclaw.mem0_api.inputs import (
    Mem0Addition,
    Mem0Batch,
    Mem0Change,
    Mem0List,
    Mem0Named,
    Mem0Page,
    Mem0Query,
    Mem0Search,
    Mem0Whose,
)
from finclaw.mem0_api.shapes import Shape, change_shapes, filtered_row, history_shape, memory_shape
from foundation.accounts.models import User
from foundation.exceptions import ValidationFailed
from memory.models import ConversationEvent, MemoryItem
from memory.retrieval.conditions import ANY
from memory.retrieval.event_search import FILTER_DEPTH
from memory.retrieval.services import embed_query, search
from memory.services.item_decisions import correct
from memory.services.item_queries import history_of, items_matching, items_of
from memory.types import SearchQuery

MOST_ROWS: Final = 5_000
"""At most how many memories one request looks through."""


class AddView(Mem0View):
    def post(self, request: Request) -> Response:
        """Learn from a conversation, or with ``infer`` off keep its sentences."""
        given = self.valid(Mem0Addition)
        person = self.person_named(given)
        addition = AdditionInput(data=_addition(given))
        addition.is_valid(raise_exception=True)
        with self.acting_for(person):
            answer = add_memories(self, dict(addition.validated_data))
            if answer.status_code == 202:
                queued = "Memory processing has been queued for background execution."
                return Response({"message": queued, "status": "PENDING", "event_id": answer.data["job_id"]}, 202)
            return Response({"results": change_shapes(self.permit, answer.data["results"])})


class ListView(Mem0View):
    query_input = Mem0Page

    def post(self, request: Request) -> Response:
        """A page of the memories in force that pass the filters, the latest first."""
        size = self.query["page_size"]
        rows, count = memory_page(self, Filters(self.valid(Mem0List)["filters"]), (self.query["page"] - 1) * size, size)
        return Response({"count": count, "results": rows, **self._links(count)})

    def _links(self, count: int) -> dict[str, str | None]:
        page, size = self.query["page"], self.query["page_size"]
        address = self.request.build_absolute_uri(self.request.path)
        following = f"{address}?page={page + 1}&page_size={size}" if page * size < count else None
        return {"next": following, "previous": f"{address}?page={page - 1}&page_size={size}" if page > 1 else None}


class SearchView(Mem0View):
    def post(self, request: Request) -> Response:
        """The memories that answer a question best and pass the filters; ``*`` asks nothing, and lists them."""
        given = self.valid(Mem0Search)
        filters = Filters(given["filters"])
        if given["query"].strip() == ANY:
            listed, _count = memory_page(self, filters, 0, given["top_k"])
            return Response({"results": [{**shape, "score": 1.0} for shape in listed]})
        people, embedded = self.people_named(filters.names), embed_query(given["query"])
        query = SearchQuery(given["query"], speaker_only=True, top_k=FILTER_DEPTH, floored=True)
        found: list[Shape] = []
        for person in people:
            with self.acting_for(person) as permit:
                hits = {hit.id: hit.score for hit in search(permit, query, embedded).hits}
                for item in items_of(permit).filter(pk__in=hits):
                    shape = memory_shape(item, person)
                    if filters.passes(filtered_row(shape, person)) and hits[item.pk] >= given["threshold"]:
                        found.append({**shape, "score": hits[item.pk]})
        found.sort(key=lambda shape: -shape["score"])
        return Response({"results": found[: given["top_k"]]})


class OneMemoryView(Mem0View):
    query_input: type[QuerySerializer] = Mem0Query

    def get(self, request: Request, memory_id: UUID) -> Response:
        """The latest version of a memory."""
        with self.acting_on(memory_id) as item:
            return Response(memory_shape(item, self.person))

    def put(self, request: Request, memory_id: UUID) -> Response:
        """Correct a memory."""
        return Response(self.correct(memory_id, self.valid(Mem0Change)["text"]))

    def delete(self, request: Request, memory_id: UUID) -> Response:
        """Forget a memory with everything derived from it."""
        return Response({"message": "Memory deleted successfully!", **self.forget(memory_id)})

    def correct(self, memory_id: UUID, text: str) -> Shape:
        """The corrected memory."""
        with self.acting_on(memory_id) as item:
            return memory_shape(correct(self.permit, item.pk, text), self.person)

    def forget(self, memory_id: UUID) -> Shape:
        """The receipt of a memory's erasure."""
        with self.acting_on(memory_id) as item:
            made = forget(self.person, ErasureScope.ITEM, str(item.pk))
        return erasure_shape(self.request, made)


class HistoryView(Mem0View):
    def get(self, request: Request, memory_id: UUID) -> Response:
        """The versions of a memory, the oldest first."""
        with self.acting_on(memory_id) as item:
            return Response(history_shape(history_of(self.permit, item), self.person))


class DeleteAllView(Mem0View):
    query_input: type[QuerySerializer] = Mem0Named

    def delete(self, request: Request) -> Response:
        """Forget everything learned about one person."""
        person = self.person_named(self.query)
        with self.acting_for(person):
            made = forget(person, ErasureScope.MEMORIES)
        return Response({"message": "Memories deleted successfully!", **erasure_shape(request, made)})


class ServerMemoriesView(AddView, DeleteAllView):
    """The collection of mem0's own server: added to, listed and emptied at one address."""

    query_input = QuerySerializer
    query_inputs: ClassVar = {"GET": Mem0Whose, "DELETE": Mem0Named}

    def get(self, request: Request) -> Response:
        """The memories of one user, the latest first."""
        person = self.person_named(self.query)
        with self.acting_for(person) as permit:
            latest = bounded(items_matching(permit), MOST_ROWS)
            return Response({"results": [memory_shape(item, person) for item in latest]})


class BatchView(OneMemoryView):
    query_input = QuerySerializer
    http_method_names = ("put", "delete")

    def put(self, request: Request, memory_id: UUID | None = None) -> Response:
        """Correct several memories."""
        rows = self.valid(Mem0Batch)["memories"]
        if any("text" not in row for row in rows):
            raise ValidationFailed(details={"memories": [_("Give each memory its new text.")]})
        with transaction.atomic():  # all or none, whoever they belong to
            for row in sorted(rows, key=self._place):
                self.correct(row["memory_id"], row["text"])
        return Response({"message": f"Successfully updated {len(rows)} memories"})

    def delete(self, request: Request, memory_id: UUID | None = None) -> Response:
        """Forget several memories."""
        named = {row["memory_id"]: row for row in self.valid(Mem0Batch)["memories"]}
        with transaction.atomic():  # all or none, whoever they belong to
            erasures = [self.forget(row["memory_id"]) for row in sorted(named.values(), key=self._place)]
        return Response({"message": f"Successfully deleted {len(named)} memories", "erasures": erasures})

    def _place(self, row: Mapping[str, Any]) -> tuple[UUID, UUID]:
        """A memory's sort key in every batch. Batches lock rows in this order, so two of them cannot deadlock."""
        return self.owner_of(row["memory_id"]).pk, row["memory_id"]


def memory_page(view: Mem0View, filters: Filters, first: int, size: int) -> tuple[list[Shape], int]:
    """A page of ``size`` memories in force that pass the filters, starting at index ``first``, and their total count.

    The users follow one another; of each, the latest memories come first.
    """
    rows: list[Shape] = []
    count = looked_through = 0
    for person in view.people_named(filters.names):
        with view.acting_for(person) as permit:
            matching = items_matching(permit)
            found: QuerySet[MemoryItem] | list[MemoryItem] = matching
            if not filters.is_about_people_alone:
                every = bounded(matching, MOST_ROWS - looked_through)
                looked_through += len(every)
                found = [item for item in every if filters.passes(_row(item, person))]
            elif not filters.passes(filtered_row({}, person)):
                continue
            page = found[max(0, first - count) : max(0, first + size - count)]
            rows += [memory_shape(item, person) for item in page]
            count += found.count() if isinstance(found, QuerySet) else len(found)
    return rows, count


def bounded(items: QuerySet[MemoryItem], most: int) -> list[MemoryItem]:
    """All the items. Raises ``ValidationFailed`` for more than ``most``: a part would be taken for the whole."""
    found = list(items[: most + 1])
    if len(found) > most:
        told = _("More than %(limit)d memories are concerned. Page through them at /v3/memories/ by user_id alone.")
        raise ValidationFailed(details={"filters": [told % {"limit": MOST_ROWS}]})
    return found


def forget(person: User, scope: ErasureScope, target: str = "") -> Tombstone:
    """Forget this of a person, also in the messages that it came from. Call acting for them."""
    return erasure.forget(person, scope, target, Sources.REDACT, source="api")


def erasure_shape(request: Request, made: Tombstone) -> Shape:
    """What a deletion answers beside mem0's message: the receipt, and where the certificate will be."""
    return {"receipt_id": str(made.pk), "certificate_url": certificate_url(request, made)}


def _addition(given: dict[str, Any]) -> dict[str, Any]:
    """The body for our own address of additions, without messages of other roles, such as system and tool."""
    said_at = {}
    if "timestamp" in given:
        said_at["timestamp"] = datetime.fromtimestamp(given["timestamp"], UTC).isoformat()
    said = [
        {**{name: message[name] for name in ("role", "name") if name in message}, **said_at}
        | {"content": _text_of(message.get("content"))}
        for message in given["messages"]
        if message.get("role") in ConversationEvent.Role.values
    ]
    # only what is kept word for word has metadata to hold them
    scope = {} if given["infer"] else {name: given[name] for name in SCOPE_IDS if given.get(name)}
    return {"messages": said, "infer": given["infer"], "metadata": given["metadata"] | scope}


def _text_of(content: Any) -> Any:
    """The text of a message, which may come in blocks."""
    if not isinstance(content, list):
        return content
    return "\n".join(str(block.get("text", "")) for block in content if isinstance(block, dict))


def _row(item: MemoryItem, person: User) -> Shape:
    return filtered_row(memory_shape(item, person), person)
