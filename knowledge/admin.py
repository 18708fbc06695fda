"""Admin pages of organisations' knowledge: operators edit it, and only read what was promoted from memories."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.services import screen_text
from foundation.admin import DuplicateLinkForm, ModelAdmin, short_id
from foundation.governed_actions import Confirmation, govern_rows, row_by_row
from knowledge.models import AssetAlias, KnowledgeEntry
from knowledge.services import FIELD, PROMOTED, retire_entry, save_entry


class KnowledgeEntryForm(DuplicateLinkForm):
    class Meta:
        model = KnowledgeEntry
        fields = ("tenant", "org_tiers", "kind", "subject", "slot", "text", "source", "valid_from", "valid_to")

    def clean_text(self) -> str:
        """Refuse sensitive text: every member of the organisation reads it."""
        return _screened_or_invalid(self.cleaned_data["text"])

    def clean_subject(self) -> str:
        return _screened_or_invalid(self.cleaned_data["subject"])

    def clean_source(self) -> str:
        """Refuse the source that marks entries promoted from a memory."""
        source = _screened_or_invalid(self.cleaned_data["source"])
        if source == PROMOTED:
            raise ValidationError(_("Only what was promoted from a memory says so."))
        return source


@admin.register(KnowledgeEntry)
class KnowledgeEntryAdmin(ModelAdmin):
    """Knowledge entries: edited here, never deleted; one that no longer holds ends and keeps its history."""

    shows_personal_text = True
    form = KnowledgeEntryForm
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
    list_filter = ("kind", ("valid_to", admin.EmptyFieldListFilter), "tenant")
    list_select_related = ("tenant",)
    search_fields = ("=id", "subject", "=slot")
    date_hierarchy = "updated_at"
    actions = ("retire",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[KnowledgeEntry]:
        return super().get_queryset(request).defer("terms")

    def has_change_permission(self, request: HttpRequest, obj: KnowledgeEntry | None = None) -> bool:
        """Whether the entry may be edited: a promoted one may not, its user takes it back instead."""
        return super().has_change_permission(request, obj) and (obj is None or obj.derived_from_user is None)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: KnowledgeEntry, form: Any, change: bool) -> None:
        save_entry(obj)

    @admin.display(description=_("promoted"), boolean=True)
    def is_promoted(self, entry: KnowledgeEntry) -> bool:
        """Whether the entry was made from somebody's memory; whose, is not told here."""
        return entry.derived_from_user is not None

    @admin.display(description=_("every version"))
    def versions(self, entry: KnowledgeEntry) -> SafeString:
        """The history, the latest first."""
        lines = [
            (version.version, version.history_date.isoformat(" ", "minutes"), version.get_kind_display(), version.text)
            for version in entry.history.order_by("-version")
        ]
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{} · {} · {} · {}</li>", lines))

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


def _screened_or_invalid(text: str) -> str:
    try:
        return screen_text(FIELD, text).text
    except SensitiveInput as refused:
        raise ValidationError(refused.message) from None


def _retirement_confirmation(entries: QuerySet[KnowledgeEntry]) -> Confirmation:
    return Confirmation(
        title=gettext("End these entries?"),
        sentences=[gettext("From now on no answer is told of them. They stay here with their history.")],
        action="retire",
        button=gettext("End them"),
        rows=[(entry, entry.subject) for entry in entries],
    )
