"""Looks up known items that a statement may affect: of its subject and slot, or near to it in meaning."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Case, FloatField, QuerySet, When
from pgvector import HalfVector
from pgvector.django import CosineDistance

from consent.permit import Permit
from memory.evolution.quality_gateway import SimilarItem
from memory.evolution.slots import STATEMENT, slots_affected_by, value_key
from memory.evolution.types import KnownItem, StatementCandidate
from memory.indexing.vector_failures import with_vector_fallback
from memory.learning.extraction import EmbeddedCandidate
from memory.mentions import core_terms
from memory.models import MemoryItem, SearchEntry
from memory.services import item_queries


def known_items(permit: Permit, limit: int) -> list[KnownItem]:
    """The user's memories that a model is shown, those last said or confirmed first."""
    latest = item_queries.items_of(permit).in_use()
    return [known_item_of(row) for row in latest.order_by("-last_validated_at", "-id").values(*KNOWN_FIELDS)[:limit]]


NEAREST: Final = 3
"""A sentence can mean a memory without sharing a word with it only if that is among this many nearest ones."""
KNOWN_FIELDS: Final = ("pk", "state", "attributes", "content", "memory_type", "provenance", "confidence", "valid_at")
_JSON: Final = ("attributes", "said_in")

# Reads columns, not model objects, as a user may like a thousand things; plain SQL, as it runs for every candidate
# (measured).
_MET = """
    SELECT id, state, attributes, content, memory_type, provenance, confidence, valid_at,
           provenance_detail -> 'message_ids' AS said_in
    FROM memory_memoryitem
    WHERE user_id = %s AND superseded_at IS NULL AND tombstone_id IS NULL AND consent_version >= %s
      AND attributes ->> 'subject' = %s AND attributes ->> 'slot' = ANY(%s)
"""
_OF_VALUE = " AND attributes ->> 'value' = %s"  # finds the same statement among a user's thousands


def nearest_items(permit: Permit, messages: Sequence[UUID], limit: int) -> list[KnownItem]:
    """The user's memories in use that are nearest to any of these messages by vectors, each message's nearest first.

    Where search holds no vectors, those last said or confirmed.
    """
    ranked: list[list[UUID]] = with_vector_fallback(
        lambda: [_nearest_to(permit, *row, limit) for row in _vectors_of(permit, messages)], list
    )
    keys = list(dict.fromkeys(key for rank in zip_longest(*ranked) for key in rank if key is not None))[:limit]
    if not keys:
        return known_items(permit, limit)
    in_use = item_queries.items_of(permit).in_use().filter(pk__in=keys)
    rows = {row["pk"]: row for row in in_use.values(*KNOWN_FIELDS)}
    return [known_item_of(rows[key]) for key in keys if key in rows]


def _vectors_of(permit: Permit, messages: Sequence[UUID]) -> list[tuple[Any, str]]:
    entries = SearchEntry.objects.filter(pk__in=messages, user_id=permit.user_id).exclude(vector=None)
    return list(entries.values_list("vector", "model_id"))


def _nearest_to(permit: Permit, vector: Any, model_id: str, limit: int) -> list[UUID]:
    entries = SearchEntry.objects.filter(user_id=permit.user_id, kind=SearchEntry.Kind.ITEM, live=True)
    near = _with_distance(entries.filter(model_id=model_id), vector, model_id).order_by("distance", "pk")
    return list(near.values_list("pk", flat=True)[:limit])


def named_item(permit: Permit, candidate: StatementCandidate) -> KnownItem | None:
    """The memory in use that a model says the candidate changes or retracts.

    None where it names none, or one that is gone since.
    """
    if not candidate.related:
        return None
    row = item_queries.items_of(permit).in_use().filter(pk=candidate.related).values(*KNOWN_FIELDS).first()
    return known_item_of(row) if row else None


