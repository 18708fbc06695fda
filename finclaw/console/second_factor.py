"""The operators' second factor: authenticator app, code after sign-in, backup codes."""

from __future__ import annotations

from base64 import b32encode
from typing import Any

import segno
from django import forms
from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.db import transaction
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django_otp import login
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from finclaw.console import audit
from foundation.accounts.models import User

ENROLLED = "second_factor.enrolled"
CODES_MADE = "second_factor.codes_made"
CODE_REFUSED = "second_factor.code_refused"
CODE_USED = "second_factor.backup_code_used"
RESET = "second_factor.reset"
BACKUP_CODES = 8
_DIGITS = 6


class CodeForm(forms.Form):
    """Six digits of an app, or one of the backup codes."""

    code = forms.CharField(
        label=_("Code"),
        max_length=16,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autofocus": True}),
    )

    def clean_code(self) -> str:
        return str(self.cleaned_data["code"]).replace(" ", "").replace("-", "").lower()


def is_second_factor_missing(request: HttpRequest) -> bool:
    """Whether the operator still has to give the second factor."""
    return settings.OPERATOR_SECOND_FACTOR and not _is_verified(request)


def redirect_to_code_page(request: HttpRequest) -> HttpResponseRedirect:
    """Redirect to the page that asks for a code, which leads back to the requested page."""
    wanted = request.get_full_path() if request.method == "GET" else reverse("admin:index")
    return HttpResponseRedirect(f"{reverse('admin:second_factor')}?{urlencode({REDIRECT_FIELD_NAME: wanted})}")


def verify(request: HttpRequest, context: dict[str, Any]) -> HttpResponseBase:
    """Ask for a code; redirect an operator without an app to enrolment."""
    if _is_verified(request):
        return _redirect_next(request)
    if not _confirmed_device(request):
        query = urlencode({REDIRECT_FIELD_NAME: request.GET.get(REDIRECT_FIELD_NAME, "")})
        return HttpResponseRedirect(f"{reverse('admin:second_factor_enrol')}?{query}")
    form = CodeForm(request.POST or None)
    if form.is_valid() and _sign_in(request, form):
        return _redirect_next(request)
    return TemplateResponse(request, "admin/second_factor.html", context | {"form": form, "title": _("Your code")})


def enrol_device(request: HttpRequest, context: dict[str, Any]) -> HttpResponseBase:
    """Show a new secret as QR code and text until an app gives a code of it; then show the backup codes.

    An operator with an app enrols another only after giving a code: a stolen password replaces nothing.
    """
    if _confirmed_device(request) and not _is_verified(request):
        return redirect_to_code_page(request)
    device = _unconfirmed_device(request)
    form = CodeForm(request.POST or None)
    if form.is_valid() and _verify_code(request, device, form):
        codes = _confirm_device(request, device)
        return _show_codes(request, context, codes)
    shown = {
        "form": form,
        "title": _("Set up your second factor"),
        "picture": segno.make(device.config_url).svg_data_uri(scale=5, border=2),
        "secret": b32encode(device.bin_key).decode(),
    }
    return TemplateResponse(request, "admin/second_factor_enrol.html", context | shown)


def renew_codes(request: HttpRequest, context: dict[str, Any]) -> HttpResponseBase:
    """On POST, replace the backup codes and show the new ones once."""
    if not _is_verified(request):
        return redirect_to_code_page(request)
    if request.method != "POST":
        left = StaticToken.objects.filter(device__user=_user(request)).count()
        shown = {"title": _("Backup codes"), "left": left}
        return TemplateResponse(request, "admin/second_factor_codes.html", context | shown)
    audit.record_event(request, CODES_MADE)
    return _show_codes(request, context, _new_codes(_user(request)))


def has_devices(user: User) -> bool:
    """Whether the operator has set up an app."""
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


def remove_devices(user: User) -> int:
    """Delete every second factor of an operator; returns how many there were."""
    rows = [TOTPDevice.objects.filter(user=user), StaticDevice.objects.filter(user=user)]
    removed: int = sum(found.count() for found in rows)
    for found in rows:
        found.delete()
    return removed


