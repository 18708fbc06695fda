"""Pages of events: the list, one event, and correcting it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from consent.permit import Permit
from finclaw.web.access import MemberView
from finclaw.web.forms.memories import EventCorrectForm
from finclaw.web.pagination import Page, keyset_page
from finclaw.web.portraits import lines_from_event
from finclaw.web.presenters import show_event, show_memory, show_sources, title_of
from finclaw.web.views.memory_tabs import MemoryTab
from foundation.exceptions import NotFound
from memory.historian.events import correct_event, event_of, events_of
from memory.models import CognitiveEvent
from memory.services.sources import learned_from, messages_by_id


class EventsPage(MemoryTab):
    """The events, searched."""

    tab = "events"

    def get(self, request: HttpRequest) -> HttpResponse:
        """One page of events, latest first, or the search results."""
        rows = events_of(self.permit).select_related("session", "group", "sender")
        page = (
            Page(self.search_rows("event", self.embedded, rows))
            if self.embedded
            else keyset_page(request, rows, "timestamp_utc")
        )
        events = [show_event(event, self.user.pk) | {"session_title": title_of(event.session)} for event in page.rows]
        return self.render_list(page, events=events)


class EventPage(MemberView):
    """One event, the messages it came from, and what was learned from the same messages."""

    def get(self, request: HttpRequest, event_id: str) -> HttpResponse:
        """The page with a correction form that holds the present text."""
        event = event_of(self.permit, require_readable_id(event_id))
        form = EventCorrectForm(initial={"text": event.canonical_text})
        return render(request, "web/event.html", event_context(self.permit, event, form))

    def post(self, request: HttpRequest, event_id: str) -> HttpResponse:
        """Replace the text by the user's, and show the page with the former text, which is stored nowhere else: the
        undo on it writes it back.
        """
        before = event_of(self.permit, require_readable_id(event_id))
        if before.user_id != self.user.pk:
            raise NotFound()
        form = EventCorrectForm(request.POST)
        if not form.is_valid():
            return render(request, "web/event.html", event_context(self.permit, before, form), status=400)
        event = correct_event(self.permit, event_id, form.cleaned_data["text"])
        shown = event_context(self.permit, event, EventCorrectForm(initial={"text": event.canonical_text}))
        changed = {"corrected": True, "is_undo": "undo" in request.POST, "text_before": before.canonical_text}
        return render(request, "web/event.html", shown | changed)


def require_readable_id(event_id: str) -> str:
    """The id, if it can be one: programs choose ``event_id`` freely. Raises ``NotFound`` for any other."""
    if "\x00" in event_id:
        raise NotFound()
    return event_id


def event_context(permit: Permit, event: CognitiveEvent, form: EventCorrectForm) -> dict[str, Any]:
    """Everything ``web/event.html`` shows."""
    return {
        "event": show_event(event, permit.user_id),  # a group's event is its sender's to correct and to forget
        "sources": show_sources(messages_by_id(permit, event.message_ids)),
        "related": [show_memory(item) for item in learned_from(permit, event.message_ids)],
        "portrait_lines": lines_from_event(permit, event.event_id),
        "correct_form": form,
    }
