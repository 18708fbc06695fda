"""Pages of research results: read a snapshot or checkpoint, save one as a thread, give feedback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from consent.permit import Permit
from drift.services import give_feedback
from finclaw.brain.research.services import start_thread_from_snapshot, suggested_conditions
from finclaw.web.access import MemberView, htmx_of
from finclaw.web.forms.research import FeedbackForm, SnapshotKeepForm, object_values
from finclaw.web.research_documents import checkpoint_document, snapshot_document
from finclaw.web.threads import show_refresh
from foundation.exceptions import NotFound
from foundation.personal_data import ConsentScope
from memory.models import Refresh, Thread
from memory.models import Snapshot as SnapshotRow
from memory.research.contexts import note_of
from memory.research.results import checkpoint_of, refresh_of, snapshot_of
from memory.research.task_lifecycle import task_of
from memory.research.threads import MAX_TITLE_CHARS, thread_of, threads_beside


class SnapshotPage(MemberView):
    """One snapshot, and what a refresh changed."""

    def get(self, request: HttpRequest, snapshot_id: UUID) -> HttpResponse:
        snapshot = snapshot_of(self.permit, snapshot_id)
        refresh = Refresh.objects.filter(snapshot=snapshot).select_related("snapshot").first()
        context = {
            "document": snapshot_document(self.permit, snapshot),
            "degraded": snapshot.task.degraded,
            "snapshot_id": snapshot.pk,
            "task_id": snapshot.task_id,
            "thread": snapshot.thread,
            "followed_in": _followed_in(self.permit, snapshot),
            "refresh": show_refresh(refresh) if refresh else None,
            "feedback": FeedbackForm(),
            "kind": "refresh" if refresh else "snapshot",
            "target": (refresh or snapshot).pk,
        }
        return render(request, "web/snapshot.html", context)


class CheckpointPage(MemberView):
    """What to weigh before one decision."""

    def get(self, request: HttpRequest, checkpoint_id: UUID) -> HttpResponse:
        checkpoint = checkpoint_of(self.permit, checkpoint_id)
        context = {
            "document": checkpoint_document(self.permit, checkpoint),
            "note": note_of(self.permit, checkpoint.task),
            "degraded": checkpoint.task.degraded,
            "task_id": checkpoint.task_id,
            "thread": checkpoint.thread,
            "feedback": FeedbackForm(),
            "kind": "checkpoint",
            "target": checkpoint.pk,
        }
        return render(request, "web/checkpoint.html", context)


class KeepSnapshot(MemberView):
    """Saves a snapshot as a thread."""

    def get(self, request: HttpRequest, snapshot_id: UUID) -> HttpResponse:
        """The form, with the conditions that fit its object; a snapshot of a thread redirects there."""
        snapshot = snapshot_of(self.permit, snapshot_id)
        if snapshot.thread_id is not None:
            return redirect("web:thread", snapshot.thread_id)
        conditions = suggested_conditions(self.permit, snapshot)
        begun = object_values(snapshot) | {
            "title": snapshot.object_name[:MAX_TITLE_CHARS],
            "refresh_conditions": "\n".join(conditions),
        }
        return self._render_page(snapshot, SnapshotKeepForm(initial=begun))

    def post(self, request: HttpRequest, snapshot_id: UUID) -> HttpResponse:
        """Save it, under the consent that was shown."""
        snapshot = snapshot_of(self.permit, snapshot_id)
        form = SnapshotKeepForm(request.POST)
        thread = form.attempt(
            lambda: start_thread_from_snapshot(
                self.permit, self.user, snapshot, form.draft(), form.cleaned_data["consent_id"]
            )
        )
        if thread is None:
            return self._render_page(snapshot, form, status=400)
        return self.redirect_saying(
            _("Kept. From now on you can look at it again with what is new."), "web:thread", thread.pk
        )

    def _render_page(self, snapshot: SnapshotRow, form: SnapshotKeepForm, *, status: int = 200) -> HttpResponse:
        context: dict[str, Any] = {
            "snapshot": snapshot,
            "followed_in": _followed_in(self.permit, snapshot),
            "form": form,
            "consent_id": self.permit.consent_id,
            "is_revoked": self.permit.is_revoked,
            "can_keep_context": self.permit.allows(ConsentScope.SAVE_TO_THREAD),
        }
        return render(self.request, "web/keep_snapshot.html", context, status=status)


def _followed_in(permit: Permit, snapshot: SnapshotRow) -> Thread | None:
    """The user's thread to offer instead of a new one, the one last worked on; None without one."""
    return next(iter(threads_beside(permit, snapshot)), None)


class ObjectFeedback(MemberView):
    """The user's feedback on a snapshot, checkpoint, report, thread or refresh."""

    def post(self, request: HttpRequest, kind: str, target: UUID) -> HttpResponse:
        """Store it: thanks in place where htmx asked, else redirect to the page."""
        if kind not in _PAGES:
            raise NotFound()
        page = _PAGES[kind](self.permit, target)
        form = FeedbackForm(request.POST)
        kept = form.attempt(lambda: give_feedback(self.permit, self.user, f"{kind}:{target}", **form.cleaned_data))
        context = {"feedback": form, "kind": kind, "target": target, "thanks": kept is not None}
        if htmx_of(request):
            return render(request, "web/partials/object_feedback.html", context)
        if kept is None:
            return render(request, "web/feedback.html", context, status=400)
        return self.redirect_saying(_("Thank you, noted. Nothing about you is changed by it."), page)


# The page of each kind of object; raises ``NotFound`` for an object that is not the user's.
_PAGES: dict[str, Callable[[Permit, UUID], str]] = {
    "snapshot": lambda permit, key: reverse("web:snapshot", args=[snapshot_of(permit, key).pk]),
    "refresh": lambda permit, key: reverse("web:snapshot", args=[refresh_of(permit, key).snapshot_id]),
    "checkpoint": lambda permit, key: reverse("web:checkpoint", args=[checkpoint_of(permit, key).pk]),
    "report": lambda permit, key: reverse("web:task", args=[task_of(permit, key).pk]),
    "thread": lambda permit, key: reverse("web:thread", args=[thread_of(permit, key).pk]),
}
