"""Portraits of a user, and of a group by what each member said in it."""

from __future__ import annotations

from functools import partial
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.models import ErasureScope
from consent.permit import Permit
from finclaw.api.base import ApiView, NonAtomicView
from finclaw.api.erasures import DeletionReceiptOutput, ForgettingView
from finclaw.api.masking import MayBeMasked, masked_in
from finclaw.api.operations import FORGETS, LEARNS, located, raises
from finclaw.api.schema import page_of
from finclaw.api.serializers import StrictSerializer, message_text, score_floor
from foundation.exceptions import NotFound
from memory.exceptions import MemoryUnavailable
from memory.models import EntityProfile, MemoryItem
from memory.portraits import services as portraits
from memory.portraits.markdown import by_section, markdown_of
from memory.portraits.origins import origins_of
from memory.portraits.types import EntityType, PortraitSearchResult, PortraitView
from memory.retrieval.services import embed_query

MAX_TOP_K = 50
_TYPE, _ID = (
    OpenApiParameter("entity_type", str, OpenApiParameter.PATH, enum=EntityProfile.EntityType.values),
    OpenApiParameter("entity_id", str, OpenApiParameter.PATH, description="The person's or the group's id; ``me``."),
)
_ENTITY = [_TYPE, _ID]


class BodyInput(StrictSerializer):
    """Markdown: second-level headings are sections, every other line stands by itself."""

    body = serializers.CharField(max_length=settings.PROFILE_MAX_CHARS, allow_blank=True)


class RollbackInput(StrictSerializer):
    revision = serializers.IntegerField(
        min_value=1, required=False, allow_null=True, default=None, help_text="The version before, unless named."
    )


class ProfileSearchInput(StrictSerializer):
    query = message_text()
    entity_type = serializers.ChoiceField(
        choices=EntityProfile.EntityType.choices, required=False, allow_null=True, default=None
    )
    entity_id = serializers.UUIDField(required=False, allow_null=True, default=None)
    top_k = serializers.IntegerField(min_value=1, max_value=MAX_TOP_K, default=8)
    min_score = score_floor()


class LineSourceOutput(serializers.Serializer[Any]):
    """A memory or an event behind a line, and the messages in which it was said."""

    kind = serializers.ChoiceField(choices=("item", "event"))
    id = serializers.CharField(source="ref", help_text="Of a memory its id, of an event its event_id.")
    said_at = serializers.DateTimeField()
    provenance = serializers.ChoiceField(choices=("", *MemoryItem.Provenance.values), allow_blank=True)
    confidence = serializers.FloatField(allow_null=True)
    message_ids = serializers.ListField(child=serializers.UUIDField())
    session_id = serializers.UUIDField(allow_null=True)


class LineOutput(serializers.Serializer[Any]):
    """A line with its section: who, work, people, money, tastes, answers, plans, health, or a heading of your own."""

    section = serializers.CharField()
    text = serializers.CharField()
    said_at = serializers.DateTimeField()
    stated = serializers.BooleanField(help_text="Written by its person.")
    user_id = serializers.UUIDField(help_text="Whose line it is.")
    sources = LineSourceOutput(many=True, help_text="Of your own lines.")


class ProfileOutput(serializers.Serializer[Any]):
    entity_type = serializers.ChoiceField(choices=EntityProfile.EntityType.choices)
    entity_id = serializers.UUIDField()
    name = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    body = serializers.CharField(allow_blank=True)
    lines = serializers.SerializerMethodField(help_text="The body line by line, each with where it came from.")
    markdown = serializers.SerializerMethodField(help_text="All of it in one file, under its YAML front matter.")
    own_body = serializers.CharField(
        source="own.body", default="", allow_blank=True, help_text="The part of it that is yours to edit."
    )
    revision = serializers.IntegerField(source="own.revision", default=None, help_text="Of your own part.")
    source_event_id = serializers.CharField(allow_blank=True)
    updated_at = serializers.DateTimeField()

    @extend_schema_field(LineOutput(many=True))
    def get_lines(self, view: PortraitView) -> Any:
        return LineOutput(self.context["lines"](view), many=True).data

    def get_markdown(self, view: PortraitView) -> str:
        return markdown_of(view)


class EditedOutput(MayBeMasked, ProfileOutput):
    """The portrait after a write."""


class FoundProfileOutput(ProfileOutput):
    score = serializers.FloatField()


class FoundProfilesOutput(serializers.Serializer[Any]):
    results = FoundProfileOutput(many=True)
    degraded = serializers.ListField(child=serializers.CharField())


class RevisionOutput(serializers.Serializer[Any]):
    revision = serializers.IntegerField()
    body = serializers.CharField(allow_blank=True)
    tags = serializers.ListField(child=serializers.CharField())
    change = serializers.ChoiceField(choices=EntityProfile.Change.choices)
    restored_revision = serializers.IntegerField(allow_null=True)
    source_event_id = serializers.CharField(allow_blank=True)
    updated_at = serializers.DateTimeField()


