"""Bookmarks of what one's organisation knows: added, listed and removed. They hold a reference, and no words."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Final
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import ApiView
from finclaw.api.operations import located, raises
from finclaw.api.schema import NO_CONTENT, PAGE, page_of
from finclaw.api.serializers import StrictSerializer
from knowledge.bookmarks import (
    BookmarkRef,
    BookmarkState,
    add_bookmark,
    bookmark_of,
    bookmarks_of,
    remove_bookmark,
    resolve_bookmarks,
)
from knowledge.models import KnowledgeEntry

_SOURCE: Final = "Where it is written, or who decided it; ``promoted`` for what a member shared without their name."


class BookmarkInput(StrictSerializer):
    knowledge_id = serializers.UUIDField()


class BookmarkedEntryOutput(serializers.ModelSerializer[KnowledgeEntry]):
    class Meta:
        model = KnowledgeEntry
        fields = ("kind", "subject", "text", "source", "version", "valid_from", "valid_to", "updated_at")
        extra_kwargs: ClassVar = {"source": {"help_text": _SOURCE}}


class BookmarkOutput(serializers.Serializer[BookmarkRef]):
    bookmark_id = serializers.UUIDField(source="bookmark.id")
    knowledge_id = serializers.UUIDField(source="bookmark.knowledge_id")
    state = serializers.ChoiceField(choices=BookmarkState.choices)
    entry = BookmarkedEntryOutput(allow_null=True)
    created_at = serializers.DateTimeField(source="bookmark.created_at")


class BookmarksView(ApiView):
    @extend_schema(operation_id="bookmark_list", parameters=PAGE, responses=page_of(BookmarkOutput))
    def get(self, request: Request) -> Response:
        """Your bookmarks, latest first, with the entries as they stand now.

        Of an entry that is gone, or no longer yours to read, ``state`` is ``gone`` and ``entry`` null.
        """
        resolve = partial(resolve_bookmarks, self.user)
        return self.page(bookmarks_of(self.permit), BookmarkOutput, ordering="-created_at", shown_as=resolve)

    @located("bookmark", "bookmark_id", status=201)
    @raises("not_found", "profile_consent_required", "consent_outdated", "erasure_in_progress")
    @extend_schema(operation_id="bookmark_create", request=BookmarkInput, responses={201: BookmarkOutput})
    def post(self, request: Request) -> Response:
        """Bookmark an entry of what your organisation knows; once bookmarked, the same bookmark again.

        `/api/context` names the entries that bear on a question, in the parts of kind ``knowledge``.
        """
        given = self.valid(BookmarkInput)
        add = partial(add_bookmark, self.permit, self.user, given["knowledge_id"])
        return self.once(201, add, lambda key: _show_bookmark(self, UUID(key)))


class BookmarkView(ApiView):
    @extend_schema(operation_id="bookmark_retrieve", responses=BookmarkOutput)
    def get(self, request: Request, bookmark_id: UUID) -> Response:
        """One bookmark, with its entry as it stands now."""
        return Response(_show_bookmark(self, bookmark_id))

    @extend_schema(operation_id="bookmark_delete", responses=NO_CONTENT)
    def delete(self, request: Request, bookmark_id: UUID) -> Response:
        """Remove a bookmark. The entry stays."""
        return self.once(204, lambda: remove_bookmark(self.permit, bookmark_id), lambda _: None)


def _show_bookmark(view: ApiView, bookmark_id: UUID) -> Any:
    [resolved] = resolve_bookmarks(view.user, [bookmark_of(view.permit, bookmark_id)])
    return BookmarkOutput(resolved).data


urlpatterns = [
    path("bookmarks", BookmarksView.as_view(), name="bookmarks"),
    path("bookmarks/<uuid:bookmark_id>", BookmarkView.as_view(), name="bookmark"),
]
