"""Template data of what a user's organisation knows, and of the user's bookmarks of it."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from finclaw.web.types import TemplateData
from knowledge.bookmarks import BookmarkRef, BookmarkState
from knowledge.models import KnowledgeEntry
from knowledge.services import PROMOTED


def show_entry(entry: KnowledgeEntry, bookmarks: Mapping[UUID, UUID]) -> TemplateData:
    """One entry; ``bookmarks`` are the ids of the user's bookmarks, by the ids of the entries."""
    is_shared = entry.source == PROMOTED
    return {
        "knowledge_id": entry.pk,
        "bookmark_id": bookmarks.get(entry.pk),
        "kind": entry.get_kind_display(),
        "subject": entry.subject,
        "text": entry.text,
        "is_shared": is_shared,
        "source": "" if is_shared else entry.source,
        "valid_to": entry.valid_to,
    }


def show_bookmark(resolved: BookmarkRef) -> TemplateData:
    """One bookmark with its entry; without the entry's fields where that is gone."""
    bookmark, entry = resolved.bookmark, resolved.entry
    shown = show_entry(entry, {entry.pk: bookmark.pk}) if entry else {"bookmark_id": bookmark.pk}
    return shown | {
        "is_gone": resolved.state == BookmarkState.GONE,
        "is_in_force": resolved.state == BookmarkState.IN_FORCE,
        "bookmarked_at": bookmark.created_at,
    }