class EntityView(ApiView):
    """The common part of the views of one portrait."""

    @property
    def entity(self) -> tuple[EntityType, UUID]:
        """The entity of the path. Raises ``NotFound`` for a malformed id, or a type without portraits."""
        kind, given = self.kwargs["entity_type"], self.kwargs["entity_id"]
        if kind not in EntityProfile.EntityType.values:
            raise NotFound()
        if (kind, given) == ("user", "me"):
            return "user", self.user.pk
        try:
            return cast("EntityType", kind), UUID(given)
        except ValueError:
            raise NotFound() from None

    def represent(self, _: object = None) -> Any:
        """The portrait as it is now. Raises ``NotFound``."""
        view = portraits.portrait_even_if_emptied(self.permit, *self.entity)
        if view is None:
            raise NotFound()
        return _show_portrait(self.permit, view)


class EntityProfileView(EntityView, ForgettingView):
    @extend_schema(operation_id="entity_profile_retrieve", parameters=_ENTITY, responses=ProfileOutput)
    def get(self, request: Request, **_: str) -> Response:
        """Your portrait, or that of one of your groups; none without memory_learning_allowed."""
        return Response(self.represent())

    @raises(*LEARNS, "kind_withheld")
    @extend_schema(operation_id="entity_profile_edit", parameters=_ENTITY, request=BodyInput, responses=EditedOutput)
    def patch(self, request: Request, **_: str) -> Response:
        """Replace your part of it by your own words. The former version is kept."""
        body = self.valid(BodyInput)["body"]
        masked = masked_in([self.user.name], body=body)
        return self.once(
            200, lambda: portraits.edit(self.permit, *self.entity, body), lambda _: self.represent() | masked
        )

    @located("erasure", "tombstone_id", status=202)
    @raises(*FORGETS)
    @extend_schema(operation_id="entity_profile_delete", parameters=_ENTITY, responses={202: DeletionReceiptOutput})
    def delete(self, request: Request, **_: str) -> Response:
        """Forget your part of it with all its versions, also in a group you have left. The events it was made
        of stay.
        """
        return self.forget(ErasureScope.PORTRAIT, str(portraits.own_row_id(self.permit, *self.entity)))


class ProfileRevisionsView(EntityView):
    @extend_schema(operation_id="entity_profile_revisions", parameters=_ENTITY, responses=page_of(RevisionOutput))
    def get(self, request: Request, **_: str) -> Response:
        """Former versions of your part of it, latest first; always on one page."""
        found = RevisionOutput(portraits.revisions(self.permit, *self.entity), many=True)
        return Response({"results": found.data, "next": None, "previous": None})


class ProfileRollbackView(EntityView):
    @raises(*LEARNS, "kind_withheld")
    @extend_schema(
        operation_id="entity_profile_rollback", parameters=_ENTITY, request=RollbackInput, responses=ProfileOutput
    )
    def post(self, request: Request, **_: str) -> Response:
        """Restore a former version of your part of it. The present one is kept as a former version."""
        revision = self.valid(RollbackInput)["revision"]
        return self.once(200, lambda: portraits.rollback(self.permit, *self.entity, revision), self.represent)


class ProfileSearchView(NonAtomicView):
    @raises("not_found")
    @extend_schema(operation_id="entity_profile_search", request=ProfileSearchInput, responses=FoundProfilesOutput)
    def post(self, request: Request) -> Response:
        """The portraits that answer a question best, yours and your groups'; none where none is relevant."""
        given = self.valid(ProfileSearchInput)
        question = embed_query(given["query"])
        with self.acting() as permit:
            try:
                found = portraits.search_portraits(
                    permit, question, given["entity_type"], given["entity_id"], given["top_k"], floored=True
                )
            except MemoryUnavailable as error:
                found = PortraitSearchResult((), (*question.degraded, error.code))
            results = [
                _show_portrait(permit, hit.portrait) | {"score": hit.score}
                for hit in found.hits
                if hit.score >= given["min_score"]
            ]
        return Response({"results": results, "degraded": list(found.degraded)})


def _show_portrait(permit: Permit, view: PortraitView) -> dict[str, Any]:
    return dict(ProfileOutput(view, context={"lines": partial(_show_lines, permit)}).data)


def _show_lines(permit: Permit, view: PortraitView) -> list[dict[str, Any]]:
    """In the order of the body, each member's apart; sources for the reader's own lines only."""
    own = next((part.lines for part in view.contributions if part.user_id == permit.user_id), ())
    origins = origins_of(permit, own)
    return [
        {
            "section": line.section,
            "text": line.text,
            "said_at": line.said_at,
            "stated": line.stated,
            "user_id": part.user_id,
            "sources": origins.get(line.id, ()),
        }
        for part in view.contributions
        for _, lines in by_section(part.lines)
        for line in lines
    ]


_PORTRAIT = "entity-profiles/<str:entity_type>/<str:entity_id>"
urlpatterns = [
    path("entity-profiles/search", ProfileSearchView.as_view(), name="entity_profile_search"),
    path(_PORTRAIT, EntityProfileView.as_view(), name="entity_profile"),
    path(f"{_PORTRAIT}/revisions", ProfileRevisionsView.as_view(), name="entity_profile_revisions"),
    path(f"{_PORTRAIT}/rollback", ProfileRollbackView.as_view(), name="entity_profile_rollback"),
]
