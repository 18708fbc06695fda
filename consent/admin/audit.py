"""Admin page of the audit log."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from consent.admin.person_rows import PersonRowsAdmin, username_of
from consent.models import AuditEvent
from foundation.admin import short_id, shortened_id


@admin.register(AuditEvent)
class AuditEventAdmin(PersonRowsAdmin):
    """The audit log: ids and counts of governed acts, kept for ever and read-only."""

    fields = ("id", "at", "action", "actor", "actor_id", "person", "subject_id", "counts", "details")
    readonly_fields = ("person", "actor")
    list_display = ("at", "action", "actor", "person", "counts", short_id("subject_id"), short_id("id"))
    list_filter = ("action",)
    search_fields = ("=id", "=user_id", "=actor_id", "=subject_id", "username")
    date_hierarchy = "at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """The events, each with the actor's user name while their account exists."""
        named: QuerySet[Any] = super().get_queryset(request).annotate(actor_name=username_of("actor_id"))
        return named

    @admin.display(description=_("by"), ordering="actor_name")
    def actor(self, event: Any) -> str:
        """The actor's user name, or their UUID once the account is gone."""
        return event.actor_name or shortened_id(event.actor_id)
