"""The operators' pages of memory; those of receipts are in ``receipts``."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.templatetags.admin_urls import admin_urlname
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from foundation.admin import ReadOnlyAdmin, link_to, short_id
from memory.admin.receipts import ReceiptAdmin, ToolReceiptAdmin
from memory.models import (
    AcceptanceReport,
    AgentExperience,
    ConversationEvent,
    EvolutionEvent,
    MemoryItem,
    Projection,
    SearchEntry,
    Session,
    TrackingEntry,
    UserContext,
)

__all__ = ["ReceiptAdmin", "ToolReceiptAdmin"]


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    shows_personal_text = True
    list_display = (
        short_id("id"),
        link_to("user"),
        link_to("group"),
        "remember",
        "last_seq",
        "last_active_at",
        "archived_at",
    )
    list_filter = ("remember", ("group", admin.EmptyFieldListFilter), ("archived_at", admin.EmptyFieldListFilter))
    list_select_related = ("user", "group")
    search_fields = ("=id", "user__username")
    date_hierarchy = "last_active_at"


@admin.register(ConversationEvent)
class ConversationEventAdmin(ReadOnlyAdmin):
    shows_personal_text = True
    list_display = (
        short_id("id"),
        link_to("user"),
        link_to("session"),
        "seq",
        "role",
        "learnable",
        "created_at",
    )
    list_filter = ("role", "learnable")
    list_select_related = ("user", "session")
    search_fields = ("=id", "=session__id", "user__username")
    date_hierarchy = "created_at"
    ordering = ("-created_at",)


@admin.register(MemoryItem)
class MemoryItemAdmin(ReadOnlyAdmin):
    shows_personal_text = True
    list_display = (
        short_id("id"), link_to("user"), "memory_type", "epistemic_type", "provenance", "confidence", "state",
        "version", "valid_at", "created_at",
    )  # fmt: skip
    list_filter = ("state", "memory_type", "epistemic_type", "provenance")
    list_select_related = ("user",)
    search_fields = ("=id", "=chain_id", "user__username")
    date_hierarchy = "created_at"

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the memory's recorded changes instead of Django's log of actions in the admin."""
        item = self.get_object(request, object_id)
        if item is None or not self.has_view_permission(request, item):
            return super().history_view(request, object_id, extra_context)
        changes = reverse(admin_urlname(EvolutionEvent._meta, "changelist"))  # type: ignore[arg-type]
        return HttpResponseRedirect(f"{changes}?q={item.chain_id}")


@admin.register(EvolutionEvent)
class EvolutionEventAdmin(ReadOnlyAdmin):
    """The changes of memories: what happened, by which rule, on what grounds. Never their words."""

    shows_personal_text = True
    list_display = (
        short_id("id"), link_to("user"), link_to("item"), "action", "actor", "rule", "undone_at", "created_at",
    )  # fmt: skip
    list_filter = ("action", "actor", ("undone_at", admin.EmptyFieldListFilter))
    list_select_related = ("user", "item")
    search_fields = ("=id", "=item__id", "=chain_id", "=rule", "user__username")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")


@admin.register(UserContext)
class UserContextAdmin(ReadOnlyAdmin):
    shows_personal_text = True
    list_display = (
        short_id("id"),
        link_to("user"),
        "scope",
        "language_preference",
        "research_depth",
        "training_excluded",
        "updated_at",
    )
    list_filter = (
        "scope", "language_preference", "research_depth", "risk_prompt_preference", "training_excluded",
    )  # fmt: skip
    list_select_related = ("user",)
    search_fields = ("=id", "user__username")
    date_hierarchy = "updated_at"


@admin.register(SearchEntry)
class SearchEntryAdmin(ReadOnlyAdmin):
    """Search entries without their lexemes and vectors, which are the user's words in another form."""

    exclude = ("terms", "vector")
    list_display = (
        short_id("id"),
        "kind",
        link_to("user"),
        link_to("group"),
        "live",
        "model_id",
        "occurred_at",
    )
    list_filter = ("kind", "live", "model_id")
    list_select_related = ("user", "group")
    search_fields = ("=id", "user__username")
    date_hierarchy = "occurred_at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[SearchEntry]:
        return super().get_queryset(request).defer("terms", "vector")


@admin.register(Projection)
class ProjectionAdmin(ReadOnlyAdmin):
    """The copies of the search index in Qdrant: how far they are filled, and how they differ from the database."""

    list_display = ("name", "state", "written", "walked_at", "missing", "surplus", "compared_at")
    list_filter = ("state",)
    search_fields = ("name",)
    date_hierarchy = "created_at"


@admin.register(AgentExperience)
class AgentExperienceAdmin(ReadOnlyAdmin):
    """What organisations' assistants found out about their own work: counted daily, never edited."""

    list_display = (short_id("id"), "tenant", "intent_type", "subject", "pattern", "confidence", "updated_at")
    list_filter = ("intent_type", "subject", "tenant")
    list_select_related = ("tenant",)
    search_fields = ("=id", "=tenant__name")
    date_hierarchy = "updated_at"


@admin.register(AcceptanceReport)
class AcceptanceReportAdmin(ReadOnlyAdmin):
    """How each release was judged: figures of the whole installation."""

    list_display = ("release", "verdict", "created_at")
    list_filter = ("verdict",)
    search_fields = ("release",)
    date_hierarchy = "created_at"


@admin.register(TrackingEntry)
class TrackingEntryAdmin(ReadOnlyAdmin):
    """Measures that releases were observed at: opened and closed by the reports, never by hand."""

    list_display = ("number", "measure", "releases", "is_blocking", "opened_by", "latest", "closed_by", "closed_at")
    list_filter = (("closed_at", admin.EmptyFieldListFilter), "is_blocking", "measure")
    list_select_related = ("opened_by", "latest", "closed_by")
    search_fields = ("measure",)
    date_hierarchy = "created_at"
