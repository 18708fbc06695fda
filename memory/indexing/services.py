"""Writes search entries and keeps them in step with the rows they stand for."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any, Final
from uuid import UUID

import numpy as np
import structlog
from django.db import connection
from django.utils import timezone
from pgvector import HalfVector
from pgvector.psycopg.halfvec import HalfVectorBinaryDumper

from foundation.database.acting_user import acting_as, in_role
from foundation.database.bulk_insert import columns_of
from foundation.database.policies import ME
from foundation.database.roles import OPERATOR_ROLE
from foundation.embeddings import configured_embedder
from foundation.embeddings.exceptions import EmbeddingUnavailable
from foundation.llm import is_model_configured
from foundation.outbox import services as outbox
from foundation.outbox.models import Priority
from foundation.personal_data import ConsentScope
from foundation.sanitization.verdicts import needs_second_look, rules_version, verdict_on
from foundation.telemetry.metrics import DEGRADED
from memory.indexing.documents import SearchDocument, terms_literals, turn_documents
from memory.models import ConversationEvent, SearchEntry

log = structlog.get_logger(__name__)
NEIGHBOUR_REACH = 2  # how many messages to either side add their words to a message's entry
UNJUDGED: Final = ("", "", True)
SECOND_LOOK_TOPIC = "memory.look_again"
Vector = Sequence[float] | None
Vectors = Sequence[Vector]


def embed(texts: Sequence[str]) -> tuple[Vectors, str]:
    """The vectors of the passages and the model's id. Without a working model: no vectors, and a log line."""
    embedder = configured_embedder()
    try:
        return list(embedder.embed_passages(texts)), embedder.model_id
    except EmbeddingUnavailable as error:
        DEGRADED.labels(reason=error.code).inc()
        log.warning("not_embedded", rows=len(texts), error=type(error).__name__)
        return [None] * len(texts), ""


# Runs for every message: plain SQL with a binary vector takes a fifth of the ORM's time (measured).
_STORE = """
    INSERT INTO memory_searchentry (id, kind, user_id, group_id, session_id, occurred_at, live, terms, created_at,
                                    verdict, judged_by, awaits_second_look, model_id{vector})
    VALUES (%s, %s, %s, %s, %s, %s, true, %s, %s, %s, %s, %s, %s{value})
    ON CONFLICT (id) DO UPDATE SET terms = excluded.terms, vector = excluded.vector,
                                   quantized = excluded.quantized, model_id = excluded.model_id, live = excluded.live,
                                   occurred_at = excluded.occurred_at, verdict = excluded.verdict,
                                   judged_by = excluded.judged_by,
                                   awaits_second_look = excluded.awaits_second_look
"""
_STORE_WITH_VECTOR = _STORE.format(
    vector=", vector, quantized", value=", %s::halfvec, binary_quantize(%s::halfvec)::varbit"
)
# Without a working extension PostgreSQL cannot even read a NULL as a vector: the statement leaves the columns out.
_STORE_WITHOUT = _STORE.format(vector="", value="")


def store_entries(documents: Sequence[SearchDocument], vectors: Vectors, model_id: str, *, judge: bool = True) -> None:
    """Write or rewrite the entries of the user's documents.

    ``judge=False`` leaves it to a background job to judge whether the texts may stand in a prompt: for bulk writes.
    """
    now = timezone.now()
    verdicts = [_judged(document) if judge else UNJUDGED for document in documents]
    values = [
        (*_entry_values(document, terms, now), *verdict)
        for document, terms, verdict in zip(documents, terms_literals(documents), verdicts, strict=True)
    ]
    embedded = [
        (*row, model_id, *[HalfVector(np.asarray(vector))] * 2)
        for row, vector in zip(values, vectors, strict=True)
        if vector is not None
    ]
    others = [(*row, "") for row, vector in zip(values, vectors, strict=True) if vector is None]
    with connection.cursor() as cursor:
        cursor.adapters.register_dumper(HalfVector, HalfVectorBinaryDumper)
        for statement, rows in ((_STORE_WITH_VECTOR, embedded), (_STORE_WITHOUT, others)):
            if rows:  # ``executemany`` would contact the server even without rows
                cursor.executemany(statement, rows)
    if judge and is_model_configured():
        waiting = [document for document, (*_, waits) in zip(documents, verdicts, strict=True) if waits]
        for owner, own in groupby(waiting, key=attrgetter("user_id")):
            _queue_second_look([document.id for document in own], owner)


