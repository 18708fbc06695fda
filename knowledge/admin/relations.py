"""The admin page of relations between the nodes that entries are about."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from foundation.admin import DuplicateLinkForm, ModelAdmin
from foundation.exceptions import FinClawError
from knowledge.models import KnowledgeRelation
from knowledge.services import remove_relation, require_safe_text, save_relation


class KnowledgeRelationForm(DuplicateLinkForm):
    class Meta:
        model = KnowledgeRelation
        fields = ("tenant", "from_node", "kind", "to_node")

    def clean(self) -> dict[str, Any]:
        """Refuse names of nodes that nobody should keep, or that no prompt may hold."""
        given: dict[str, Any] = super().clean() or self.cleaned_data
        for name in ("from_node", "to_node"):
            try:
                require_safe_text(given.get(name, ""))
            except FinClawError as refused:
                self.add_error(name, refused.message)
        return given


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
