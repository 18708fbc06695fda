"""Forms about groups: create one, and invite somebody."""

from __future__ import annotations

from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.utils.translation import gettext_lazy as _

from foundation.accounts.models import ChatGroup, GroupInvitation


class GroupForm(forms.Form):
    name = forms.CharField(label=_("Name of the group"), max_length=ChatGroup._meta.get_field("name").max_length)


class GroupInviteForm(forms.Form):
    """The user name of the invited user."""

    username = forms.CharField(
        label=_("User name"),
        max_length=GroupInvitation._meta.get_field("username").max_length,
        validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
