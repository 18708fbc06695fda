"""The common part of the tabs of "What I remember": search, filters and page frame."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpResponse
from django.shortcuts import render

from finclaw.web.access import MemberView
from finclaw.web.forms.memories import EventFilterForm
from finclaw.web.pagination import Page
from finclaw.web.search import search_rows
from foundation.personal_data import ConsentScope
from memory.retrieval.services import EmbeddedQuery, embed_query
from memory.services.conflicts import undecided_count

Row = TypeVar("Row", bound=Model)


class MemoryTab(MemberView):
    """One tab. Its address is non-atomic: the search may ask a model first."""

    tab: ClassVar[str]
    form_class: ClassVar[type[EventFilterForm]] = EventFilterForm
    form: EventFilterForm
    embedded: EmbeddedQuery | None = None
    degraded: tuple[str, ...] = ()

    def before_transaction(self) -> None:
        """Read the filters and embed the query."""
        self.form = self.form_class(self.request.GET)
        if self.form.query:
            self.embedded = embed_query(self.form.query)

    def search_rows(self, kind: Literal["item", "event"], embedded: EmbeddedQuery, rows: QuerySet[Row]) -> list[Row]:
        """The rows among these that the search finds, best first."""
        found = search_rows(self.permit, kind, embedded, rows)
        self.degraded = found.degraded
        return found.rows

    def render_list(self, page: Page[Any] | None = None, **listed: Any) -> HttpResponse:
        """``web/memories.html`` with ``listed`` on this page of it."""
        context = {
            "tab": self.tab,
            "query": self.form.query,
            "filter_form": self.form,
            "filtered": self.form.narrows,
            "unsure_count": undecided_count(self.permit),
            "can_learn": self.permit.allows(ConsentScope.MEMORY_LEARNING),
            "stopped": self.permit.stopped,
            "is_forgetting": ConsentScope.MEMORY_LEARNING in self.permit.erasing,
            "newer_url": page.newer_url if page else "",
            "older_url": page.older_url if page else "",
            "degraded": self.degraded,
        }
        return render(self.request, "web/memories.html", context | listed)