def _judged(document: SearchDocument) -> tuple[str, str, bool]:
    """The rules' verdict on a document's text, the version of the rules, and whether a model should check it too."""
    waits = document.kind != "profile" and needs_second_look(document.prompt_text)
    return verdict_on(document.prompt_text), rules_version(), waits


def _queue_second_look(keys: Sequence[UUID], user_id: UUID) -> None:
    """Queue the check of these texts by a model, so that they need not wait minutes for the schedule."""
    if keys:
        outbox.enqueue(
            SECOND_LOOK_TOPIC,
            user_id=user_id,
            payload={"entries": [str(key) for key in keys]},
            scope=ConsentScope.MEMORY_LEARNING.value,
            priority=Priority.LOW,
            wake=False,
        )


_ADD_VECTOR = """
    UPDATE memory_searchentry
    SET vector = %(vector)s::halfvec, quantized = binary_quantize(%(vector)s::halfvec)::varbit, model_id = %(model)s
    WHERE id = %(id)s AND tombstone_id IS NULL AND model_id <> %(model)s
"""


def add_vectors(vectors: Mapping[UUID, Sequence[float]], model_id: str) -> None:
    """Add vectors, in full and quantized for a search's two passes, to the user's entries without one of this model."""
    rows: list[dict[str, Any]] = [
        {"id": key, "vector": HalfVector(np.asarray(vector)), "model": model_id} for key, vector in vectors.items()
    ]
    if rows:
        with connection.cursor() as cursor:
            cursor.adapters.register_dumper(HalfVector, HalfVectorBinaryDumper)
            cursor.executemany(_ADD_VECTOR, rows)


def _entry_values(document: SearchDocument, terms: str, now: datetime) -> tuple[Any, ...]:
    of_document = (document.id, document.kind, document.user_id, document.group_id, document.session_id)
    return (*of_document, document.occurred_at, terms, now)


# Runs for every message, too: plain SQL takes a tenth of the time that the ORM's three queries take.
_SURROUNDINGS = """
    WITH of AS (
        SELECT min(seq) - {margin} AS first, max(seq) + {margin} AS last FROM memory_conversationevent
        WHERE id = ANY(%(of)s) AND tombstone_id IS NULL
    )
    SELECT {columns}, coalesce(nullif(CASE WHEN s.user_id = e.user_id THEN s.time_zone END, ''), u.time_zone),
           EXISTS (SELECT FROM memory_searchentry i WHERE i.id = e.id AND i.tombstone_id IS NULL)
    FROM of, memory_conversationevent e
    JOIN accounts_user u ON u.id = e.user_id
    LEFT JOIN memory_session s ON s.id = e.session_id AND s.tombstone_id IS NULL
    WHERE e.session_id = %(session)s AND e.seq BETWEEN of.first AND of.last AND e.learnable AND e.tombstone_id IS NULL
    ORDER BY e.seq
"""


def messages_with_neighbours(session_id: UUID, of: Collection[UUID]) -> list[ConversationEvent]:
    """The learnable messages whose entries change when the messages ``of`` do, and the neighbours of those.

    Each has its ``zone`` (see ``with_clock``) and whether it is ``indexed``. A message written without consent to
    learning is no neighbour of any other.
    """
    columns = [field.attname for field in ConversationEvent._meta.concrete_fields]
    statement = _SURROUNDINGS.format(columns=columns_of(ConversationEvent, "e"), margin=2 * NEIGHBOUR_REACH)
    with connection.cursor() as cursor:
        cursor.execute(statement, {"session": session_id, "of": list(of)})
        return [_surrounding(columns, row) for row in cursor.fetchall()]


def _surrounding(columns: list[str], row: tuple[Any, ...]) -> ConversationEvent:
    event = ConversationEvent.from_db(connection.alias, columns, row[: len(columns)])
    event.content = json.loads(event.content)
    event.zone, event.indexed = row[len(columns) :]
    return event


