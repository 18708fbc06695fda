"""The admin page of relations between the nodes that entries are about."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from foundation.admin import ModelAdmin
from knowledge.admin.screened_forms import ScreenedForm
from knowledge.models import KnowledgeRelation
from knowledge.services import remove_relation, save_relation


class KnowledgeRelationForm(ScreenedForm):
    screened = ("from_node", "to_node")

    class Meta:
        model = KnowledgeRelation
        fields = ("tenant", "from_node", "kind", "to_node")


@admin.register(KnowledgeRelation)
class KnowledgeRelationAdmin(ModelAdmin):
    """What goes with what, is part of what, requires and excludes what: the edges of organisations' graphs."""

    form = KnowledgeRelationForm
    list_display = ("from_node", "kind", "to_node", "tenant")
    list_filter = ("kind", "tenant")
    list_select_related = ("tenant",)
    search_fields = ("from_node", "to_node")

    def save_model(self, request: HttpRequest, obj: KnowledgeRelation, form: Any, change: bool) -> None:
        save_relation(obj)

    def delete_model(self, request: HttpRequest, obj: KnowledgeRelation) -> None:
        remove_relation(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[KnowledgeRelation]) -> None:
        for relation in queryset:
            remove_relation(relation)
