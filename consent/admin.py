from __future__ import annotations

from django.contrib import admin
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from consent.models import ProfileConsent
from foundation.admin import ReadOnlyAdmin, link_to
from foundation.personal_data import Scope


@admin.register(ProfileConsent)
class ProfileConsentAdmin(ReadOnlyAdmin):
    """What people allow. Only they change it."""

    list_display = (
        "id", link_to("user"), "version", *(scope.value for scope in Scope), "source", "granted_at", "revoked_at",
    )  # fmt: skip
    list_filter = (*(scope.value for scope in Scope), "source", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("user",)
    search_fields = ("=id", "user__username")
    date_hierarchy = "changed_at"
    readonly_fields = ("versions",)

    @admin.display(description=_("every version"))
    def versions(self, consent: ProfileConsent) -> SafeString:
        """The history, the latest first: when, from where, and which scopes held."""
        lines = [
            (version.version, version.changed_at.isoformat(" ", "minutes"), version.source, _held(version))
            for version in consent.history.order_by("-version")
        ]
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{} · {} · {} · {}</li>", lines))


def _held(version: ProfileConsent) -> str:
    held = [scope.value for scope in Scope if getattr(version, scope.value)]
    return ", ".join(held) or str(_("nothing allowed"))