def neighbour_text_sources(events: Sequence[ConversationEvent], new: Collection[UUID]) -> list[ConversationEvent]:
    """The events whose words may stand in the entries of others: new messages, and those that have an entry.

    A message without one was purged, or waits for its own indexing, which then refreshes the others.
    """
    return [event for event in events if event.indexed or event.pk in new]


# Groups first, in the order of their keys; the outer SELECT locks them one after the other.
_LOCK_CONVERSATION = f"""
    SELECT pg_advisory_xact_lock(key) FROM (
        SELECT 0 AS place, hashtextextended(group_id::text, 0) AS key FROM accounts_membership WHERE user_id = {ME}
        UNION SELECT 0, hashtextextended(group_id::text, 0) FROM memory_session
              WHERE id = %(session)s AND group_id IS NOT NULL
        UNION SELECT 1, hashtextextended(%(session)s::text, 0)
        ORDER BY place, key OFFSET 0
    ) AS ordered
"""  # noqa: S608  our own constant


def lock_conversation(session_id: UUID) -> None:
    """Lock the terms of this conversation's entries until the transaction ends. Call while acting for the user.

    All groups that the user is or was in are locked with it, and the conversation's group, always in the same order:
    learning from one conversation may change entries of another, and two members who began in different ones would
    deadlock. Read the messages after locking, or words removed meanwhile would be written again.
    """
    with connection.cursor() as cursor:
        cursor.execute(_LOCK_CONVERSATION, {"session": session_id})


def rebuild_shared_terms(session_ids: Collection[UUID]) -> int:
    """Rebuild the terms of these conversations' entries after some of their messages were taken out of search.

    The acting user may have left the group: messages are read in the operator role, and each entry is written while
    acting as its owner. Returns how many were written.
    """
    documents: list[SearchDocument] = []
    for session_id in sorted(session_ids):
        lock_conversation(session_id)
        documents += _shared_documents(session_id)
    for owner, own in groupby(documents, key=attrgetter("user_id")):
        with acting_as(owner):
            write_terms(list(own))
    return len(documents)


def _shared_documents(session_id: UUID) -> list[SearchDocument]:
    """The documents of a conversation's messages, by owner.

    If a user left the group before their message was indexed, its entry is private and adds no words to other users'.
    """
    with in_role(OPERATOR_ROLE):
        rows = ConversationEvent.objects.filter(session_id=session_id, learnable=True).with_clock().order_by("seq")
        events = list(rows)
        entries = SearchEntry.objects.filter(pk__in=[event.pk for event in events])
        group_of = dict(entries.values_list("pk", "group_id"))
    documents = []
    indexed = [event for event in events if event.pk in group_of]
    for owner in sorted({event.user_id for event in indexed}):
        lent = [event for event in indexed if event.user_id == owner or group_of[event.pk] is not None]
        documents += turn_documents(lent, [event.pk for event in lent if event.user_id == owner])
    return documents


def refresh_neighbours(events: Sequence[ConversationEvent], around: Iterable[UUID]) -> None:
    """Add the words of the messages ``around`` to the entries of their neighbours, whose vectors stay unchanged."""
    write_terms(turn_documents(events, _neighbours_of(events, set(around))))


def remove_words(session_id: UUID, gone: Collection[UUID]) -> None:
    """Remove the words of messages that have no entry any more from the entries of their neighbours."""
    events = messages_with_neighbours(session_id, gone)
    write_terms(turn_documents(neighbour_text_sources(events, ()), _neighbours_of(events, set(gone))))


def _neighbours_of(events: Sequence[ConversationEvent], turns: Collection[UUID]) -> list[UUID]:
    seqs = {event.seq for event in events if event.pk in turns}
    reach = {seq + distance for seq in seqs for distance in range(-NEIGHBOUR_REACH, NEIGHBOUR_REACH + 1)}
    return [event.pk for event in events if event.pk not in turns and event.seq in reach]


_WRITE_TERMS = "UPDATE memory_searchentry SET terms = %s WHERE id = %s AND tombstone_id IS NULL"


def write_terms(documents: Sequence[SearchDocument]) -> None:
    """Rewrite the full-text terms of existing entries; their vectors stay unchanged."""
    if not documents:
        return
    with connection.cursor() as cursor:
        keys = (document.id for document in documents)
        cursor.executemany(_WRITE_TERMS, list(zip(terms_literals(documents), keys, strict=True)))
