"""Forms about research: request it, save it as a thread, refresh, give feedback."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, time
from typing import Any, ClassVar, Final
from uuid import UUID

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from drift.models import Feedback
from drift.services import MAX_COMMENT_CHARS
from finclaw.brain.material.route_proposal import propose_route
from finclaw.web.forms.fields import WordsField
from finclaw.web.forms.preferences import PreferencesForm, text_field_of
from finclaw.web.forms.refusals import RefusableForm
from memory.models import ObjectKind, Route, Snapshot, Thread
from memory.research.draft_validation import is_in_future
from memory.research.profile_context import FIELDS, FINANCIAL
from memory.research.threads import MAX_CONDITION_CHARS, MAX_CONDITIONS, MAX_TITLE_CHARS
from memory.research.types import CognitionObject, TaskDraft, ThreadChange, ThreadDraft

EARLIEST_YEAR: Final = 1900


class StatingForm(RefusableForm):
    """A form with fields in which users state their context, such as focus or time horizon."""

    def stated(self) -> dict[str, str]:
        """The fields that are filled in."""
        return {name: self.cleaned_data[name] for name in FIELDS if self.cleaned_data.get(name)}


class LinesField(WordsField):
    """Sentences, one a line; ``clean`` returns a tuple of them."""

    def clean(self, value: Any) -> Any:
        """Without the empty lines."""
        return tuple(line.strip() for line in super().clean(value).splitlines() if line.strip())


def _conditions_field() -> LinesField:
    return LinesField(
        label=_("When it is worth another look"),
        required=False,
        max_length=MAX_CONDITIONS * (MAX_CONDITION_CHARS + 1),
        help_text=_("A line for each. Nothing watches them for you yet: they are here to remind you."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )


class ObjectForm(RefusableForm):
    """A form that says what a piece of research is about, and lets its user correct it."""

    renamed: ClassVar[dict[str, str]] = {"cognition_object": "object_name"}

    object_name = forms.CharField(
        label=_("What it is about"),
        required=False,
        max_length=MAX_TITLE_CHARS,
        help_text=_("A company by any of its names, a theme or an event. I compare what you say of the same thing."),
    )
    object_kind = forms.ChoiceField(label=_("What kind of thing that is"), required=False, choices=ObjectKind.choices)

    def cognition_object(self) -> CognitionObject | None:
        """The object as given; None where its name was emptied, which leaves it as it is."""
        given = self.cleaned_data
        if not given["object_name"]:
            return None
        return CognitionObject(given["object_kind"] or ObjectKind.THEME, given["object_name"])


def object_values(research: Snapshot | Thread) -> dict[str, str]:
    """The initial values of an ``ObjectForm``."""
    return {"object_name": research.object_name, "object_kind": research.object_kind}


def _title_field() -> forms.CharField:
    return forms.CharField(label=_("Title"), max_length=MAX_TITLE_CHARS)


class AskForm(PreferencesForm, RefusableForm):
    """A question, its route, and what is stated for this task alone."""

    prompt = WordsField(
        label=_("What do you want to look into?"),
        max_length=settings.MAX_MESSAGE_CHARS,
        error_messages={"required": _("Write first what you want to look into.")},
        help_text=_("Paste what you have read too, with its dates: I look nothing up outside your own words."),
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    route = forms.ChoiceField(
        label=_("Kind of research"), required=False, choices=[("", _("Propose one for me")), *Route.choices]
    )
    thread = forms.ChoiceField(label=_("For a thread"), required=False)
    as_of = forms.DateField(
        label=_("As of a day in the past"),
        required=False,
        help_text=_("I use nothing that became known after that day, and tell you what is about a later one."),
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    research_style = text_field_of("research_style")
    user_stated_position_context = text_field_of("user_stated_position_context")
    time_horizon = text_field_of("time_horizon")
    constraints = text_field_of("constraints")

    field_order = ("prompt", "route", "thread", "as_of", *FIELDS)

    def __init__(self, *args: Any, threads: Iterable[Thread], routes: Collection[str], **kwargs: Any) -> None:
        """``routes`` are those that the user may use."""
        super().__init__(*args, **kwargs)
        choice: Any = self.fields["thread"]
        choice.choices = [("", _("None")), *((str(thread.pk), thread.title) for thread in threads)]
        route: Any = self.fields["route"]
        route.choices = [offered for offered in route.choices if not offered[0] or offered[0] in routes]

    @property
    def for_this_task(self) -> list[forms.BoundField]:
        """The fields that apply to this task alone."""
        return [self[name] for name in FIELDS]

    @property
    def unfolds(self) -> bool:
        """Whether one of those is filled in, or invalid."""
        return any(field.errors or field.value() for field in self.for_this_task)

    def clean_as_of(self) -> datetime | None:
        """The end of that day in UTC, as named days are stored."""
        day = self.cleaned_data["as_of"]
        if day is None:
            return None
        end = datetime.combine(day, time.max, UTC)
        if is_in_future(end) or day.year < EARLIEST_YEAR:
            raise forms.ValidationError(_("Choose a day that has passed, or none."))
        return end

    def clean(self) -> dict[str, Any]:
        """Require a thread where the route is a refresh."""
        given = super().clean() or self.cleaned_data
        route = given.get("route") or propose_route(given.get("prompt", ""))
        if route == Route.THREAD_REFRESH and given.get("thread") == "":
            self.add_error(
                "thread",
                _("Looking again needs a thread: choose one, or another kind of research. To start a thread, keep"
                  " a snapshot as one."),
            )  # fmt: skip
        return given

    def draft(self) -> TaskDraft:
        """The task as requested."""
        given = self.cleaned_data
        stated = {name: given[name] for name in FIELDS if given[name]}
        thread_id = UUID(given["thread"]) if given["thread"] else None
        return TaskDraft(given["route"], given["prompt"], stated, thread_id, given["as_of"])


class SnapshotKeepForm(ObjectForm, StatingForm):
    """A snapshot to be saved as a thread. ``consent_id`` is the consent that was shown beside it."""

    title = _title_field()
    refresh_conditions = _conditions_field()
    save_user_context = forms.BooleanField(required=False)
    user_focus_reason = text_field_of("user_focus_reason")
    research_style = text_field_of("research_style")
    user_stated_position_context = text_field_of("user_stated_position_context")
    confirm_financial = forms.BooleanField(required=False)
    consent_id = forms.UUIDField(widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        """Refuse stated fields without their switch: they would be lost."""
        given = super().clean() or self.cleaned_data
        if not given.get("save_user_context"):
            for name in self.stated():
                self.add_error(name, _("Switch on “Keep what I say here with the thread”, or leave this empty."))
        return given

    def draft(self) -> ThreadDraft:
        """The thread as it is to be saved."""
        given = self.cleaned_data
        return ThreadDraft(
            title=given["title"],
            save_user_context=given["save_user_context"],
            fields=self.stated(),
            confirm_financial=given["confirm_financial"],
            refresh_conditions=given["refresh_conditions"],
            cognition_object=self.cognition_object(),
        )


class ThreadRefreshForm(StatingForm):
    """What is new about a thread, and its context from now on."""

    renamed: ClassVar[dict[str, str]] = {"prompt": "said"}

    said = WordsField(
        label=_("What is new"),
        required=False,
        max_length=settings.MAX_MESSAGE_CHARS,
        help_text=_("What you have read or think by now, with dates. Leave it empty to go over the same again."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    user_focus_reason = text_field_of("user_focus_reason")
    research_style = text_field_of("research_style")
    user_stated_position_context = text_field_of("user_stated_position_context")
    time_horizon = text_field_of("time_horizon")
    constraints = text_field_of("constraints")
    confirm_financial = forms.BooleanField(required=False)

    @property
    def plain(self) -> list[forms.BoundField]:
        """The stated fields that are not financial."""
        return [self[name] for name in FIELDS if name in self.fields and name not in FINANCIAL]

    @property
    def financial(self) -> list[forms.BoundField]:
        """The financial fields."""
        return [self[name] for name in FINANCIAL]


class ThreadForm(ObjectForm):
    """A thread's title, what it is about, and its refresh conditions."""

    field_order = ("title", "object_name", "object_kind", "refresh_conditions")

    title = _title_field()
    refresh_conditions = _conditions_field()

    def change(self) -> ThreadChange:
        """The values to save."""
        given = self.cleaned_data
        return ThreadChange(given["title"], given["refresh_conditions"], cognition_object=self.cognition_object())


class FeedbackForm(RefusableForm):
    """A rating of an object, with an optional comment."""

    asked_first: ClassVar = (Feedback.Rating.HELPFUL, Feedback.Rating.NOT_HELPFUL)

    rating = forms.ChoiceField(choices=Feedback.Rating.choices)
    comment = WordsField(
        label=_("Why, in your words"),
        required=False,
        max_length=MAX_COMMENT_CHARS,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    @property
    def first(self) -> list[tuple[str, str]]:
        """The two ratings that are offered first."""
        return [(rating.value, str(rating.label)) for rating in self.asked_first]

    @property
    def others(self) -> list[tuple[str, str]]:
        """The finer ratings."""
        return [(rating.value, str(rating.label)) for rating in Feedback.Rating if rating not in self.asked_first]
