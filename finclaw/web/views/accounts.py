"""Arriving, signing in and out, and coming back without a password."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, views
from django.contrib.auth.forms import AuthenticationForm
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views import View

from finclaw.web.forms.accounts import RecoverForm, SignUpForm
from finclaw.web.web_sessions import describe
from foundation.accounts.exceptions import InvalidCredentials
from foundation.accounts.models import User
from foundation.accounts.services import recover, sign_up

BACKEND = "django.contrib.auth.backends.ModelBackend"


class Welcome(View):
    """What this is, for whoever is new; whoever is signed in goes on to the chat."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """The three promises."""
        return redirect("web:chat") if request.user.is_authenticated else render(request, "web/welcome.html")


class SignUp(View):
    """A new account, then its recovery codes, shown in the answer and never again."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """The empty form."""
        return render(request, "web/sign_up.html", {"form": SignUpForm()})

    def post(self, request: HttpRequest) -> HttpResponse:
        """Make the account and sign in."""
        form = SignUpForm(request.POST)
        made = _signed_up(form) if form.is_valid() else None
        if made is None:
            return render(request, "web/sign_up.html", {"form": form})
        user, codes = made
        enter(request, user)
        context = {"codes": codes, "next_url": reverse("web:onboarding")}
        return render(request, "web/recovery_codes.html", context)


def _signed_up(form: SignUpForm) -> tuple[User, list[str]] | None:
    values = form.cleaned_data
    try:
        return sign_up(values["username"], values["password"], time_zone=values["time_zone"])
    except IntegrityError:  # somebody took the name since the form looked
        form.add_error("username", _("This user name is taken."))
        return None


def enter(request: HttpRequest, user: User) -> None:
    """Sign the browser in, and note in its session what the list of sessions shows."""
    login(request, user, backend=BACKEND)
    request.session["device"] = describe(request.headers.get("User-Agent", ""))
    request.session["signed_in_at"] = timezone.now().isoformat()


class SignIn(views.LoginView):
    """User name and password; after too many wrong ones, a while of nothing."""

    template_name = "web/sign_in.html"
    redirect_authenticated_user = True

    def form_valid(self, form: Any) -> HttpResponse:
        """Sign in."""
        enter(self.request, form.get_user())
        return redirect(self.get_success_url())

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """Say what is wrong; locked out, say for how long."""
        if not getattr(self.request, "axes_locked_out", False):
            return super().form_invalid(form)
        minutes = int(settings.AXES_COOLOFF_TIME.total_seconds() // 60)
        form.errors.clear()
        sentence = _("Too many wrong passwords. Try again in %(minutes)d minutes, or use a recovery code.")
        form.add_error(None, sentence % {"minutes": minutes})
        return render(self.request, self.template_name, self.get_context_data(form=form), status=429)


class SignOut(views.LogoutView):
    """Out, by POST only."""

    http_method_names = ("post", "options")


class Recover(View):
    """Back in with a recovery code and a new password."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """The empty form."""
        return render(request, "web/recover.html", {"form": RecoverForm()})

    def post(self, request: HttpRequest) -> HttpResponse:
        """Set the new password and sign in. What was wrong is not told apart."""
        form = RecoverForm(request.POST)
        user = _recovered(form) if form.is_valid() else None
        if user is None:
            return render(request, "web/recover.html", {"form": form})
        enter(request, user)
        messages.success(
            request, _("Your new password is set. Every other browser is signed out, and access keys are revoked.")
        )
        return redirect("web:chat")


def _recovered(form: RecoverForm) -> User | None:
    values = form.cleaned_data
    try:
        return recover(values["username"], values["code"], values["new_password"])
    except InvalidCredentials:
        form.add_error(None, _("This name and code do not belong together, or the code was used before."))
        return None
