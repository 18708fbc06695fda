"""Pages of research that is set aside as possible training examples."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from finclaw.web.access import MemberView
from finclaw.web.pagination import keyset_page
from finclaw.web.training_candidates import show_candidates
from foundation.personal_data import ConsentScope
from memory.research.profile_context import profile_context
from memory.research.training_candidates import candidate_of, candidates_of, revoke_candidate


class TrainingCandidatesPage(MemberView):
    """The candidates, with the state of each, and whether the user's stated preferences are excluded from training."""

    needs_acknowledgement = False  # users have this right even without reading the notice

    def get(self, request: HttpRequest) -> HttpResponse:
        """One page of the user's training candidates, latest first."""
        page = keyset_page(request, candidates_of(self.permit), "created_at")
        stated = profile_context(self.permit)
        context = {
            "candidates": show_candidates(page.rows),
            "allowed": self.permit.allows(ConsentScope.TRAINING_USE),
            "excluded": stated is not None and stated.training_excluded,
            "newer_url": page.newer_url,
            "older_url": page.older_url,
        }
        return render(request, "web/training_candidates.html", context)


class TrainingCandidateRevoke(MemberView):
    """Takes one back, after it was confirmed: this cannot be undone."""

    needs_acknowledgement = False  # users have this right even without reading the notice

    def get(self, request: HttpRequest, candidate_id: UUID) -> HttpResponse:
        """Say what taking it back does."""
        (candidate,) = show_candidates([candidate_of(self.permit, candidate_id)])
        return render(request, "web/training_candidate_revoke.html", {"candidate": candidate})

    def post(self, request: HttpRequest, candidate_id: UUID) -> HttpResponse:
        """Revoke the candidate."""
        revoke_candidate(self.permit, candidate_id)
        return self.redirect_saying(_("Taken back. It is no example any more."), "web:training_candidates")
