"""Settings pages: preferences, account, password, recovery codes, access keys, signed-in browsers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from consent.sensitive.services import screen_text
from finclaw.brain.research.services import state_in_profile
from finclaw.web.access import MemberView
from finclaw.web.browser_sessions import end_web_sessions, web_sessions_of
from finclaw.web.forms.accounts import AccountForm, CurrentPasswordForm, PasswordForm, TokenForm, add_refusal
from finclaw.web.forms.preferences import FinancialForm, WorkingStyleForm, financial_form_of, working_style_form_of
from finclaw.web.views.languages import remember_language
from foundation.accounts.addresses import client_address
from foundation.accounts.attempts import Attempt, AttemptPurpose, begin_attempt
from foundation.accounts.services import (
    FEW_RECOVERY_CODES,
    change_password,
    count_recovery_codes,
    issue_token,
    live_tokens,
    new_recovery_codes,
    revoke_tokens,
    update_profile,
)
from foundation.exceptions import NotFound, ValidationFailed
from foundation.personal_data import ConsentScope
from memory.kinds import withheld_names
from memory.research.profile_context import profile_context


class SettingsPage(MemberView):
    """Four forms on one page; ``section`` says which was sent."""

    attempt: Attempt | None = None

    def before_transaction(self) -> None:
        """Count the attempt, so that neither the old password nor others' names can be guessed without limit."""
        sent = self.request.POST
        if sent.get("section") == "password":
            self.attempt = _begin_password(self)
        if sent.get("section") == "account" and sent.get("display_name", "").strip() != self.user.display_name:
            begin_attempt(AttemptPurpose.DISPLAY_NAME, str(self.user.pk))

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._render_page()

    def post(self, request: HttpRequest) -> HttpResponse:
        """Save the form that was sent; an unknown section saves nothing."""
        save = {
            "preferences": self._preferences,
            "financial": self._financial,
            "account": self._account,
            "password": self._password,
        }
        section = request.POST.get("section", "")
        return save[section]() if section in save else redirect("web:settings")

    def _preferences(self) -> HttpResponse:
        form = WorkingStyleForm(self.request.POST)
        if not form.is_valid():
            return self._render_page(preferences_form=form)
        state_in_profile(self.permit, form.stated())
        return self._redirect_saved(_("Your preferences are saved."))

    def _financial(self) -> HttpResponse:
        form = FinancialForm(self.request.POST)
        if not form.is_valid():
            return self._render_page(financial_form=form)
        state_in_profile(self.permit, form.stated(), confirm_financial=form.cleaned_data["confirm_financial"])
        return self._redirect_saved(_("What you said about your money is saved."))

    def _account(self) -> HttpResponse:
        form = AccountForm(self.request.POST, instance=self.user)
        is_valid = form.is_valid()
        self.user.refresh_from_db()  # the form changed the instance, and the page must not show the refused name
        if not is_valid:
            return self._render_page(account_form=form)
        try:
            update_profile(self.user, **form.cleaned_data)
        except ValidationFailed as refusal:
            add_refusal(form, refusal)
            return self._render_page(account_form=form)
        language = form.cleaned_data["language"]
        with translation.override(language or get_language()):
            return remember_language(self._redirect_saved(_("Your account is saved.")), language)

    def _password(self) -> HttpResponse:
        form = PasswordForm(self.user, self.request.POST)
        if self.attempt and "old_password" not in form.errors:
            self.attempt.succeed()
        if not form.is_valid():
            return self._render_page(password_form=form)
        session = self.request.session
        change_password(self.user, form.cleaned_data["new_password1"], keep_session=session.session_key)
        update_session_auth_hash(self.request, self.user)
        return self._redirect_saved(
            _("Your password is changed. Other browsers are signed out, and access keys are revoked.")
        )

    def _redirect_saved(self, sentence: str) -> HttpResponse:
        return self.redirect_saying(sentence, "web:settings")

    def _render_page(self, **forms: BaseForm) -> HttpResponse:
        for refused in forms.values():
            messages.error(self.request, _("Nothing was saved: see what is said under the field."))
            _focus_first_error(refused)
        stated = profile_context(self.permit)
        left = count_recovery_codes(self.user)
        context: dict[str, Any] = {
            "can_keep_preferences": self.permit.allows(ConsentScope.SAVE_TO_PROFILE),
            "preferences_form": working_style_form_of(stated),
            "financial_form": financial_form_of(stated),
            "account_form": AccountForm(instance=self.user),
            "password_form": PasswordForm(self.user),
            "recovery_codes_left": left,
            "few_recovery_codes": left <= FEW_RECOVERY_CODES,
        }
        return render(self.request, "web/settings.html", context | forms, status=400 if forms else 200)