def is_plausible_match(permit: Permit, found: EmbeddedCandidate, named: KnownItem) -> bool:
    """Whether the candidate may well mean the memory that a model names.

    A core term of that memory stands in the quote or the statement, or it is among the ``NEAREST`` of the user's
    memories by vectors.
    """
    candidate = found.candidate
    said = core_terms(candidate.quote) | core_terms(candidate.content)
    if not core_terms(named.content).isdisjoint(said):
        return True
    if found.vector is None:
        return False
    vector = HalfVector(list(found.vector))
    near: list[UUID] = with_vector_fallback(lambda: _nearest_to(permit, vector, found.model_id, NEAREST), list)
    return named.memory_id in near


def memories_taught_by(permit: Permit, messages: Collection[UUID]) -> list[KnownItem]:
    """The memories in use that any of these messages taught or repeated."""
    named = item_queries.items_of(permit).in_use().taught_by(messages)
    return [known_item_of(row) for row in named.values(*KNOWN_FIELDS)]


def matching_items(permit: Permit, candidate: StatementCandidate, since: int) -> list[KnownItem]:
    """The open items that a candidate may affect: of its subject, in its slot or a slot met by it.

    What was stored under a consent before ``since`` awaits its purge and is left out. A quarantined item is included
    only if it has the same value, because it is not believed yet.
    """
    slot, value = candidate.attributes["slot"], value_key(candidate.attributes["value"])
    said = [candidate.attributes["value"]] if slot == STATEMENT else []
    with connection.cursor() as cursor:
        where: list[Any] = [
            permit.user_id,
            since,
            candidate.attributes["subject"],
            list(slots_affected_by(slot)),
            *said,
        ]
        cursor.execute(_MET + _OF_VALUE * len(said), where)
        rows = [dict(zip((*KNOWN_FIELDS, "said_in"), row, strict=True)) for row in cursor.fetchall()]
    found = [
        (row["state"], known_item_of(row | {name: json.loads(row[name] or "[]") for name in _JSON})) for row in rows
    ]
    waits = MemoryItem.State.QUARANTINED
    return [item for state, item in found if state != waits or value_key(item.value) == value]


def similar_items(found: EmbeddedCandidate, seen: Sequence[KnownItem]) -> list[SimilarItem]:
    """The known items of the candidate's slot whose sentences are near to its own by vectors.

    Empty where the database fails on vectors, so that only the same words count as the same; and for a correction,
    which is never a repetition of what it corrects.
    """
    slot = found.candidate.attributes["slot"]
    alike = {item.memory_id: item for item in seen if item.slot == slot}
    if found.vector is None or found.candidate.replaces or not alike:
        return []
    entries = SearchEntry.objects.filter(pk__in=alike, model_id=found.model_id)
    near = _with_distance(entries, HalfVector(list(found.vector)), found.model_id)
    within = near.filter(distance__lte=1 - settings.LEARNING_NEAR_DUPLICATE)
    return with_vector_fallback(
        lambda: [SimilarItem(alike[key], 1 - distance) for key, distance in within.values_list("pk", "distance")], list
    )


def _with_distance(entries: QuerySet[SearchEntry], vector: Any, model_id: str) -> QuerySet[Any]:
    """The entries of one model with their cosine distance to a vector of that model."""
    # Not a filter: PostgreSQL might compute the distance before it, and fail for vectors of different lengths.
    of_one_model = Case(When(model_id=model_id, then=CosineDistance("vector", vector)), output_field=FloatField())
    return entries.annotate(distance=of_one_model)


def known_item_of(row: Mapping[str, Any]) -> KnownItem:
    """A row of ``KNOWN_FIELDS``, with ``said_in`` where that was read, as a ``KnownItem``."""
    told = row["attributes"]
    return KnownItem(
        memory_id=row["pk"],
        subject=str(told.get("subject", "")),
        slot=str(told.get("slot", "")),
        value=str(told.get("value", "")),
        content=row["content"],
        memory_type=row["memory_type"],
        provenance=row["provenance"],
        confidence=row["confidence"],
        valid_at=row["valid_at"],
        said_in=tuple(row.get("said_in", ())),
        awaits_confirmation=row["state"] == MemoryItem.State.QUARANTINED,
    )
