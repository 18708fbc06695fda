"""What I remember: statements, one statement, and the two things its person may say about it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django_htmx.middleware import HtmxDetails

from consent.permit import Permit
from finclaw.web.access import MemberView
from finclaw.web.forms.memories import CorrectForm, MemoryFilterForm
from finclaw.web.pagination import Page, keyset_page
from finclaw.web.presenters import show_history, show_memory, show_sources, show_uses
from finclaw.web.searching import found_rows
from foundation.personal_data import Scope
from memory.models import MemoryItem
from memory.retrieval.services import EmbeddedQuery, embed_query
from memory.services import items
from memory.services.sources import sources_of

USES_SHOWN = 20


class Memories(MemberView):
    """The statements, searched and filtered. Its address is non-atomic: the search may ask a model first."""

    form: MemoryFilterForm
    embedded: EmbeddedQuery | None = None

    def before_transaction(self) -> None:
        """Read the filters, and make the query ready for the search."""
        self.form = MemoryFilterForm(self.request.GET)
        if self.form.query:
            self.embedded = embed_query(self.form.query)

    def get(self, request: HttpRequest) -> HttpResponse:
        """One page of statements, those waiting for the person's word above."""
        rows = self.form.apply(items.items_of(self.permit))
        page = self._page(request, rows)
        context = {
            "tab": "statements",
            "query": self.form.query,
            "filter_form": self.form,
            "filtered": self.form.narrows,
            "memories": [show_memory(item) for item in page.rows],
            "unsure": [show_memory(item) for item in self._unsure()],
            "can_learn": self.permit.allows(Scope.MEMORY_LEARNING),
            "is_forgetting": Scope.MEMORY_LEARNING in self.permit.erasing,
            "newer_url": page.newer_url,
            "older_url": page.older_url,
        }
        return render(request, "web/memories.html", context)

    def _page(self, request: HttpRequest, rows: QuerySet[MemoryItem]) -> Page[MemoryItem]:
        if self.embedded is None:
            return keyset_page(request, rows, "created_at")
        return Page(found_rows(self.permit, "item", self.embedded, rows))

    def _unsure(self) -> QuerySet[MemoryItem] | list[MemoryItem]:
        beginning = not self.form.narrows and not {"before", "after"} & self.request.GET.keys()
        if not beginning:
            return []
        return items.items_of(self.permit).filter(state=MemoryItem.State.QUARANTINED)


class Memory(MemberView):
    """One statement: its history, where it came from, when it was used."""

    def get(self, request: HttpRequest, memory_id: UUID) -> HttpResponse:
        """The page with an empty correction, filled with the words as they stand."""
        item = items.item_of(self.permit, memory_id)
        form = CorrectForm(initial={"content": item.content})
        return render(request, "web/memory.html", memory_context(self.permit, item, form))


class MemoryConfirm(MemberView):
    """ "Right": the words stay, and I am surer of them."""

    def post(self, request: HttpRequest, memory_id: UUID) -> HttpResponse:
        """Confirm; where htmx asked, answer the piece of the page it stands in."""
        item = items.confirm(self.permit, memory_id)
        shown = {"memory": show_memory(item, confirmed=True)}
        htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]  # set by django-htmx's middleware
        if not htmx:
            messages.success(request, _("Confirmed, thank you."))
            return redirect("web:memory", item.pk)
        whole = htmx.target == "memory"
        template = "web/partials/memory_facts.html" if whole else "components/memory_actions.html"
        return render(request, template, shown)


class MemoryCorrect(MemberView):
    """ "Wrong": the person's words take the place of mine."""

    def post(self, request: HttpRequest, memory_id: UUID) -> HttpResponse:
        """Save the correction as the newest version."""
        form = CorrectForm(request.POST)
        if not form.is_valid():
            item = items.item_of(self.permit, memory_id)
            return render(request, "web/memory.html", memory_context(self.permit, item, form), status=400)
        item = items.correct(self.permit, memory_id, form.cleaned_data["content"], form.cleaned_data["reason"])
        messages.success(request, _("Corrected. From now on I use your words."))
        return redirect("web:memory", item.pk)


def memory_context(permit: Permit, item: MemoryItem, form: CorrectForm) -> dict[str, Any]:
    """Everything ``web/memory.html`` shows."""
    versions = items.history_of(permit, item)
    uses = items.uses_of(permit, item).select_related("receipt__session")[:USES_SHOWN]
    return {
        "memory": show_memory(item),
        "history": show_history(versions, item),
        "sources": show_sources(sources_of(permit, versions)),
        "uses": show_uses(uses),
        "correct_form": form,
    }
