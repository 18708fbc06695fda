"""Admin page of organisations and their settings, validated before they are stored."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext as _
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from consent.models import LegalProfile
from drift.configuration import DriftThresholds
from finclaw.brain.skills.registry import SKILLS
from foundation.accounts.models import Tenant
from foundation.admin import DuplicateLinkForm, ModelAdmin
from memory.governance.thresholds import Thresholds


def _require_known_skill(skill: str) -> str:
    if skill not in {known_skill.name for known_skill in SKILLS}:
        raise ValueError(_("There is no such skill."))
    return skill


class TenantSettings(BaseModel):
    """Every key of ``Tenant.settings``.

    ``legal_profile`` is a profile's code, empty for the installation's own. ``skill_whitelist`` are the skills its
    users may use, all of them without it. ``monthly_model_ceiling`` is what their language models may cost in a month
    (``MODEL_CURRENCY``), null for whatever they cost; without it the installation's holds.
    """

    model_config = ConfigDict(extra="forbid")

    legal_profile: str = ""
    governance: Thresholds = Thresholds()
    skill_whitelist: frozenset[Annotated[str, AfterValidator(_require_known_skill)]] | None = None
    monthly_model_ceiling: Annotated[Decimal, Field(ge=0)] | None = None
    drift: DriftThresholds = Field(default_factory=lambda: DriftThresholds.model_validate({}))


class TenantForm(DuplicateLinkForm):
    """Refuses settings that nothing reads, or with invalid values."""

    class Meta:
        model = Tenant
        fields = ("name", "org_tier", "settings")

    def clean_settings(self) -> dict[str, Any]:
        """The settings as given, once all are validated."""
        given: dict[str, Any] = {} if self.cleaned_data["settings"] is None else self.cleaned_data["settings"]
        try:
            understood = TenantSettings.model_validate(given)
        except ValidationError as error:
            raise forms.ValidationError(
                [_error_sentence(problem["loc"], problem["msg"]) for problem in error.errors()]
            ) from None
        code = understood.legal_profile
        if code and not LegalProfile.objects.filter(code=code).exists():
            raise forms.ValidationError(
                _error_sentence(("legal_profile",), _("There is no legal profile of this code."))
            )
        return given


def _error_sentence(place: tuple[int | str, ...], message: str) -> str:
    return f"{'.'.join(map(str, place)) or 'settings'}: {message}"


@admin.register(Tenant)
class TenantAdmin(ModelAdmin):
    """An organisation and its settings."""

    form = TenantForm
    list_display = ("name", "org_tier", "created_at")
    list_filter = ("org_tier",)
    search_fields = ("=id", "name")
    readonly_fields = ("id", "created_at")
