"""Sign up, sign in, sign out, and account recovery without a password."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import login, views
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views import View

from finclaw.web.browser_sessions import describe_browser
from finclaw.web.forms.accounts import RecoverForm, SignInForm, SignUpForm, add_refusal
from foundation.accounts.addresses import client_address
from foundation.accounts.attempts import AttemptPurpose, begin_attempt
from foundation.accounts.exceptions import InvalidCredentials, TooManyAttempts
from foundation.accounts.models import User
from foundation.accounts.services import count_recovery_codes, recover_account, sign_up
from foundation.exceptions import ValidationFailed

BACKEND = "django.contrib.auth.backends.ModelBackend"


class WelcomePage(View):
    """The welcome page for visitors; signed-in users go on to the chat."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return redirect("web:chat") if request.user.is_authenticated else render(request, "web/welcome.html")


# This page and the two below are not atomic: a failed attempt must be counted, and no row be locked while hashing.
@method_decorator(transaction.non_atomic_requests, name="dispatch")
class SignUpPage(View):
    """Creates an account, then shows its recovery codes once."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """The empty form."""
        return render(request, "web/sign_up.html", {"form": SignUpForm()})

    def post(self, request: HttpRequest) -> HttpResponse:
        """Create the account and sign in. Every submitted form counts against the limit, because the answer reveals
        whether a name is taken.
        """
        begin_attempt(AttemptPurpose.SIGN_UP, client_address(request.META))
        form = SignUpForm(request.POST)
        made = _create_account(form) if form.is_valid() else None
        if made is None:
            return render(request, "web/sign_up.html", {"form": form})
        user, codes = made
        start_web_session(request, user)
        context = {"codes": codes, "next_url": reverse("web:onboarding")}
        return render(request, "web/recovery_codes.html", context)


def _create_account(form: SignUpForm) -> tuple[User, list[str]] | None:
    values = form.cleaned_data
    try:
        return sign_up(values["username"], values["password"], time_zone=values["time_zone"])
    except ValidationFailed as refusal:
        add_refusal(form, refusal)
        return None
    except IntegrityError:  # the name was taken since the form was validated
        form.add_error("username", _("This user name is taken."))
        return None


def start_web_session(request: HttpRequest, user: User) -> None:
    """Sign the browser in, and store in its session what the list of sessions shows."""
    login(request, user, backend=BACKEND)
    request.session["device"] = describe_browser(request.headers.get("User-Agent", ""))
    request.session["signed_in_at"] = timezone.now().isoformat()


@method_decorator(transaction.non_atomic_requests, name="dispatch")
class SignInPage(views.LoginView):
    """Sign in with user name and password; throttled after too many wrong ones."""

    template_name = "web/sign_in.html"
    form_class = SignInForm
    redirect_authenticated_user = True

    def form_valid(self, form: Any) -> HttpResponse:
        """Sign in."""
        start_web_session(self.request, form.get_user())
        return redirect(self.get_success_url())

    def form_invalid(self, form: Any) -> HttpResponse:
        """The form with what is wrong, or how long to wait."""
        context = self.get_context_data(form=form)
        return _form_page(self.request, self.template_name, context, form.refusal)


class SignOutPage(views.LogoutView):
    """Sign out, by POST only."""

    http_method_names = ("post", "options")


@method_decorator(transaction.non_atomic_requests, name="dispatch")
class RecoverPage(View):
    """Set a new password with a recovery code."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """The empty form."""
        return render(request, "web/recover.html", {"form": RecoverForm()})

    def post(self, request: HttpRequest) -> HttpResponse:
        """Set the new password and sign in. The answer does not tell which part was wrong."""
        form = RecoverForm(request.POST)
        try:
            user = _recover_account(form, client_address(request.META)) if form.is_valid() else None
        except TooManyAttempts as refusal:
            form.add_error(None, refusal.message)
            return _form_page(request, "web/recover.html", {"form": form}, refusal)
        if user is None:
            return render(request, "web/recover.html", {"form": form})
        start_web_session(request, user)
        messages.success(
            request, _("Your new password is set. Every other browser is signed out, and access keys are revoked.")
        )
        left = count_recovery_codes(user)
        messages.info(request, ngettext("%d recovery code is left.", "%d recovery codes are left.", left) % left)
        return redirect("web:chat")


def _recover_account(form: RecoverForm, address: str) -> User | None:
    values = form.cleaned_data
    attempt = begin_attempt(AttemptPurpose.RECOVERY, address, values["username"])
    try:
        user = recover_account(values["username"], values["code"], values["new_password"])
    except InvalidCredentials:
        form.add_error(None, _("This name and code do not belong together, or the code was used before."))
        return None
    attempt.succeed()
    return user


def _form_page(
    request: HttpRequest, template: str, context: dict[str, Any], refusal: TooManyAttempts | None
) -> HttpResponse:
    page = render(request, template, context, status=429 if refusal else 200)
    if refusal:
        page["Retry-After"] = str(refusal.retry_after)
    return page
