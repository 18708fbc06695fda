"""The first page after signing up, which asks what may be remembered; and the notice that precedes it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.views import RedirectURLMixin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from consent.services import grant_consent, permit_for
from finclaw.brain.research.services import state_in_profile
from finclaw.web.access import MemberView
from finclaw.web.forms.preferences import OnboardingForm
from foundation.accounts.models import User
from foundation.accounts.notices import NOTICE_VERSION, acknowledge_notice, has_acknowledged, notice_sentences
from foundation.personal_data import ConsentScope
from foundation.telemetry.onboarding_steps import count_preferences, count_step
from memory.services.sessions import start_session


class OnboardingPage(MemberView):
    """The notice to acknowledge, four consent switches, optional preferences, and "decide later" as a real choice."""

    needs_decision = needs_acknowledgement = False

    def get(self, request: HttpRequest) -> HttpResponse:
        """The page; a user who decided before finds the same switches under Privacy."""
        if self.permit.has_decided:
            return redirect("web:privacy")
        return self._show_form(OnboardingForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        """Record the decision and open the first chat."""
        if self.permit.has_decided:
            return redirect("web:privacy")
        form = OnboardingForm(request.POST)
        saves, is_valid = request.POST.get("decision") == "save", form.is_valid()
        if form.has_error("acknowledged") or (saves and not is_valid):
            return self._show_form(form)
        acknowledge_notice(self.user, NOTICE_VERSION)
        _decide(self.user, form.scopes() if saves else set())
        if saves:
            self._keep_preferences(form)
        session = start_session(permit_for(self.user), self.user)
        return redirect("web:chat_session", session.pk)

    def _show_form(self, form: OnboardingForm) -> HttpResponse:
        return render(self.request, "web/onboarding.html", {"form": form, "notice": notice_sentences()})

    def _keep_preferences(self, form: OnboardingForm) -> None:
        stated = {name: value for name, value in form.stated().items() if value}
        permit = permit_for(self.user)
        if not stated:
            return
        if not permit.allows(ConsentScope.SAVE_TO_PROFILE):
            messages.info(self.request, _("Your preferences were not kept: the switch for them is off."))
            return
        state_in_profile(permit, stated)
        count_preferences(stated)


class NoticePage(RedirectURLMixin, MemberView):
    """The notice alone, for users who saw only an older version; then redirects to the page they asked for."""

    needs_acknowledgement = False
    next_page = "web:chat"

    def get(self, request: HttpRequest) -> HttpResponse:
        return redirect(self.get_success_url()) if has_acknowledged(self.user) else self._show()

    def post(self, request: HttpRequest) -> HttpResponse:
        """Store that the shown version was read; if there is a newer version by now, show that instead."""
        if request.POST.get("version") != str(NOTICE_VERSION):
            return self._show()
        acknowledge_notice(self.user, NOTICE_VERSION)
        return redirect(self.get_success_url())

    def _show(self) -> HttpResponse:
        context = {"notice": notice_sentences(), "version": NOTICE_VERSION, "next": self.get_redirect_url()}
        return render(self.request, "web/notice.html", context)


def _decide(user: User, scopes: set[ConsentScope]) -> None:
    grant_consent(user, scopes, source="web")
    count_step("consent")
