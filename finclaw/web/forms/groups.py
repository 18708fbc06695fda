"""Forms about groups: making one, and asking somebody into it."""

from __future__ import annotations

from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.utils.translation import gettext_lazy as _

from foundation.accounts.models import ChatGroup, GroupInvitation


class GroupForm(forms.Form):
    """A group's name."""

    name = forms.CharField(label=_("Name of the group"), max_length=ChatGroup._meta.get_field("name").max_length)


class GroupInviteForm(forms.Form):
    """Who is asked, by user name."""

    username = forms.CharField(
        label=_("User name"),
        max_length=GroupInvitation._meta.get_field("username").max_length,
        validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
