from __future__ import annotations

from django.contrib import admin

from consent.admin.people import RowsOfAPerson
from consent.models import AuditEvent
from foundation.admin import short


@admin.register(AuditEvent)
class AuditEventAdmin(RowsOfAPerson):
    """What was done about people's data, for ever. Ids and counts; nobody changes it."""

    fields = ("id", "at", "action", "person", "actor_id", "subject_id", "counts", "details")
    readonly_fields = ("person",)
    list_display = ("action", "person", "counts", "at", short("actor_id"), short("subject_id"), short("id"))
    list_filter = ("action",)
    search_fields = ("=id", "=user_id", "=actor_id", "=subject_id", "username")
    date_hierarchy = "at"
