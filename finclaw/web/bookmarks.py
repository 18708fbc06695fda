"""Template data of what a user's organisation knows, and of the user's bookmarks of it."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from consent.permit import Permit
from finclaw.web.types import TemplateData
from foundation.accounts.models import User
from knowledge.bookmarks import BookmarkRef, BookmarkState, find_bookmarks
from knowledge.member_access import entries_meant_for
from knowledge.models import KnowledgeEntry
from memory.services.reply_traces import ReplyTrace


def show_entry(entry: KnowledgeEntry, bookmarks: Mapping[UUID, UUID]) -> TemplateData:
    """One entry; ``bookmarks`` are the ids of the user's bookmarks, by the ids of the entries."""
    is_shared = entry.is_promoted
    return {
        "knowledge_id": entry.pk,
        "bookmark_id": bookmarks.get(entry.pk),
        "kind": entry.get_kind_display(),
        "subject": entry.subject,
        "text": entry.text,
        "is_shared": is_shared,
        "source": "" if is_shared else entry.source,
        "state": entry.state,
        "valid_from": entry.valid_from,
        "valid_to": entry.valid_to,
    }


def show_knowledge_given(
    permit: Permit, user: User, traces: Mapping[UUID, ReplyTrace]
) -> dict[UUID, list[TemplateData]]:
    """The entries that each answer was given, by its message: those the user may still read, each with its bookmark.

    Call in a transaction acting for the user.
    """
    wanted = {key for trace in traces.values() for key in trace.knowledge_ids}
    if not wanted:
        return {}
    entries = entries_meant_for(user).in_bulk(wanted)
    bookmarks = find_bookmarks(permit, entries.values())
    return {
        message_id: [show_entry(entries[key], bookmarks) for key in trace.knowledge_ids if key in entries]
        for message_id, trace in traces.items()
    }


def show_bookmark(resolved: BookmarkRef) -> TemplateData:
    """One bookmark with its entry; without the entry's fields where that is gone."""
    bookmark, entry = resolved.bookmark, resolved.entry
    shown = show_entry(entry, {entry.pk: bookmark.pk}) if entry else {"bookmark_id": bookmark.pk}
    return shown | {
        "is_gone": resolved.state == BookmarkState.GONE,
        "bookmarked_at": bookmark.created_at,
    }
