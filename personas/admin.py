"""Admin pages of the persona: operators edit organisations' documents, and only read what is a user's own."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.services import screen_text
from foundation.admin import DuplicateLinkForm, ModelAdmin, ReadOnlyAdmin, link_to, short_id
from personas.models import PersonaDocument, PersonaSignal, PersonaState, UserDocument
from personas.services.documents import FIELD, save_document


class PersonaDocumentForm(DuplicateLinkForm):
    class Meta:
        model = PersonaDocument
        fields = ("tenant", "kind", "body")

    def clean_body(self) -> str:
        """Refuse sensitive text: every member's prompt holds the document."""
        try:
            return screen_text(FIELD, self.cleaned_data["body"]).text
        except SensitiveInput as refused:
            raise ValidationError(refused.message) from None


@admin.register(PersonaDocument)
class PersonaDocumentAdmin(ModelAdmin):
    """SOUL and IDENTITY of an organisation, or the default ones. Without any, the shipped text holds."""

    form = PersonaDocumentForm
    readonly_fields = ("id", "version", "created_at", "updated_at", "versions")
    list_display = (short_id("id"), "kind", "tenant", "version", "updated_at")
    list_filter = ("kind", "tenant")
    list_select_related = ("tenant",)
    search_fields = ("=id", "tenant__name")

    def save_model(self, request: HttpRequest, obj: PersonaDocument, form: Any, change: bool) -> None:
        save_document(obj)

    @admin.display(description=_("every version"))
    def versions(self, document: PersonaDocument) -> SafeString:
        """The history, the latest first."""
        lines = [
            (version.version, version.history_date.isoformat(" ", "minutes"), version.body)
            for version in document.history.order_by("-version")
        ]
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{} · {} · {}</li>", lines))


@admin.register(UserDocument)
class UserDocumentAdmin(ReadOnlyAdmin):
    shows_personal_text = True
    list_display = (short_id("id"), link_to("user"), "version", "updated_at")
    list_select_related = ("user",)
    search_fields = ("=id", "user__username")
    date_hierarchy = "updated_at"


@admin.register(PersonaState)
class PersonaStateAdmin(ReadOnlyAdmin):
    shows_personal_text = True
    list_display = (
        short_id("id"),
        link_to("user"),
        link_to("session"),
        "mode",
        "mode_source",
        "ttl_turns",
        "since",
    )
    list_filter = ("mode", "mode_source")
    list_select_related = ("user", "session")
    search_fields = ("=id", "=session__id", "user__username")
    date_hierarchy = "since"


@admin.register(PersonaSignal)
class PersonaSignalAdmin(ReadOnlyAdmin):
    list_display = (
        short_id("id"),
        link_to("user"),
        link_to("session"),
        "slot",
        "value",
        "waiting",
        "said_at",
    )
    list_filter = ("slot", "value", "waiting")
    list_select_related = ("user", "session")
    search_fields = ("=id", "=session__id", "user__username")
    date_hierarchy = "said_at"
