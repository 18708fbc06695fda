"""Pages of what one's organisation knows: the entries in force, and the user's bookmarks of entries."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from finclaw.web.access import MemberView, htmx_of
from finclaw.web.bookmarks import show_bookmark, show_entry
from finclaw.web.pagination import keyset_page
from finclaw.web.types import TemplateData
from knowledge.bookmarks import (
    add_bookmark,
    bookmark_of,
    bookmarks_of,
    find_bookmarks,
    remove_bookmark,
    resolve_bookmarks,
)
from knowledge.member_access import entries_in_force, entry_meant_for

_JUST_DROPPED: Final = "dropped_bookmark"  # in the browser's session: the entry whose undo the next page offers


class KnowledgePage(MemberView):
    """The entries that hold for the user now, each with a button that bookmarks it."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """One page of them, those written last first."""
        page = keyset_page(request, entries_in_force(self.user), "updated_at")
        bookmarks = find_bookmarks(self.permit, page.rows)
        context = {
            "entries": [show_entry(entry, bookmarks) for entry in page.rows],
            "newer_url": page.newer_url,
            "older_url": page.older_url,
        }
        return render(request, "web/knowledge.html", context)


class BookmarksPage(MemberView):
    """The user's bookmarks, with the entries as they stand now."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """One page of them, the latest first, and an undo for the one that was just dropped."""
        page = keyset_page(request, bookmarks_of(self.permit), "created_at")
        context = {
            "bookmarks": [show_bookmark(resolved) for resolved in resolve_bookmarks(self.user, page.rows)],
            "dropped": self._find_dropped(),
            "newer_url": page.newer_url,
            "older_url": page.older_url,
        }
        return render(request, "web/bookmarks.html", context)

    def _find_dropped(self) -> TemplateData | None:
        """The entry whose bookmark was just dropped without htmx, told once; None where there is nothing to undo."""
        dropped = self.request.session.pop(_JUST_DROPPED, None)
        entry = entry_meant_for(self.user, UUID(dropped)) if dropped else None
        return show_entry(entry, find_bookmarks(self.permit, [entry])) if entry else None


class BookmarkAdd(MemberView):
    """Bookmarks an entry."""

    http_method_names = ("post", "options")

    def post(self, request: HttpRequest, knowledge_id: UUID) -> HttpResponse:
        """Bookmark it at once: the button in its place drops the bookmark again."""
        bookmark = add_bookmark(self.permit, self.user, knowledge_id)
        if htmx_of(request):
            entry = entry_meant_for(self.user, knowledge_id)
            context = {
                "knowledge_id": knowledge_id,
                "bookmark_id": bookmark.pk,
                "said": _("Bookmarked."),
                "named": entry.text if entry else "",
            }
            return render(request, "web/partials/bookmark_button.html", context)
        return self.redirect_saying(_("Bookmarked."), "web:bookmarks")


class BookmarkDrop(MemberView):
    """Drops a bookmark."""

    http_method_names = ("post", "options")

    def post(self, request: HttpRequest, bookmark_id: UUID) -> HttpResponse:
        """Drop it at once: the button in its place undoes this, unless the entry is gone."""
        knowledge_id = bookmark_of(self.permit, bookmark_id).knowledge_id
        remove_bookmark(self.permit, bookmark_id)
        entry, said = entry_meant_for(self.user, knowledge_id), _("No longer bookmarked.")
        if htmx_of(request):
            shown = {"knowledge_id": knowledge_id, "named": entry.text} if entry else {}
            context = shown | {"said": said}
            return render(request, "web/partials/bookmark_button.html", context)
        if entry is None:
            return self.redirect_saying(said, "web:bookmarks")
        request.session[_JUST_DROPPED] = str(knowledge_id)
        return redirect("web:bookmarks")
