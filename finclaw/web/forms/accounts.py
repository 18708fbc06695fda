"""Forms about the account: sign up, recovery, name, time zone, language, access keys."""

from __future__ import annotations

import zoneinfo
from functools import cache
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.services import screen_text
from foundation.accounts.exceptions import TooManyAttempts
from foundation.accounts.models import ApiToken, User
from foundation.exceptions import ValidationFailed

if TYPE_CHECKING:  # Django's own class takes no parameter when it runs
    UserForm = forms.ModelForm[User]
    ApiTokenForm = forms.ModelForm[ApiToken]
else:
    UserForm = ApiTokenForm = forms.ModelForm


# The regions of the IANA database, which also lists "Factory", bare offsets and obsolete names.
_REGIONS = (
    "Africa/", "America/", "Antarctica/", "Arctic/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/",
    "Pacific/", "UTC",
)  # fmt: skip


@cache
def _inhabited_zones() -> frozenset[str]:
    """The time zones of inhabited places, and UTC."""
    return frozenset(name for name in zoneinfo.available_timezones() if name.startswith(_REGIONS))


def _zone_choices(kept: str) -> list[tuple[str, str]]:
    """The zones to choose from, including the user's own whatever it is."""
    return [(name, name.replace("_", " ")) for name in sorted(_inhabited_zones() | {kept})]


def _password_field(label: Any, autocomplete: str, **more: Any) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=label, strip=False, max_length=200, widget=widget, **more)


class SignUpForm(UserForm):
    """A user name and a password; the time zone is the browser's guess, where scripts run."""

    password = _password_field(_("Password"), "new-password", help_text=_("At least eight characters."))
    time_zone = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput(attrs={"data-time-zone": ""}))

    class Meta:
        model = User
        fields = ("username",)
        help_texts = {"username": _("Letters, digits and @ . + - _ are fine. It need not be your real name.")}
        widgets = {"username": forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"})}

    def clean_username(self) -> str:
        """A name without sensitive input, such as numbers or addresses."""
        return _screen_name("username", self.cleaned_data["username"])

    def clean_time_zone(self) -> str:
        """The zone; an unknown one is ignored, not refused."""
        name: str = self.cleaned_data["time_zone"]
        return name if name in _inhabited_zones() else settings.TIME_ZONE

    def clean(self) -> dict[str, Any] | None:
        """Validate the password together with the user name."""
        cleaned = super().clean()
        _judge_password(self, "password", User(username=self.cleaned_data.get("username", "")))
        return cleaned


class SignInForm(AuthenticationForm):
    """User name and password; ``refusal`` is set where too many attempts kept them from being checked."""

    refusal: TooManyAttempts | None = None

    def clean(self) -> dict[str, Any]:
        """Sign in, within the limits."""
        try:
            return super().clean()
        except TooManyAttempts as refusal:
            self.refusal = refusal
            raise ValidationError(refusal.message) from None


class RecoverForm(forms.Form):
    """A recovery code instead of the password."""

    username = forms.CharField(
        label=_("User name"), max_length=60, widget=forms.TextInput(attrs={"autocomplete": "username"})
    )
    code = forms.CharField(
        label=_("Recovery code"), max_length=20, widget=forms.TextInput(attrs={"autocomplete": "one-time-code"})
    )
    new_password = _password_field(_("New password"), "new-password", help_text=_("At least eight characters."))

    def clean(self) -> dict[str, Any] | None:
        """Validate the password together with the user name."""
        cleaned = super().clean()
        _judge_password(self, "new_password", User(username=self.cleaned_data.get("username", "")))
        return cleaned


class PasswordForm(PasswordChangeForm):
    """The old password and twice the new one; it has no autofocus, because it is the last form of its page."""

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(user, *args, **kwargs)
        del self.fields["old_password"].widget.attrs["autofocus"]


class CurrentPasswordForm(forms.Form):
    """The password, asked again before something that opens the account."""

    password = _password_field(_("Your password"), "current-password")

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_password(self) -> str:
        """Raises ``ValidationError`` for any other than the user's."""
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise ValidationError(_("This is not your password."))
        return password


class AccountForm(UserForm):
    """The display name, the time zone of shown dates, the language of the pages, and whether to ask back."""

    time_zone = forms.ChoiceField(label=_("Time zone"))
    language = forms.ChoiceField(
        label=_("Language of the pages"),
        required=False,
        choices=[("", _("As my browser asks")), *settings.LANGUAGES],
        help_text=_("I answer in the language you write in."),
    )

    class Meta:
        model = User
        fields = ("display_name", "time_zone", "language", "asks_follow_ups")
        labels = {"display_name": _("What I call you"), "asks_follow_ups": _("Ask me follow-up questions")}
        help_texts = {
            "asks_follow_ups": _("Below an answer, at most one: a question that a thread of yours leaves open.")
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zones: Any = self.fields["time_zone"]
        zones.choices = _zone_choices(self.initial["time_zone"])

    def clean_display_name(self) -> str:
        """A name without sensitive input, such as numbers or addresses."""
        return _screen_name("display_name", self.cleaned_data["display_name"])


class TokenForm(ApiTokenForm):
    """A name for the access key."""

    class Meta:
        model = ApiToken
        fields = ("name",)
        labels = {"name": _("Name of the program")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].required = True


def _screen_name(field: str, name: str) -> str:
    try:
        return screen_text(field, name).text
    except SensitiveInput as refusal:
        raise ValidationError(refusal.message) from None


def add_refusal(form: forms.BaseForm, refusal: ValidationFailed) -> None:
    """Put a service's errors on the fields they name."""
    for field, sentences in refusal.details.items():
        form.add_error(field, sentences)


def _judge_password(form: forms.BaseForm, field: str, user: User) -> None:
    password = form.cleaned_data.get(field)
    if not password:
        return
    try:
        validate_password(password, user)
    except ValidationError as error:
        form.add_error(field, error)
