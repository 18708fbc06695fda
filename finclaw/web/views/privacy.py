"""What may be remembered, what was decided so far, and taking everything back."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from consent.models import ProfileConsent
from consent.services import grant, purge_due_at, withdraw
from consent.types import WithdrawalEffects
from finclaw.web.access import MemberView
from finclaw.web.consent_history import changes_of
from finclaw.web.forms.preferences import ScopesForm, switches_of
from foundation.exceptions import NotFound
from foundation.personal_data import Scope
from memory.services.contexts import FIELDS, profile_context
from memory.services.events import events_of
from memory.services.items import items_of


class Privacy(MemberView):
    """The switches with what is kept under each, the history of decisions, and the way out."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """The page."""
        counts, purged_by = self._counts(), purge_due_at(self.user)
        context = {
            "consent": ProfileConsent.objects.latest_of(self.user.pk),
            "form": switches_of(self.permit.scopes),
            "counts": None if purged_by else counts,  # what is being removed is neither kept nor gone
            "changes": changes_of(self.user),
            "purge_due_at": purged_by,
            "effects": {
                "settings": counts[Scope.SAVE_TO_PROFILE.value],
                "memories": counts[Scope.MEMORY_LEARNING.value],
            },
        }
        return render(request, "web/privacy.html", context)

    def _counts(self) -> dict[str, int]:
        """How much is kept under each scope. Threads and training examples keep nothing yet."""
        context = profile_context(self.permit)
        stated = [name for name in FIELDS if context and getattr(context, name)]
        learned = items_of(self.permit).filter(superseded_at=None).count() + events_of(self.permit).count()
        counts = dict.fromkeys((scope.value for scope in Scope), 0)
        return counts | {Scope.SAVE_TO_PROFILE.value: len(stated), Scope.MEMORY_LEARNING.value: learned}


class PrivacyScopes(MemberView):
    """The switches, set anew."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Record them as the next version of the consent."""
        form = ScopesForm(request.POST)
        form.is_valid()  # four check boxes cannot be wrong
        if form.scopes() == self.permit.scopes and not self.permit.revoked:
            messages.info(request, _("Nothing changed."))
            return redirect("web:privacy")
        grant(self.user, form.scopes(), source=ProfileConsent.Source.WEB)
        messages.success(request, _("Saved. This holds from now on."))
        return redirect("web:privacy")


class PrivacyWithdraw(MemberView):
    """Everything back at once."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Withdraw, and say what that did."""
        consent = ProfileConsent.objects.latest_of(self.user.pk)
        if consent is None:
            raise NotFound()
        _consent, effects = withdraw(self.user, consent.pk, source=ProfileConsent.Source.WEB)
        messages.success(request, _withdrawn(effects))
        return redirect("web:privacy")


def _withdrawn(effects: WithdrawalEffects) -> str:
    values = {"settings": effects.profile_contexts_deleted, "queued": effects.queued_work_cancelled}
    return (
        _("Withdrawn. Settings deleted: %(settings)d. Messages no longer waiting to be learned from: %(queued)d.")
        % values
    )
