"""Forms about portraits."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from finclaw.web.forms.fields import WordsField


class PortraitForm(forms.Form):
    """The text of a portrait; an empty one clears it."""

    body = WordsField(
        label=_("In your words"),
        required=False,
        max_length=settings.PROFILE_MAX_CHARS,
        help_text=_("A line for each thing. “## ” makes a heading, “- ” a point of a list."),
        widget=forms.Textarea(attrs={"rows": 8}),
    )


class PortraitVersionForm(forms.Form):
    """The version to roll back to."""

    revision = forms.IntegerField(min_value=1, max_value=2**31 - 1)
