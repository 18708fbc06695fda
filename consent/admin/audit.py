from __future__ import annotations

from django.contrib import admin

from consent.admin.people import RowsOfAPerson
from consent.models import AuditEvent


@admin.register(AuditEvent)
class AuditEventAdmin(RowsOfAPerson):
    """What was done about people's data, for ever. Ids and counts; nobody changes it."""

    fields = ("id", "at", "action", "person", "actor_id", "subject_id", "counts")
    readonly_fields = ("person",)
    list_display = ("id", "at", "action", "person", "actor_id", "subject_id", "counts")
    list_filter = ("action",)
    search_fields = ("=id", "=user_id", "=actor_id", "=subject_id", "username")
    date_hierarchy = "at"