def _sign_in(request: HttpRequest, form: CodeForm) -> bool:
    """Check the code: six digits by the app, anything else by the backup codes; both count wrong ones."""
    code = form.cleaned_data["code"]
    is_of_app = code.isascii() and code.isdigit() and len(code) == _DIGITS
    kind: Any = TOTPDevice if is_of_app else StaticDevice
    device = kind.objects.filter(user=_user(request), confirmed=True).first()
    if device is None:
        form.add_error("code", gettext("This code is not right."))
        return False
    if not _verify_code(request, device, form):
        return False
    if not is_of_app:
        audit.record_event(request, CODE_USED)
    _mark_verified(request, device)
    return True


def _verify_code(request: HttpRequest, device: Any, form: CodeForm) -> bool:
    """Whether the device takes the code. A wrong one is recorded, and doubles the wait before the next."""
    with transaction.atomic():
        locked = type(device).objects.select_for_update().get(pk=device.pk)
        may_try, why = locked.verify_is_allowed()
        accepted = may_try and bool(locked.verify_token(form.cleaned_data["code"]))
    if accepted:
        return True
    if may_try:  # throttled attempts are not recorded, so that nobody can flood the log
        audit.record_event(request, CODE_REFUSED, counts={"failures": locked.throttling_failure_count})
        form.add_error("code", gettext("This code is not right. The app shows a new one every 30 seconds."))
    else:
        seconds = max(1, round((why["locked_until"] - timezone.now()).total_seconds()))
        wait = ngettext("Wait %d second and try again.", "Wait %d seconds and try again.", seconds) % seconds
        form.add_error("code", f"{gettext('Too many wrong codes.')} {wait}")
    return False


def _confirm_device(request: HttpRequest, device: TOTPDevice) -> list[str]:
    """Confirm the app, remove any other, and mark the session as verified."""
    TOTPDevice.objects.filter(user=_user(request)).exclude(pk=device.pk).delete()
    device.refresh_from_db()
    device.confirmed = True
    device.save()
    audit.record_event(request, ENROLLED)
    _mark_verified(request, device)
    return _new_codes(_user(request))


def _mark_verified(request: HttpRequest, device: Any) -> None:
    request.session.cycle_key()
    login(request, device)


def _new_codes(user: User) -> list[str]:
    device, _made = StaticDevice.objects.get_or_create(user=user, defaults={"name": "backup"})
    device.token_set.all().delete()
    codes = [StaticToken.random_token() for _ in range(BACKUP_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=code) for code in codes)
    return codes


def _show_codes(request: HttpRequest, context: dict[str, Any], codes: list[str]) -> TemplateResponse:
    shown = {"title": _("Backup codes"), "codes": codes, "next": _next_address(request)}
    return TemplateResponse(request, "admin/second_factor_codes.html", context | shown)


def _unconfirmed_device(request: HttpRequest) -> TOTPDevice:
    user = _user(request)
    waiting = TOTPDevice.objects.filter(user=user, confirmed=False).first()
    return waiting or TOTPDevice.objects.create(user=user, name="app", confirmed=False)


def _confirmed_device(request: HttpRequest) -> TOTPDevice | None:
    found: TOTPDevice | None = TOTPDevice.objects.filter(user=_user(request), confirmed=True).first()
    return found


def _user(request: HttpRequest) -> User:
    assert request.user.pk is not None  # the admin is closed to anonymous users
    return User.objects.get(pk=request.user.pk)


def _is_verified(request: HttpRequest) -> bool:
    return bool(request.user.is_verified())  # type: ignore[union-attr]  # of django-otp's middleware


def _redirect_next(request: HttpRequest) -> HttpResponseRedirect:
    return HttpResponseRedirect(_next_address(request))


def _next_address(request: HttpRequest) -> str:
    wanted = request.GET.get(REDIRECT_FIELD_NAME, "")
    is_ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if is_ours else reverse("admin:index")
