"""Forms about messages and memories."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from finclaw.web.forms.fields import WordsField
from memory.historian.events import MAX_EVENT_CHARS
from memory.models import MemoryItem
from memory.services.item_decisions import MAX_CONTENT_CHARS

EVERYTHING = "all"
# The words and bounds of components/certainty.html, upper bounds excluded; 1 is the highest certainty.
CERTAINTIES = {
    "very": (_("Very sure"), 0.8, 1.1),
    "fairly": (_("Fairly sure"), 0.6, 0.8),
    "not_quite": (_("Not quite sure"), 0.4, 0.6),
    "not": (_("Not sure"), 0.0, 0.4),
}
PERIODS = {"7": _("In the last week"), "30": _("In the last month"), "365": _("In the last year")}  # days


class MessageForm(forms.Form):
    """One message to the assistant."""

    content = WordsField(
        max_length=settings.MAX_MESSAGE_CHARS, error_messages={"required": _("Write something first.")}
    )


class MemoryAddForm(forms.Form):
    """A statement in the user's own words, and its kind."""

    content = WordsField(
        label=_("What should I remember?"),
        max_length=MAX_CONTENT_CHARS,
        help_text=_("One thing, in a sentence of its own: “I have two children, Tom and Ida.”"),
        error_messages={"required": _("Write something first.")},
        widget=forms.Textarea(attrs={"rows": 3, "autofocus": True}),
    )
    memory_type = forms.ChoiceField(
        label=_("What is it?"),
        choices=[
            (MemoryItem.MemoryType.INSIGHT, _("A fact")),
            (MemoryItem.MemoryType.PREFERENCE, _("Something you like or dislike")),
            (MemoryItem.MemoryType.PATTERN, _("A habit")),
        ],
    )


class MemoryCorrectForm(forms.Form):
    """The right statement, and an optional reason."""

    content = WordsField(
        label=_("What is right"), max_length=MAX_CONTENT_CHARS, widget=forms.Textarea(attrs={"rows": 2})
    )
    reason = forms.CharField(label=_("Why it changed"), required=False, max_length=200)


class EventCorrectForm(forms.Form):
    """What happened, as it should be told."""

    text = WordsField(label=_("What happened"), max_length=MAX_EVENT_CHARS, widget=forms.Textarea(attrs={"rows": 3}))


class EventFilterForm(forms.Form):
    """Filters of the list of events; an invalid value filters nothing."""

    use_required_attribute = False
    q = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)

    @property
    def query(self) -> str:
        return str(self.valid("q")).strip()

    def valid(self, name: str) -> Any:
        """A field's value, empty where it is invalid."""
        self.is_valid()
        return self.cleaned_data.get(name, "")

    @property
    def narrows(self) -> bool:
        """Whether any filter is set."""
        return any(self.valid(name) for name in self.fields)


class MemoryFilterForm(EventFilterForm):
    """Filters of the list of statements."""

    usual_state: ClassVar[str] = MemoryItem.State.ACTIVE

    memory_type = forms.ChoiceField(
        label=_("Kind"), required=False, choices=[("", _("Every kind")), *MemoryItem.MemoryType.choices]
    )
    state = forms.ChoiceField(
        label=_("State"),
        required=False,
        choices=[
            ("", MemoryItem.State.ACTIVE.label),
            *[choice for choice in MemoryItem.State.choices if choice[0] != MemoryItem.State.ACTIVE],
            (EVERYTHING, _("Everything")),
        ],
    )

    certainty = forms.ChoiceField(
        label=_("How sure"),
        required=False,
        choices=[("", _("However sure")), *((name, words) for name, (words, _low, _high) in CERTAINTIES.items())],
    )
    noted = forms.ChoiceField(label=_("Noted"), required=False, choices=[("", _("At any time")), *PERIODS.items()])

    def apply(self, items: QuerySet[MemoryItem]) -> QuerySet[MemoryItem]:
        """The statements of the chosen kind, state, certainty and age; those in use where no state is chosen."""
        if memory_type := self.valid("memory_type"):
            items = items.filter(memory_type=memory_type)
        if certainty := self.valid("certainty"):
            _words, low, high = CERTAINTIES[certainty]
            items = items.filter(confidence__gte=low, confidence__lt=high)
        if days := self.valid("noted"):
            items = items.filter(created_at__gte=timezone.now() - timedelta(days=int(days)))
        state = self.valid("state") or self.usual_state
        return items if state == EVERYTHING else items.filter(state=state)


class TimelineFilterForm(MemoryFilterForm):
    """As ``MemoryFilterForm``, for the timeline, which shows the past as well."""

    usual_state = EVERYTHING

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        state: Any = self.fields["state"]
        state.choices = [("", _("Everything")), *MemoryItem.State.choices]
