"""Admin pages for tables of libraries: groups, schedules, failed runs, the log of what operators changed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice
from django_q.models import Failure, OrmQ, Schedule, Success
from oauth2_provider.models import AccessToken, Application, Grant, IDToken, RefreshToken

from finclaw.console.roles import role_of
from finclaw.console.tenants import TenantAdmin as TenantAdmin
from foundation.admin import ModelAdmin, ReadOnlyAdmin, is_superuser, link_to

_OF_OAUTH = (AccessToken, Application, Grant, IDToken, RefreshToken)
for model in (Schedule, Success, Failure, OrmQ, Group, TOTPDevice, StaticDevice, *_OF_OAUTH):
    # The libraries' own pages can edit, resubmit and unpickle, and show second-factor secrets; ours are read-only.
    if admin.site.is_registered(model):
        admin.site.unregister(model)


@admin.register(Group)
class GroupAdmin(ModelAdmin, DjangoGroupAdmin):
    """Django's groups, for superusers. The three roles are defined in code and not editable here."""

    list_display = ("name", "description")
    readonly_fields = ("description",)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_superuser(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_superuser(request) and not _is_role(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether one group may be deleted; never several at once, since one of them might be a role."""
        return is_superuser(request) and obj is not None and not _is_role(obj)

    @admin.display(description=_("may"))
    def description(self, group: Group) -> str:
        """What the role is for."""
        role = role_of(group.name)
        return str(role.description) if role else "–"


def _is_role(group: Group | None) -> bool:
    return group is not None and role_of(group.name) is not None


@admin.register(Schedule)
class ScheduleAdmin(ReadOnlyAdmin):
    """Scheduled jobs; the list is code, in finclaw/schedules.py."""

    fields = ("name", "func", "schedule_type", "minutes", "next_run", "task")
    list_display = ("name", "func", "minutes", "next_run", "success")  # its ``last_run`` links to a page we do not show
    search_fields = ("name", "func")


@admin.register(Failure)
class FailureAdmin(ReadOnlyAdmin):
    """Runs that failed as a whole. Their result may quote users, so it is not shown."""

    fields = ("name", "func", "started", "stopped", "attempt_count")
    list_display = ("name", "func", "started", "stopped", "attempt_count")
    list_filter = ("func",)
    search_fields = ("=id", "func")
    date_hierarchy = "stopped"


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    """The log of what operators changed."""

    list_display = ("action_time", link_to("user"), "content_type", "object_repr", "action_flag", "change_message")
    list_filter = ("action_flag", "content_type")
    list_select_related = ("user", "content_type")
    search_fields = ("=object_id", "user__username")
    date_hierarchy = "action_time"
