"""Selects the neighbouring messages whose words are added to a user's entries, by present consent and membership."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from uuid import UUID

from consent.services import scope_held_since
from foundation.accounts.groups import is_member
from foundation.personal_data import ConsentScope
from memory.indexing import services as indexing
from memory.indexing.documents import SearchDocument
from memory.models import ConversationEvent


def messages_with_neighbours(user_id: UUID, session_id: UUID, wanted: Collection[UUID]) -> list[ConversationEvent]:
    """The messages and their neighbours, without what the user said before a withdrawal of consent."""
    since = scope_held_since(user_id, ConsentScope.MEMORY_LEARNING)
    found = indexing.messages_with_neighbours(session_id, wanted)
    allowed = [event for event in found if event.user_id != user_id or event.consent_version >= since]
    return indexing.neighbour_text_sources(allowed, wanted)


def storable_documents(user_id: UUID, documents: Sequence[SearchDocument]) -> list[SearchDocument]:
    """The documents as the user may store them: those of a group that the user has left become private."""
    groups = {document.group_id for document in documents}
    left = {group for group in groups if not is_member(user_id, group)}
    return [replace(document, group_id=None) if document.group_id in left else document for document in documents]
