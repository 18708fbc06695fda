"""Forms that confirm an erasure."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from consent.models import Sources
from foundation.accounts.models import User


class ForgetForm(forms.Form):
    """What happens to the source messages; by default their words are erased."""

    sources = forms.ChoiceField(required=False, choices=Sources.choices)

    def chosen_sources(self) -> Sources:
        """The choice made, or the recommended one."""
        return Sources(self.cleaned_data["sources"] or Sources.REDACT)


class TypedForgetForm(ForgetForm):
    """As ``ForgetForm``, with the user name typed: for erasures of everything."""

    confirm = forms.CharField(
        label=_("Type your user name to confirm"),
        max_length=60,
        error_messages={"required": _("Type your user name to confirm.")},
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )

    def __init__(self, *args: object, user: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._username = user.username

    def clean_confirm(self) -> str:
        """Exactly the user's own user name."""
        typed = str(self.cleaned_data["confirm"])
        if typed != self._username:
            raise forms.ValidationError(_("This is not your user name. Nothing was forgotten."))
        return typed
