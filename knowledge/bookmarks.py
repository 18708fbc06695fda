"""A user's bookmarks of their organisation's knowledge: added, listed and removed by reference, never by copy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import models, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from consent.permit import Permit
from consent.services import hold_permit
from foundation.accounts.models import User
from foundation.exceptions import require_found
from knowledge.member_access import entries_meant_for, entry_meant_for
from knowledge.models import Bookmark, KnowledgeEntry
from knowledge.types import EntryState


class BookmarkState(models.TextChoices):
    """How the entry that a bookmark refers to stands now."""

    IN_FORCE = "in_force", _("in force")
    NOT_IN_FORCE = "not_in_force", _("not in force")
    GONE = "gone", _("gone")


@dataclass(frozen=True)
class BookmarkRef:
    """A bookmark with its entry as it stands now; without one where that is gone, or not the user's to read."""

    bookmark: Bookmark
    entry: KnowledgeEntry | None
    state: BookmarkState


def add_bookmark(permit: Permit, user: User, knowledge_id: UUID) -> Bookmark:
    """Bookmark an entry that the user may read; one that is bookmarked already keeps its bookmark.

    Raises ``ProfileConsentRequired`` for a user who never decided on consent, ``NotFound`` for an entry that is not
    theirs to read, and what ``hold_permit`` raises.
    """
    permit.require_decision()
    with transaction.atomic():
        hold_permit(permit)  # which also keeps the same user from adding it twice at once
        entry = require_found(entry_meant_for(user, knowledge_id))
        bookmark, _made = Bookmark.objects.get_or_create(user_id=permit.user_id, knowledge_id=entry.pk)
    return bookmark


def bookmarks_of(permit: Permit) -> QuerySet[Bookmark]:
    """The user's bookmarks, the latest first."""
    return Bookmark.objects.filter(user_id=permit.user_id).order_by("-created_at", "-id")


def bookmark_of(permit: Permit, bookmark_id: UUID) -> Bookmark:
    """One of the user's bookmarks. Raises ``NotFound``."""
    return require_found(bookmarks_of(permit).filter(pk=bookmark_id).first())


def remove_bookmark(permit: Permit, bookmark_id: UUID) -> None:
    """Remove one of the user's bookmarks; its entry stays. Raises ``NotFound``."""
    bookmark_of(permit, bookmark_id).delete()


def resolve_bookmarks(user: User, bookmarks: Sequence[Bookmark]) -> list[BookmarkRef]:
    """These bookmarks with the entries they refer to, in the same order. Call while acting for their user."""
    entries = entries_meant_for(user).in_bulk([bookmark.knowledge_id for bookmark in bookmarks])
    found = [(bookmark, entries.get(bookmark.knowledge_id)) for bookmark in bookmarks]
    return [BookmarkRef(bookmark, entry, _state_of(entry)) for bookmark, entry in found]


def find_bookmarks(permit: Permit, entries: Iterable[KnowledgeEntry]) -> dict[UUID, UUID]:
    """The ids of the user's bookmarks of these entries, by the entry's id."""
    found = bookmarks_of(permit).filter(knowledge_id__in=[entry.pk for entry in entries])
    return dict(found.values_list("knowledge_id", "id"))


def _state_of(entry: KnowledgeEntry | None) -> BookmarkState:
    if entry is None:
        return BookmarkState.GONE
    return BookmarkState.IN_FORCE if entry.state == EntryState.IN_FORCE else BookmarkState.NOT_IN_FORCE
