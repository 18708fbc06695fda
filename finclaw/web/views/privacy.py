"""Pages of consent: what may be remembered, the history of decisions, and withdrawal."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from consent.models import ProfileConsent
from consent.purge import PURGE_WITHIN, purge_due_at
from consent.services import grant_consent, permit_with_experiments, withdraw_consent
from finclaw.data_inventory import entries_under_scope, list_entries
from finclaw.web.access import MemberView
from finclaw.web.consent_history import describe_versions, list_scopes
from finclaw.web.forms.preferences import ScopesForm, WithdrawForm, scopes_form_of
from finclaw.web.views.proposals import show_proposals
from finclaw.web.withdrawal_effects import describe_effects, preview_withdrawal
from foundation.exceptions import NotFound, ValidationFailed
from foundation.personal_data import ConsentScope
from knowledge.bookmarks import bookmarks_of


class PrivacyPage(MemberView):
    """The consent switches with what is stored under each, the history, and withdrawal."""

    needs_acknowledgement = False  # users have this right even without reading the notice

    def get(self, request: HttpRequest) -> HttpResponse:
        purged_by = purge_due_at(self.user)
        context = {
            "consent": ProfileConsent.objects.latest_of(self.user.pk),
            "form": scopes_form_of(self.permit.scopes),
            "kept": None if purged_by else self._entries_by_scope(),  # what is being removed is not listed
            "changes": describe_versions(self.user),
            "purge_due_at": purged_by,
            "proposals": show_proposals(self.permit),
            "organisation": self.user.tenant.name if self.user.tenant else "",
            "compared": self.permit.may_be_measured,
            "comparisons": len(permit_with_experiments(self.user).assignments()),
            "has_left_bookmarks": not self.user.tenant and bookmarks_of(self.permit).exists(),
        }
        return render(request, "web/privacy.html", context)

    def _entries_by_scope(self) -> dict[str, str]:
        return {scope.value: list_entries(entries_under_scope(self.user.pk, scope)) for scope in ConsentScope}


class PrivacyScopes(MemberView):
    """Saves the switches: turning on takes effect at once, turning off is confirmed first."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Record what was turned on as the next version of the consent."""
        form = ScopesForm(request.POST)
        form.is_valid()  # check boxes are always valid
        wanted, held = form.scopes(), self.permit.scopes
        if wanted - held or self.permit.is_revoked:
            grant_consent(self.user, held | wanted, source=ProfileConsent.Source.WEB)
            messages.success(request, _("Saved. This holds from now on."))
        elif wanted == held:
            messages.info(request, _("Nothing changed."))
        if held - wanted:
            dropped = sorted(scope.value for scope in held - wanted)
            return redirect(f"{reverse('web:privacy_withdraw')}?{urlencode({'scope': dropped}, doseq=True)}")
        return redirect("web:privacy")


class PrivacyWithdraw(MemberView):
    """Withdraws the named scopes, or with none named everything."""

    needs_acknowledgement = False  # users have this right even without reading the notice

    def get(self, request: HttpRequest) -> HttpResponse:
        """Say what is deleted at once, what is deleted later and by when, and what stays."""
        named = self._named_scopes(WithdrawForm(request.GET))
        scopes = (named or set(ConsentScope)) & self.permit.scopes
        if self.permit.is_revoked or (named and not scopes):
            return self._refuse_unclear()
        context = {
            "everything": not named,
            "scopes": sorted(scope.value for scope in named),
            "names": list_scopes(scopes),
            "outlook": preview_withdrawal(self.user.pk, scopes),
            "purged_by": timezone.now() + PURGE_WITHIN,
            "purged_within": PURGE_WITHIN // timedelta(hours=1),
        }
        return render(request, "web/withdraw.html", context)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Withdraw, and say what that did."""
        named = self._named_scopes(WithdrawForm(request.POST))
        consent = ProfileConsent.objects.latest_of(self.user.pk)
        if consent is None:
            raise NotFound()
        if named and not named & self.permit.scopes:
            return self._refuse_unclear()
        _consent, effects = withdraw_consent(self.user, consent.pk, named, source=ProfileConsent.Source.WEB)
        return render(request, "web/withdrawn.html", {"everything": not named, "effects": describe_effects(effects)})

    def _named_scopes(self, form: WithdrawForm) -> set[ConsentScope]:
        """The requested scopes. An unknown one is refused: ignored, it could leave none, which means everything."""
        if not form.is_valid():
            raise ValidationFailed(_("It is not clear what to withdraw. Nothing was changed."))
        return form.scopes()

    def _refuse_unclear(self) -> HttpResponse:
        return self.redirect_saying(_("This is off already. Nothing was changed."), "web:privacy", level=messages.INFO)
