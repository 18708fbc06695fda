"""Admin page of exports, without their archives."""

from __future__ import annotations

from django.contrib import admin
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext_lazy as _

from consent.models import DataExport
from foundation.admin import ReadOnlyAdmin, link_to, short_id


@admin.register(DataExport)
class DataExportAdmin(ReadOnlyAdmin):
    """Exports and their outcome. An archive is its user's: operators cannot download it."""

    fields = (
        "id", "user", "state", "progress", "bytes", "source", "error_class", "created_at", "finished_at", "expires_at",
    )  # fmt: skip
    readonly_fields = ("bytes",)
    list_display = (
        short_id("id"), link_to("user"), "state", "progress", "bytes", "source", "error_class", "created_at",
        "finished_at", "expires_at",
    )  # fmt: skip
    list_filter = ("state", "source")
    list_select_related = ("user",)
    search_fields = ("=id", "user__username")
    date_hierarchy = "created_at"

    @admin.display(description=_("size"), ordering="size")
    def bytes(self, export: DataExport) -> str:
        return "–" if export.size is None else filesizeformat(export.size)
