"""The lines under a message that say what was learned from it: shown as soon as it is learned, and undone or settled
with one click.
"""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django_htmx.http import reswap, retarget

from consent.permit import Permit
from finclaw.web.access import MemberView, htmx_of
from finclaw.web.learned_lines import lines_digest, show_learning
from foundation.exceptions import NotFound, ValidationFailed
from memory.learning.learned_changes import LearnedChange
from memory.learning.message_learning import MessageLearning, message_learning, own_message
from memory.models import ConversationEvent
from memory.services import conflicts, item_decisions, item_queries, items, sessions
from memory.services.history import undo, undoable_change


class LearnedLines(MemberView):
    """The lines under one message; htmx asks again until the worker is done."""

    def get(self, request: HttpRequest, session_id: UUID, message_id: UUID, attempt: int) -> HttpResponse:
        """The lines; if the page has them already (digest ``shown``), only the next poll, so that no focus is lost."""
        message = _find_message(self.permit, session_id, message_id)
        learning = message_learning(self.permit, message)
        context = {"learned": show_learning(message, learning, attempt=attempt)}
        if not learning.changes or request.GET.get("shown") != lines_digest(learning):
            return render(request, "web/partials/chat_learned_lines.html", context)
        response = render(request, "web/partials/chat_learned_look.html", context)
        return reswap(retarget(response, f"#look-{message.pk}"), "outerHTML")


class LearnedAnswer(MemberView):
    """An undo, a yes or a no to one of the lines."""

    def post(self, request: HttpRequest, session_id: UUID, message_id: UUID) -> HttpResponse:
        """Carry it out and show the lines as they are now."""
        message = _find_message(self.permit, session_id, message_id)
        change = _find_change(message_learning(self.permit, message), request.POST.get("memory", ""))
        memory_id = change.memory_id
        notice = self._settle(change, request.POST.get("answer", ""), request.POST.get("change", ""))
        if htmx_of(request):
            shown = show_learning(message, message_learning(self.permit, message), answered=memory_id)
            context = {"learned": shown | {"notice": notice}}
            return render(request, "web/partials/chat_learned_lines.html", context)
        if notice:
            messages.info(request, notice)
        return redirect(reverse("web:chat_session", args=[session_id]) + f"#learned-{message_id}")

    def _settle(self, change: LearnedChange, answer: str, change_id: str) -> str:
        """Carry out the answer; returns why it could not be, where it was settled in another window meanwhile."""
        try:
            if answer not in ("yes", "no"):
                self._undo(change.memory_id, change_id)
            elif change.former_content is not None:
                conflicts.settle_conflict(self.permit, change.memory_id, "newer" if answer == "yes" else "both")
            else:
                decide = items.accept if answer == "yes" else item_decisions.reject
                decide(self.permit, change.memory_id)
        except (NotFound, ValidationFailed) as error:
            return error.message
        return ""

    def _undo(self, memory_id: UUID, change_id: str) -> None:
        """Undo the change that was shown; refuse where a later one came in between."""
        if not change_id:
            item_decisions.withdraw_memory(self.permit, memory_id)
            return
        last = undoable_change(self.permit, item_queries.item_of(self.permit, memory_id))
        if last is None or str(last.pk) != change_id:
            raise ValidationFailed(_("It has changed meanwhile. This is how it stands now."))
        undo(self.permit, memory_id)


def _find_message(permit: Permit, session_id: UUID, message_id: UUID) -> ConversationEvent:
    """The user's own message in this chat. Raises ``NotFound``."""
    session = sessions.session_of(permit, session_id)
    message = own_message(permit, message_id)
    if message.session_id != session.pk:
        raise NotFound()
    return message


def _find_change(learning: MessageLearning, memory_id: str) -> LearnedChange:
    """The change behind a line under the message. Raises ``NotFound`` for any other."""
    for change in learning.changes:
        if str(change.memory_id) == memory_id:
            return change
    raise NotFound()
