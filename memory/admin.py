from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from foundation.admin import ReadOnlyAdmin, ReadOnlyInline, link_to
from memory.models import (
    CognitiveEvent,
    CognitiveJob,
    ConversationEvent,
    MemoryItem,
    Receipt,
    ReceiptLine,
    SearchEntry,
    Session,
    UserContext,
)


class UnresolvedFilter(admin.SimpleListFilter):
    """Events in which something stayed relative: a time, a place, somebody."""

    title = _("something unresolved")
    parameter_name = "open"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("yes", str(_("Yes"))), ("no", str(_("No")))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[CognitiveEvent]) -> QuerySet[CognitiveEvent]:
        if self.value() == "yes":
            return queryset.exclude(unresolved=[])
        return queryset.filter(unresolved=[]) if self.value() == "no" else queryset


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    list_display = ("id", link_to("user"), link_to("group"), "remember", "last_seq", "last_active_at", "archived_at")
    list_filter = ("remember", ("group", admin.EmptyFieldListFilter), ("archived_at", admin.EmptyFieldListFilter))
    list_select_related = ("user", "group")
    search_fields = ("=id", "user__username")
    date_hierarchy = "last_active_at"


@admin.register(ConversationEvent)
class ConversationEventAdmin(ReadOnlyAdmin):
    list_display = ("id", link_to("user"), link_to("session"), "seq", "role", "learnable", "created_at")
    list_filter = ("role", "learnable")
    list_select_related = ("user", "session")
    search_fields = ("=id", "=session__id", "user__username")
    date_hierarchy = "created_at"
    ordering = ("-created_at",)


@admin.register(MemoryItem)
class MemoryItemAdmin(ReadOnlyAdmin):
    list_display = (
        "id", link_to("user"), "memory_type", "epistemic_type", "provenance", "confidence", "state", "version",
        "valid_at", "created_at",
    )  # fmt: skip
    list_filter = ("state", "memory_type", "epistemic_type", "provenance")
    list_select_related = ("user",)
    search_fields = ("=id", "=chain_id", "user__username")
    date_hierarchy = "created_at"


@admin.register(CognitiveEvent)
class CognitiveEventAdmin(ReadOnlyAdmin):
    list_display = (
        "id", "event_id", link_to("user"), "perspective", "request_type", "rewritten_by", "timestamp_utc", "created_at",
    )  # fmt: skip
    list_filter = (UnresolvedFilter, "perspective", "request_type", "rewritten_by")
    list_select_related = ("user",)
    search_fields = ("=id", "=event_id", "user__username")
    date_hierarchy = "timestamp_utc"


@admin.register(CognitiveJob)
class CognitiveJobAdmin(ReadOnlyAdmin):
    list_display = ("id", link_to("user"), link_to("session"), "request_id", "end_seq", "created_at")
    list_select_related = ("user", "session")
    search_fields = ("=id", "=request_id", "user__username")
    date_hierarchy = "created_at"


@admin.register(UserContext)
class UserContextAdmin(ReadOnlyAdmin):
    list_display = ("id", link_to("user"), "scope", "language_preference", "research_depth", "updated_at")
    list_filter = ("scope", "language_preference", "research_depth", "risk_prompt_preference")
    list_select_related = ("user",)
    search_fields = ("=id", "user__username")
    date_hierarchy = "updated_at"


@admin.register(SearchEntry)
class SearchEntryAdmin(ReadOnlyAdmin):
    """What search knows a row by. Lexemes and vectors are words in another form: they are not shown."""

    exclude = ("terms", "vector")
    list_display = ("id", "kind", link_to("user"), link_to("group"), "live", "model_id", "occurred_at")
    list_filter = ("kind", "live", "model_id")
    list_select_related = ("user", "group")
    search_fields = ("=id", "user__username")
    date_hierarchy = "occurred_at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[SearchEntry]:
        return super().get_queryset(request).defer("terms", "vector")


class ReceiptLineInline(ReadOnlyInline):
    model = ReceiptLine
    exclude = ("user",)


@admin.register(Receipt)
class ReceiptAdmin(ReadOnlyAdmin):
    inlines = (ReceiptLineInline,)
    list_display = (
        "id", "kind", link_to("user"), link_to("session"), "strategy", "latency_ms", "degraded", "budget_exceeded",
        "created_at",
    )  # fmt: skip
    list_filter = ("kind", "strategy", "budget_exceeded", "policy_version")
    list_select_related = ("user", "session")
    search_fields = ("=id", "=message_id", "user__username")
    date_hierarchy = "created_at"
