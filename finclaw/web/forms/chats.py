"""Forms about chats as a whole."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from memory.models import Session

TITLE_CHARS = Session._meta.get_field("title").max_length


class ChatRenameForm(forms.Form):
    """A chat's new title."""

    title = forms.CharField(
        label=_("Name of this chat"), max_length=TITLE_CHARS, error_messages={"required": _("Give the chat a name.")}
    )


class ChatSearchForm(forms.Form):
    """The words to search one's chats for; an invalid query searches for nothing."""

    q = forms.CharField(required=False, max_length=200)

    @property
    def query(self) -> str:
        self.is_valid()
        return str(self.cleaned_data.get("q", "")).strip()
