"""The first page after signing up: may anything be remembered, and what."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from consent.services import grant_consent, permit_for
from finclaw.brain.research.services import state_in_profile
from finclaw.web.access import MemberView
from finclaw.web.forms.preferences import OnboardingForm
from foundation.accounts.models import User
from foundation.personal_data import ConsentScope
from foundation.telemetry.metrics import ONBOARDING_STEPS
from memory.services.sessions import start_session


class OnboardingPage(MemberView):
    """Four consent switches, optional preferences, and "decide later" as a real choice."""

    needs_decision = False

    def get(self, request: HttpRequest) -> HttpResponse:
        """The page; a user who decided before finds the same switches under Privacy."""
        if self.permit.granted:
            return redirect("web:privacy")
        _note_step("acknowledgement")
        return render(request, "web/onboarding.html", {"form": OnboardingForm()})

    def post(self, request: HttpRequest) -> HttpResponse:
        """Record the decision and open the first chat."""
        if self.permit.granted:
            return redirect("web:privacy")
        form = OnboardingForm(request.POST)
        if request.POST.get("decision") != "save":
            _decide(self.user, set())
        elif form.is_valid():
            _decide(self.user, form.scopes())
            self._keep_preferences(form)
        else:
            return render(request, "web/onboarding.html", {"form": form})
        session = start_session(permit_for(self.user), self.user)
        return redirect("web:chat_session", session.pk)

    def _keep_preferences(self, form: OnboardingForm) -> None:
        stated = {name: value for name, value in form.stated().items() if value}
        permit = permit_for(self.user)
        if not stated:
            return
        if not permit.allows(ConsentScope.SAVE_TO_PROFILE):
            messages.info(self.request, _("Your preferences were not kept: the switch for them is off."))
            return
        state_in_profile(permit, stated)
        _note_step("preferences")
        if "user_focus_reason" in stated:
            _note_step("focus_reason")


def _decide(user: User, scopes: set[ConsentScope]) -> None:
    grant_consent(user, scopes, source="web")
    _note_step("consent")


def _note_step(step: str) -> None:
    ONBOARDING_STEPS.labels(step=step).inc()