def _focus_first_error(form: BaseForm) -> None:
    """Let the browser focus the first invalid field, which may be far below the first screen."""
    field = next((name for name in form.errors if name in form.fields), None)
    if field:
        form.fields[field].widget.attrs["autofocus"] = True


class RecoveryCodesPage(MemberView):
    """How many recovery codes are left, and a form that replaces them."""

    attempt: Attempt | None = None

    def before_transaction(self) -> None:
        """Count the attempt: new codes require the password, which must not be guessed without limit."""
        if self.request.method == "POST":
            self.attempt = _begin_password(self)

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._render_page(CurrentPasswordForm(self.user))

    def post(self, request: HttpRequest) -> HttpResponse:
        """Replace all codes; the new ones are shown once, in the answer."""
        form = CurrentPasswordForm(self.user, request.POST)
        if not form.is_valid():
            return self._render_page(form)
        if self.attempt:
            self.attempt.succeed()
        return self._render_page(form, new_recovery_codes(self.user))

    def _render_page(self, form: CurrentPasswordForm, codes: Sequence[str] = ()) -> HttpResponse:
        left = count_recovery_codes(self.user)
        context = {"form": form, "codes": codes, "left": left, "few": left <= FEW_RECOVERY_CODES}
        status = 400 if form.errors else 200
        return render(self.request, "web/recovery_codes_anew.html", context, status=status)


def _begin_password(view: MemberView) -> Attempt:
    return begin_attempt(AttemptPurpose.PASSWORD, client_address(view.request.META), str(view.user.pk))


class TokensPage(MemberView):
    """The access keys in use."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._render_page(TokenForm())

    def _render_page(self, form: TokenForm, new_token: str = "") -> HttpResponse:
        tokens = [
            {
                "token_id": token.id,
                "name": token.name,
                "created_at": token.created,
                "expires_at": token.expiry,
                "last_used_at": token.last_used_at,
                "withheld": withheld_names(token.withheld_kinds),
            }
            for token in live_tokens(self.user)
        ]
        context = {"form": form, "new_token": new_token, "tokens": tokens}
        return render(self.request, "web/tokens.html", context, status=400 if form.errors else 200)


class TokenCreate(TokensPage):
    """Creates an access key, shown once, in the answer."""

    http_method_names = ("post", "options")

    def post(self, request: HttpRequest) -> HttpResponse:
        form = TokenForm(request.POST)
        if not form.is_valid():
            return self._render_page(form)
        _token, plain = issue_token(self.user, screen_text("token_name", form.cleaned_data["name"]).text)
        return self._render_page(TokenForm(), plain)


class TokenRevoke(MemberView):
    """Revokes an access key."""

    def post(self, request: HttpRequest, token_id: UUID) -> HttpResponse:
        if not revoke_tokens(self.user, token_id):
            raise NotFound()
        return self.redirect_saying(_("The key is revoked."), "web:tokens")


class WebSessionsPage(MemberView):
    """Where the user is signed in, and signing out from there."""

    def get(self, request: HttpRequest) -> HttpResponse:
        found = web_sessions_of(self.user, request.session.session_key)
        return render(request, "web/web_sessions.html", {"web_sessions": found})

    def post(self, request: HttpRequest) -> HttpResponse:
        """End one session, or all others."""
        ended = end_web_sessions(self.user, request.session.session_key, request.POST.get("end", ""))
        if ended:
            messages.success(request, _("Signed out there."))
        else:
            messages.info(request, _("It was signed out already."))
        return redirect("web:web_sessions")
