"""Pages of one's own feedback: the list, and forgetting one."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from drift.services import all_feedback_of, delete_feedback, feedback_of
from finclaw.web.access import MemberView
from finclaw.web.given_feedback import show_feedback
from finclaw.web.pagination import keyset_page


class FeedbackPage(MemberView):
    """The feedback that the user gave."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """One page of the user's feedback, latest first."""
        page = keyset_page(request, all_feedback_of(self.permit), "created_at")
        context = {
            "given": [show_feedback(feedback) for feedback in page.rows],
            "newer_url": page.newer_url,
            "older_url": page.older_url,
        }
        return render(request, "web/given_feedback.html", context)


class FeedbackForget(MemberView):
    """Forgets one, after it was confirmed: it cannot be brought back."""

    def get(self, request: HttpRequest, feedback_id: UUID) -> HttpResponse:
        """Show the feedback that would be erased."""
        context = {"feedback": show_feedback(feedback_of(self.permit, feedback_id))}
        return render(request, "web/feedback_forget.html", context)

    def post(self, request: HttpRequest, feedback_id: UUID) -> HttpResponse:
        """Forget it."""
        delete_feedback(self.permit, feedback_id)
        return self.redirect_saying(_("Forgotten."), "web:given_feedback")
