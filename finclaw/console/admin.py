"""Pages for tables of libraries: schedules, failed runs, the audit log."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django_q.models import Failure, OrmQ, Schedule, Success

from finclaw.console.tenants import TenantAdmin as TenantAdmin
from foundation.admin import ReadOnlyAdmin, link_to

for model in (Schedule, Success, Failure, OrmQ):
    # Their own pages can edit, resubmit and unpickle; ours show.
    if admin.site.is_registered(model):
        admin.site.unregister(model)


@admin.register(Schedule)
class ScheduleAdmin(ReadOnlyAdmin):
    """What runs by the clock. The list is code: finclaw/schedules.py."""

    fields = ("name", "func", "schedule_type", "minutes", "next_run", "task")
    list_display = ("name", "func", "minutes", "next_run", "success")  # its ``last_run`` links to a page we do not show
    search_fields = ("name", "func")


@admin.register(Failure)
class FailureAdmin(ReadOnlyAdmin):
    """Runs that failed as a whole. Their result may quote what a user wrote, so it is not shown."""

    fields = ("name", "func", "started", "stopped", "attempt_count")
    list_display = ("name", "func", "started", "stopped", "attempt_count")
    list_filter = ("func",)
    search_fields = ("=id", "func")
    date_hierarchy = "stopped"


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    """Which operator did what."""

    list_display = ("action_time", link_to("user"), "content_type", "object_repr", "action_flag", "change_message")
    list_filter = ("action_flag", "content_type")
    list_select_related = ("user", "content_type")
    search_fields = ("=object_id", "user__username")
    date_hierarchy = "action_time"
