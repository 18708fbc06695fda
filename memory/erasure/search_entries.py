"""Rebuilds search entries of rows that lost sentences: terms, bloom filter and vector."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from uuid import UUID

from consent.erasure.plan import ErasurePlan
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from memory.erasure.labels import ENTRY, EVENT, TURN
from memory.erasure.partial_redaction import unhide_rows
from memory.indexing import neighbour_terms
from memory.indexing.documents import SearchDocument, event_document, turn_documents
from memory.indexing.embedding import index_now
from memory.indexing.event_terms import preceding_event_text
from memory.indexing.services import lock_conversation
from memory.models import CognitiveEvent, ConversationEvent, SearchEntry


def rebuild_entries(plan: ErasurePlan, gone: Collection[UUID]) -> None:
    """Index the cut rows by the words they keep. Call while acting for the user, after the cuts.

    An entry that was deleted since, or whose row was, is not created again.
    """
    user_id, targets = plan.user_id, plan.targets
    keys = set(targets.redact.get(ENTRY, ()))
    if not keys:
        return
    with in_role(ERASER_ROLE):
        SearchEntry.with_erased.filter(pk__in=keys & set(gone)).delete()
        unhide_rows(plan, ENTRY, sorted(keys))
    entries = SearchEntry.objects.filter(pk__in=keys)
    kept = set(entries.values_list("pk", flat=True))
    past = list(entries.filter(live=False).values_list("pk", flat=True))
    messages, events = (kept & set(targets.cut.get(label, {})) for label in (TURN, EVENT))
    documents = [*_message_documents(user_id, messages), *_event_documents(events)]
    if documents:
        index_now(documents)
    SearchEntry.objects.filter(pk__in=past).update(live=False)
    SearchEntry.objects.filter(pk__in=kept - {document.id for document in documents}).delete()


def _message_documents(user_id: UUID, keys: Collection[UUID]) -> Iterator[SearchDocument]:
    rows = ConversationEvent.objects.filter(pk__in=keys, learnable=True)
    sessions: dict[UUID, list[UUID]] = defaultdict(list)
    for key, session_id in rows.values_list("pk", "session_id"):
        sessions[session_id].append(key)
    for session_id in sorted(sessions):
        lock_conversation(session_id)
        wanted = sessions[session_id]
        yield from neighbour_terms.storable_documents(
            user_id, turn_documents(neighbour_terms.messages_with_neighbours(user_id, session_id, wanted), wanted)
        )


def _event_documents(keys: Collection[UUID]) -> Iterator[SearchDocument]:
    for event in CognitiveEvent.objects.filter(pk__in=keys):
        yield event_document(event, preceding_event_text(event))
