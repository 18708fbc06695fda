"""Admin pages of organisations' knowledge: operators edit it, and only read what was promoted from memories."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import path
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from foundation.admin import DuplicateLinkForm, ModelAdmin, short_id
from foundation.governed_actions import Confirmation, govern_rows, row_by_row
from knowledge.admin.filters import PlatformFilter, RoleFilter, StateFilter
from knowledge.admin.import_page import show_import_page
from knowledge.admin.relations import KnowledgeRelationAdmin
from knowledge.admin.screened_forms import ScreenedForm
from knowledge.entry_changes import SCREENED, change_of, contradictions, restore_previous
from knowledge.exceptions import EntryChanged
from knowledge.models import AssetAlias, KnowledgeEntry
from knowledge.services import retire_entry, save_entry

__all__ = ["AssetAliasAdmin", "KnowledgeEntryAdmin", "KnowledgeRelationAdmin"]


class KnowledgeEntryForm(ScreenedForm):
    screened = SCREENED
    read_version = forms.IntegerField(required=False, widget=forms.HiddenInput, label="")

    class Meta:
        model = KnowledgeEntry
        fields = (
            "tenant", "org_tiers", "roles", "platforms", "kind", "subject", "slot", "external_id", "text",
            "graph_node_id", "source", "valid_from", "valid_to",
        )  # fmt: skip

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["read_version"].initial = self.instance.version

    def clean(self) -> dict[str, Any]:
        """Refuse also what contradicts itself, the source that marks entries promoted from a memory, and an entry that
        was changed since it was read; it stays locked until the request ends.
        """
        given = super().clean()
        fields = {name: value for name, value in given.items() if name != "read_version"}
        for name, told in contradictions(KnowledgeEntry(**fields)).items() if not self.errors else ():
            self.add_error(name, told)
        if not self.instance._state.adding:
            versions = KnowledgeEntry.objects.select_for_update().values_list("version", flat=True)
            version = versions.get(pk=self.instance.pk)
            if version != given.get("read_version"):
                self.add_error(None, EntryChanged(version).message)
        return given


@admin.register(KnowledgeEntry)
class KnowledgeEntryAdmin(ModelAdmin):
    """Knowledge entries: edited here, never deleted; one that no longer holds ends and keeps its history."""

    shows_personal_text = True
    form = KnowledgeEntryForm
    change_list_template = "admin/knowledge_list.html"
    readonly_fields = ("id", "version", "is_promoted", "created_at", "updated_at", "versions")
    list_display = (
        short_id("id"),
        "tenant",
        "kind",
        "subject",
        "slot",
        "is_promoted",
        "version",
        "valid_to",
        "updated_at",
    )
    list_filter = ("kind", StateFilter, RoleFilter, PlatformFilter, "tenant")
    list_select_related = ("tenant",)
    search_fields = ("=id", "subject", "=slot", "=external_id", "=graph_node_id")
    date_hierarchy = "updated_at"
    actions = ("retire", "undo_last")

    def get_fields(self, request: HttpRequest, obj: KnowledgeEntry | None = None) -> Any:
        """The fields of the page; what was read is of no use where nothing is changed."""
        names = super().get_fields(request, obj)
        return names if self.has_change_permission(request, obj) else [name for name in names if name != "read_version"]

    def has_change_permission(self, request: HttpRequest, obj: KnowledgeEntry | None = None) -> bool:
        """Whether the entry may be edited: a promoted one may not, its user takes it back instead."""
        return super().has_change_permission(request, obj) and not (obj and obj.is_promoted)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: KnowledgeEntry, form: Any, change: bool) -> None:
        save_entry(obj)

    @admin.display(description=_("promoted"), boolean=True)
    def is_promoted(self, entry: KnowledgeEntry) -> bool:
        """Whether the entry was made from somebody's memory; whose, is not told here."""
        return entry.is_promoted

    @admin.display(description=_("every version"))
    def versions(self, entry: KnowledgeEntry) -> SafeString:
        """The history, the latest first."""
        rows = entry.history.order_by("-version")
        lines = [
            (
                row.version,
                row.history_date.isoformat(" ", "minutes"),
                change_of(row).label,
                row.get_kind_display(),
                row.text,
            )
            for row in rows
        ]
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{} · {} · {} · {} · {}</li>", lines))

    def get_urls(self) -> list[Any]:
        page = path("import/", self.admin_site.admin_view(self.import_entries), name="knowledge_knowledgeentry_import")
        return [page, *super().get_urls()]

    def import_entries(self, request: HttpRequest) -> HttpResponseBase:
        """Import entries as text, after a look at what would become of each."""
        if not (self.has_add_permission(request) and self.has_change_permission(request)):
            raise PermissionDenied
        return show_import_page(self, request)

    @admin.action(description=_("Take back the last change"), permissions=["change"])
    def undo_last(self, request: HttpRequest, queryset: QuerySet[KnowledgeEntry]) -> HttpResponseBase | None:
        """Confirm, then make the operators' own entries among the selected what they were before."""
        own = queryset.filter(derived_from_user=None, version__gt=1)
        return govern_rows(
            self,
            request,
            _undo_confirmation(own),
            row_by_row(lambda entry, _operator: restore_previous(entry)),
            note="Last change taken back.",
            done=ngettext_lazy("%d entry is what it was before.", "%d entries are what they were before."),
            nothing=_("None of the selected entries was changed since it was written."),
        )

    @admin.action(description=_("End the selected entries"), permissions=["change"])
    def retire(self, request: HttpRequest, queryset: QuerySet[KnowledgeEntry]) -> HttpResponseBase | None:
        """Confirm, then end the operators' own entries among the selected."""
        own = queryset.filter(derived_from_user=None, valid_to=None)
        return govern_rows(
            self,
            request,
            _retirement_confirmation(own),
            row_by_row(lambda entry, _operator: retire_entry(entry)),
            note="Ended.",
            done=ngettext_lazy("%d entry holds no longer.", "%d entries hold no longer."),
            nothing=_("None of the selected entries is the operators' to end."),
        )


@admin.register(AssetAlias)
class AssetAliasAdmin(ModelAdmin):
    """Names that mean the same asset: an organisation's own, or everybody's."""

    form = DuplicateLinkForm
    list_display = ("alias", "canonical", "tenant")
    list_filter = ("tenant",)
    list_select_related = ("tenant",)
    search_fields = ("alias", "canonical")


def _undo_confirmation(entries: QuerySet[KnowledgeEntry]) -> Confirmation:
    return Confirmation(
        title=gettext("Take back the last change of these entries?"),
        sentences=[gettext("Each becomes what it was before, as a new version; this can be taken back likewise.")],
        action="undo_last",
        button=gettext("Take it back"),
        rows=[(entry, entry.subject) for entry in entries],
    )


def _retirement_confirmation(entries: QuerySet[KnowledgeEntry]) -> Confirmation:
    return Confirmation(
        title=gettext("End these entries?"),
        sentences=[gettext("From now on no answer is told of them. They stay here with their history.")],
        action="retire",
        button=gettext("End them"),
        rows=[(entry, entry.subject) for entry in entries],
    )
