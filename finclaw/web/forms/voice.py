"""Forms about how the assistant speaks."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from finclaw.web.forms.fields import WordsField
from personas.models.documents import MAX_CHARS
from personas.services.states import MAX_TTL_TURNS
from personas.types import MODES

# What each mode is called, and what it means.
MODE_NAMES = {
    "rational": _("Rational"),
    "idol": _("Warm"),
    "hybrid": _("Balanced"),
    "strict": _("Strict"),
}
MODE_MEANINGS = {
    "rational": _("Facts, figures and steps first, without ornament. Good for decisions and for finding faults."),
    "idol": _("Warm and encouraging, with some mood. Good for ideas and for writing."),
    "hybrid": _("Mostly matter-of-fact, with a little warmth."),
    "strict": _("As short as can be, tightly ordered, without emotion."),
}
MESSAGES = (5, 10, 20, 50)  # how many messages a mode may be chosen for


class ChatModeForm(forms.Form):
    """A mode for one chat and a number of messages; no number means the default."""

    mode = forms.ChoiceField(choices=[(mode, MODE_NAMES[mode]) for mode in MODES])
    ttl_turns = forms.IntegerField(required=False, min_value=1, max_value=MAX_TTL_TURNS)


class UsualModeForm(forms.Form):
    """The mode in which chats begin."""

    mode = forms.ChoiceField(choices=[(mode, MODE_NAMES[mode]) for mode in MODES])


class VoiceForm(forms.Form):
    """How the user wants to be spoken to, in their own words; empty to take it back."""

    body = WordsField(
        label=_("How you want to be spoken to"),
        required=False,
        max_length=MAX_CHARS,
        widget=forms.Textarea(attrs={"rows": 5}),
    )
