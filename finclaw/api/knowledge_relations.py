"""Relations between what an organisation's entries are about: read by its members, written by its owners and admins."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import Q
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import ApiView
from finclaw.api.operations import located, raises
from finclaw.api.schema import NO_CONTENT, PAGE, page_of
from finclaw.api.serializers import QuerySerializer, StrictSerializer
from knowledge.entry_changes import EntryChange, EntryVersion, entry_versions
from knowledge.models import KnowledgeRelation
from knowledge.relation_changes import (
    create_relation,
    relation_history,
    visible_relation,
    visible_relations,
    withdraw_relation,
)
from knowledge.types import NODE_CHARS

_FROM: Final = "The first node: ``linen-jacket``, the ``graph_node_id`` of the entries about it."
_TO: Final = "The second node."
_KIND: Final = (
    "``part_of``: what holds for the second node holds for the first; ``requires``: the first needs the second; "
    "``pairs_with`` and ``excludes`` have no direction."
)
_CHANGES: Final = [
    (change.value, change.label) for change in (EntryChange.CREATED, EntryChange.CHANGED, EntryChange.WITHDRAWN)
]


class KnowledgeRelationInput(StrictSerializer):
    from_node = serializers.CharField(max_length=NODE_CHARS, help_text=_FROM)
    kind = serializers.ChoiceField(choices=KnowledgeRelation.Kind.choices, help_text=_KIND)
    to_node = serializers.CharField(max_length=NODE_CHARS, help_text=_TO)


class KnowledgeRelationListQuery(QuerySerializer):
    kind = serializers.ChoiceField(
        choices=KnowledgeRelation.Kind.choices, required=False, help_text="Only of this kind."
    )
    node = serializers.CharField(
        max_length=NODE_CHARS, required=False, help_text="Only of this node, whichever end it is."
    )


class KnowledgeRelationOutput(serializers.ModelSerializer[KnowledgeRelation]):
    relation_id = serializers.UUIDField(source="id")
    from_node = serializers.CharField(help_text=_FROM)
    kind = serializers.ChoiceField(choices=KnowledgeRelation.Kind.choices, help_text=_KIND)
    to_node = serializers.CharField(help_text=_TO)

    class Meta:
        model = KnowledgeRelation
        fields = ("relation_id", "from_node", "kind", "to_node", "updated_at")


class KnowledgeRelationVersionOutput(serializers.Serializer[EntryVersion]):
    relation_id = serializers.UUIDField(source="row.id")
    change = serializers.ChoiceField(choices=_CHANGES, help_text="What made this version.")
    changed_at = serializers.DateTimeField(source="row.history_date")
    changed_by = serializers.CharField(help_text="The member who did; empty for an operator, and for who has left.")
    from_node = serializers.CharField(source="row.from_node", help_text=_FROM)
    kind = serializers.ChoiceField(source="row.kind", choices=KnowledgeRelation.Kind.choices, help_text=_KIND)
    to_node = serializers.CharField(source="row.to_node", help_text=_TO)


class KnowledgeRelationsView(ApiView):
    query_inputs: ClassVar = {"GET": KnowledgeRelationListQuery}

    @extend_schema(
        operation_id="knowledge_relation_list",
        parameters=[KnowledgeRelationListQuery, *PAGE],
        responses=page_of(KnowledgeRelationOutput),
    )
    def get(self, request: Request) -> Response:
        """What the nodes of your organisation's graph are related to, last written first."""
        relations = visible_relations(self.user)
        if kind := self.query.get("kind"):
            relations = relations.filter(kind=kind)
        if node := self.query.get("node"):
            relations = relations.filter(Q(from_node=node) | Q(to_node=node))
        return self.page(relations, KnowledgeRelationOutput, ordering="-updated_at")

    @located("knowledge_relation", "relation_id", status=201)
    @raises("permission_denied", "not_found", "orders_assistant", "sensitive_input")
    @extend_schema(
        operation_id="knowledge_relation_create",
        request=KnowledgeRelationInput,
        responses={201: KnowledgeRelationOutput},
    )
    def post(self, request: Request) -> Response:
        """Relate two nodes, as an owner or an admin. The next question about either is told of it.

        A node needs no entry of its own. A relation that is there already is refused.
        """
        create = partial(create_relation, self.user, self.valid(KnowledgeRelationInput))
        return self.once(201, create, partial(_show_relation, self))


class KnowledgeRelationView(ApiView):
    @extend_schema(operation_id="knowledge_relation_retrieve", responses=KnowledgeRelationOutput)
    def get(self, request: Request, relation_id: UUID) -> Response:
        """One relation of your organisation's graph."""
        return Response(_show_relation(self, relation_id))

    @raises("permission_denied")
    @extend_schema(operation_id="knowledge_relation_withdraw", responses=NO_CONTENT)
    def delete(self, request: Request, relation_id: UUID) -> Response:
        """Take a relation back, as an owner or an admin. Its history stays; it may be written anew."""
        return self.once(204, partial(withdraw_relation, self.user, relation_id), lambda _: None)


class KnowledgeRelationHistoryView(ApiView):
    @raises("permission_denied", "not_found")
    @extend_schema(
        operation_id="knowledge_relation_history", parameters=PAGE, responses=page_of(KnowledgeRelationVersionOutput)
    )
    def get(self, request: Request) -> Response:
        """Every relation as it was written, changed and taken back, the latest first. For those who write."""
        shown = partial(entry_versions, self.user)
        rows = relation_history(self.user)
        return self.page(rows, KnowledgeRelationVersionOutput, ordering="-history_date", shown_as=shown)


def _show_relation(view: ApiView, relation_id: UUID | str) -> Any:
    return KnowledgeRelationOutput(visible_relation(view.user, UUID(str(relation_id)))).data


urlpatterns = [
    path("knowledge/relations", KnowledgeRelationsView.as_view(), name="knowledge_relations"),
    path("knowledge/relations/history", KnowledgeRelationHistoryView.as_view(), name="knowledge_relation_history"),
    path("knowledge/relations/<uuid:relation_id>", KnowledgeRelationView.as_view(), name="knowledge_relation"),
]
