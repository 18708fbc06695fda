"""Pages for what the assistant is unsure about: confirm or reject with one click, settle conflicts, undo a change."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_htmx.http import HttpResponseClientRedirect

from finclaw.web.access import MemberView, htmx_of
from finclaw.web.memory_changes import describe_undone, show_undo
from finclaw.web.pagination import keyset_page
from finclaw.web.presenters import show_conflicts, show_unsure
from foundation.exceptions import ValidationFailed
from foundation.personal_data import ConsentScope
from memory.models import MemoryItem
from memory.services import conflicts, item_decisions, item_queries, items
from memory.services.history import undo, undoable_change

UNSURE_SHOWN = 20
_SETTLED = {
    "newer": gettext_lazy("Good, I go by this from now on."),
    "older": gettext_lazy("Good, I leave this out and go by the other one."),
    "both": gettext_lazy("Good, I keep both."),
}


class UnsurePage(MemberView):
    """The list of unconfirmed statements."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """One page of what waits for the user's answer, each statement with the messages it came from."""
        queue = item_queries.review_queue(self.permit)
        found = conflicts.open_conflicts(self.permit)
        page = keyset_page(request, queue, "created_at", UNSURE_SHOWN)
        context = {
            "unsure": show_unsure(self.permit, page.rows),
            "conflicts": [] if page.newer_url else show_conflicts(self.permit, found),
            "unsure_count": queue.count() + len(found),
            "can_learn": self.permit.allows(ConsentScope.MEMORY_LEARNING),
            "newer_url": page.newer_url,
            "older_url": page.older_url,
        }
        return render(request, "web/unsure.html", context)


class UnsureDecision(MemberView):
    """The user's answer on one unconfirmed statement."""

    sentence: Any  # what the page says then

    def decide(self, memory_id: UUID) -> MemoryItem:
        """Carry out the answer. Raises ``ValidationFailed`` for a statement that does not wait."""
        raise NotImplementedError

    def post(self, request: HttpRequest, memory_id: UUID) -> HttpResponse:
        """Carry out the answer at once; it can be undone."""
        try:
            item = self.decide(memory_id)
        except ValidationFailed as error:  # settled in another window meanwhile
            messages.info(request, error.message)
            return redirect_to(request, "web:unsure")
        if not htmx_of(request):
            return self.redirect_saying(self.sentence, "web:unsure")
        context = {
            "words": item.content,
            "sentence": self.sentence,
            "undo": show_undo(self.permit, item),
            "unsure_count": conflicts.undecided_count(self.permit),
        }
        return render(request, "web/partials/decided.html", context)


class UnsureAccept(UnsureDecision):
    """Confirms a statement."""

    sentence = gettext_lazy("Good, I use it from now on.")

    def decide(self, memory_id: UUID) -> MemoryItem:
        """Put the statement in use, as something the user told."""
        return items.accept(self.permit, memory_id)


class UnsureReject(UnsureDecision):
    """Rejects a statement."""

    sentence = gettext_lazy("Then I leave it out.")

    def decide(self, memory_id: UUID) -> MemoryItem:
        """Mark it as never true, and never use it."""
        return item_decisions.reject(self.permit, memory_id)


class ConflictSettle(UnsureDecision):
    """The user's answer on which of two memories holds."""

    def decide(self, memory_id: UUID) -> MemoryItem:
        """Let the newer, the older or both hold."""
        outcome = conflicts.outcome_of(self.request.POST.get("holds", ""))
        self.sentence = _SETTLED[outcome]
        return conflicts.settle_conflict(self.permit, memory_id, outcome)


class MemoryUndo(MemberView):
    """Undoes the last change of a memory."""

    def post(self, request: HttpRequest, memory_id: UUID) -> HttpResponse:
        """Undo the change that was shown; refuse where a later one came in between."""
        change = undoable_change(self.permit, item_queries.item_of(self.permit, memory_id))
        if change is None or str(change.pk) != request.POST.get("change"):
            messages.info(request, _("It has changed meanwhile. This is how it stands now."))
            return redirect_to(request, "web:memory", memory_id)
        try:
            current = undo(self.permit, memory_id)
        except ValidationFailed as error:
            messages.warning(request, error.message)
            return redirect_to(request, "web:memory", memory_id)
        if htmx_of(request):
            return self._render_undone(request, current)
        return self.redirect_saying(describe_undone(current), "web:memory", current.pk)

    def _render_undone(self, request: HttpRequest, current: MemoryItem) -> HttpResponse:
        """On the page of unsure statements show the statement's card again, elsewhere a line with the present state."""
        in_queue = htmx_of(request).current_url_abs_path == reverse("web:unsure")
        if not in_queue or current.state != MemoryItem.State.QUARANTINED:
            context: dict[str, Any] = {"sentence": describe_undone(current), "memory": current}
            return render(request, "web/partials/undone.html", context)
        (shown,) = show_unsure(self.permit, [current])
        context = {"memory": shown, "unsure_count": conflicts.undecided_count(self.permit)}
        return render(request, "web/partials/unsure_card.html", context)


def redirect_to(request: HttpRequest, name: str, *arguments: object) -> HttpResponse:
    """Redirect to another page, also where htmx asked for a part of this one."""
    address = reverse(name, args=arguments)
    return HttpResponseClientRedirect(address) if htmx_of(request) else redirect(address)
