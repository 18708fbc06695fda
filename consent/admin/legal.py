"""Admin page of the legal terms for erasures."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from consent.legal_terms import is_country
from consent.models import LegalProfile
from foundation.admin import DuplicateLinkForm, ModelAdmin, is_superuser


class LegalProfileForm(DuplicateLinkForm):
    class Meta:
        model = LegalProfile
        fields = ("code", "name", "country", "sla_type", "deletion_sla_days", "warn_pct", "critical_pct")

    def clean_country(self) -> str:
        """Accept only a country whose holidays the library knows, or none."""
        country: str = self.cleaned_data["country"].upper()
        if country and not is_country(country):
            raise ValidationError(_("Give the two letters of a country whose calendar is known, such as CN or DE."))
        return country

    def clean(self) -> dict[str, Any] | None:
        """Require a country for terms in working days."""
        given: dict[str, Any] = super().clean() or {}
        if given.get("sla_type") == LegalProfile.SlaType.WORKING_DAYS and given.get("country") == "":
            self.add_error("country", _("Working days need the country whose holidays count."))
        return given


@admin.register(LegalProfile)
class LegalProfileAdmin(ModelAdmin):
    """The legal terms of erasures. A change holds for erasures requested from then on."""

    form = LegalProfileForm
    list_display = ("code", "name", "country", "sla_type", "deletion_sla_days", "warn_pct", "critical_pct")
    list_filter = ("sla_type",)
    search_fields = ("code", "name")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_superuser(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # erasures name it for ever

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("code",) if obj else ()
