"""The form of what a connected program is kept from."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from memory.kinds import KIND_NAMES


class ProgramKindsForm(forms.Form):
    """The kinds of memory that a program neither sees nor writes."""

    withheld_kinds = forms.MultipleChoiceField(
        label=_("It does not see"),
        required=False,
        choices=list(KIND_NAMES.items()),
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Events, portraits and chats tell again what memories tell. If you tick a kind of memory, these are hidden "
            "too; if you tick events, so are portraits and chats."
        ),
    )
