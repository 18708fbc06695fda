"""Forms about consent and preferences."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from consent.sensitive.classifier import classify_sensitive
from finclaw.brain.boundary import BoundaryRefused
from finclaw.brain.boundary.statements import refuse_statements
from finclaw.brain.skills.wording import phrase
from finclaw.web.forms.fields import WordsField
from foundation.language import language_of
from foundation.personal_data import ConsentScope
from memory.models import UserContext
from memory.research.profile_context import FINANCIAL, PREFERENCES


def _choice_field(name: str) -> Any:
    field: Any = UserContext._meta.get_field(name)
    choices = [("", _("No preference")), *field.choices]
    return forms.ChoiceField(label=capfirst(field.verbose_name), required=False, choices=choices)


def text_field_of(name: str) -> Any:
    """The form field of a stated field with free text."""
    field: Any = UserContext._meta.get_field(name)
    return _statement_field(capfirst(field.verbose_name), field.max_length)


def _statement_field(label: Any, max_length: int) -> WordsField:
    """A field for what users state about themselves; a statement that orders a reader to act gets an error on it."""
    return WordsField(
        label=label,
        required=False,
        max_length=max_length,
        validators=[_refuse_orders],
        widget=forms.Textarea(attrs={"rows": 2}),
    )


def _refuse_orders(statement: str) -> None:
    if classify_sensitive(statement):
        return  # the service refuses or masks sensitive input first
    try:
        refuse_statements([statement])
    except BoundaryRefused:
        raise forms.ValidationError(phrase(language_of(statement), "never_acts")) from None


def _focus_field() -> WordsField:
    return _statement_field(_("What you care about most right now"), 500)


class ScopesForm(forms.Form):
    """The four consent switches."""

    save_to_profile = forms.BooleanField(required=False)
    memory_learning_allowed = forms.BooleanField(required=False)
    save_to_thread = forms.BooleanField(required=False)
    training_use_allowed = forms.BooleanField(required=False)

    def scopes(self) -> set[ConsentScope]:
        """The scopes switched on."""
        return {scope for scope in ConsentScope if self.cleaned_data[scope.value]}


class WithdrawForm(forms.Form):
    """The scopes to withdraw; none named means everything."""

    scope = forms.MultipleChoiceField(required=False, choices=[(scope.value, scope.value) for scope in ConsentScope])

    def scopes(self) -> set[ConsentScope]:
        """The scopes named."""
        return {ConsentScope(value) for value in self.cleaned_data["scope"]}


class PreferencesForm(forms.Form):
    """What users may state about themselves, all of it optional."""

    language_preference = _choice_field("language_preference")
    research_depth = _choice_field("research_depth")
    risk_prompt_preference = _choice_field("risk_prompt_preference")
    user_focus_reason = _focus_field()

    def stated(self) -> dict[str, str]:
        """The preferences as given; empty means none."""
        return {name: self.cleaned_data[name] for name in PREFERENCES}


class WorkingStyleForm(PreferencesForm):
    """All that Settings keep of how somebody likes to work."""

    research_style = text_field_of("research_style")

    def stated(self) -> dict[str, str]:
        """The preferences and the style as given; empty means none."""
        return super().stated() | {"research_style": self.cleaned_data["research_style"]}


class OnboardingForm(ScopesForm, PreferencesForm):
    """Everything the first page asks. Nothing is decided before the notice is acknowledged."""

    acknowledged = forms.BooleanField(error_messages={"required": _("Read this first, and say that you have.")})


class FinancialForm(forms.Form):
    """The user's financial fields: kept only with explicit consent to this very save. Emptying needs none."""

    user_stated_position_context = text_field_of("user_stated_position_context")
    time_horizon = text_field_of("time_horizon")
    constraints = text_field_of("constraints")
    confirm_financial = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Require the consent where something is stated."""
        if any(self.stated().values()) and not self.cleaned_data.get("confirm_financial"):
            self.add_error("confirm_financial", _("Say yes to keeping this, or leave the fields empty."))
        return self.cleaned_data

    def stated(self) -> dict[str, str]:
        """The fields as given; an empty one is cleared."""
        return {name: self.cleaned_data.get(name, "") for name in FINANCIAL}


def scopes_form_of(scopes: Collection[ConsentScope]) -> ScopesForm:
    """The switches as they stand."""
    return ScopesForm(initial={scope.value: scope in scopes for scope in ConsentScope})


def working_style_form_of(context: UserContext | None) -> WorkingStyleForm:
    """What Settings keep of how the user likes to work, as it stands."""
    shown = (*PREFERENCES, "research_style")
    return WorkingStyleForm(initial={name: getattr(context, name) for name in shown} if context else None)


def financial_form_of(context: UserContext | None) -> FinancialForm:
    """The financial fields as they stand, never confirmed beforehand."""
    return FinancialForm(initial={name: getattr(context, name) for name in FINANCIAL} if context else None)
