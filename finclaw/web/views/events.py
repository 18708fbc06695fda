"""What happened: the list of events, and one of them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from finclaw.web.access import MemberView
from finclaw.web.forms.memories import EventFilterForm
from finclaw.web.pagination import Page, keyset_page
from finclaw.web.presenters import show_event, show_memory, show_sources, title_of
from finclaw.web.searching import found_rows
from foundation.exceptions import NotFound
from foundation.personal_data import Scope
from memory.models import CognitiveEvent
from memory.retrieval.services import EmbeddedQuery, embed_query
from memory.services.events import event_of, events_of
from memory.services.items import review_queue
from memory.services.sources import learned_from, messages_by_id


class Events(MemberView):
    """The events, searched. Its address is non-atomic: the search may ask a model first."""

    form: EventFilterForm
    embedded: EmbeddedQuery | None = None
    degraded: tuple[str, ...] = ()

    def before_transaction(self) -> None:
        """Make the query ready for the search."""
        self.form = EventFilterForm(self.request.GET)
        if self.form.query:
            self.embedded = embed_query(self.form.query)

    def get(self, request: HttpRequest) -> HttpResponse:
        """One page of events, the latest first, or those found."""
        page = self._page(request)
        context = {
            "tab": "events",
            "query": self.form.query,
            "filtered": self.form.narrows,
            "events": [show_event(event) | {"session_title": title_of(event.session)} for event in page.rows],
            "unsure_count": review_queue(self.permit).count(),
            "can_learn": self.permit.allows(Scope.MEMORY_LEARNING),
            "is_forgetting": Scope.MEMORY_LEARNING in self.permit.erasing,
            "newer_url": page.newer_url,
            "older_url": page.older_url,
            "degraded": self.degraded,
        }
        return render(request, "web/memories.html", context)

    def _page(self, request: HttpRequest) -> Page[CognitiveEvent]:
        rows = events_of(self.permit).select_related("session")
        if self.embedded is None:
            return keyset_page(request, rows, "timestamp_utc")
        found = found_rows(self.permit, "event", self.embedded, rows)
        self.degraded = found.degraded
        return Page(found.rows)


class Event(MemberView):
    """One event, the words it came from, and what was learned from the same words."""

    def get(self, request: HttpRequest, event_id: str) -> HttpResponse:
        """The page; an ``event_id`` is whatever a program chose, so it may hold anything."""
        if "\x00" in event_id:
            raise NotFound()
        event = event_of(self.permit, event_id)
        context = {
            "event": show_event(event),
            "can_forget": event.user_id == self.user.pk,  # a group's event is its sender's
            "sources": show_sources(messages_by_id(self.permit, event.message_ids)),
            "related": [show_memory(item) for item in learned_from(self.permit, event.message_ids)],
        }
        return render(request, "web/event.html", context)
