"""What I remember: statements, one statement, and the two things its person may say about it."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.contrib import messages
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.permit import Permit
from finclaw.web.access import MemberView, htmx_of
from finclaw.web.changes import show_undo
from finclaw.web.forms.memories import CorrectForm, MemoryFilterForm, TimelineFilterForm
from finclaw.web.pagination import Page, keyset_page
from finclaw.web.presenters import show_history, show_memory, show_sources, show_timeline, show_uses
from finclaw.web.searching import found_rows
from foundation.personal_data import Scope
from memory.evolution.history import changes_of
from memory.models import MemoryItem
from memory.retrieval.services import EmbeddedQuery, embed_query
from memory.services import feedback, items, remembered
from memory.services.sources import sources_of

USES_SHOWN = 20
LANES_SHOWN = 20


class Statements(MemberView):
    """Statements, searched and filtered. The address is non-atomic: the search may ask a model first."""

    form_class: ClassVar[type[MemoryFilterForm]] = MemoryFilterForm
    form: MemoryFilterForm
    embedded: EmbeddedQuery | None = None
    degraded: tuple[str, ...] = ()

    def before_transaction(self) -> None:
        """Read the filters, and make the query ready for the search."""
        self.form = self.form_class(self.request.GET)
        if self.form.query:
            self.embedded = embed_query(self.form.query)

    def rows(self) -> QuerySet[MemoryItem]:
        """What the filters leave."""
        return self.form.apply(items.items_of(self.permit))

    def found(self, embedded: EmbeddedQuery) -> list[MemoryItem]:
        """What the search finds among them, best first."""
        found = found_rows(self.permit, "item", embedded, self.rows())
        self.degraded = found.degraded
        return found.rows

    def shown(self, request: HttpRequest, page: Page[MemoryItem], **more: Any) -> HttpResponse:
        """``web/memories.html`` with what every such list says."""
        context = {
            "query": self.form.query,
            "filter_form": self.form,
            "filtered": self.form.narrows,
            "unsure_count": items.review_queue(self.permit).count(),
            "can_learn": self.permit.allows(Scope.MEMORY_LEARNING),
            "is_forgetting": Scope.MEMORY_LEARNING in self.permit.erasing,
            "newer_url": page.newer_url,
            "older_url": page.older_url,
            "degraded": self.degraded,
        }
        return render(request, "web/memories.html", context | more)


class Memories(Statements):
    """The list."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """One page of it, or what was found."""
        page = Page(self.found(self.embedded)) if self.embedded else keyset_page(request, self.rows(), "created_at")
        return self.shown(request, page, tab="statements", memories=[show_memory(item) for item in page.rows])


class OverTime(Statements):
    """The picture: since when each statement has been true, and what was true before it."""

    form_class = TimelineFilterForm

    def get(self, request: HttpRequest) -> HttpResponse:
        """A page of statements, the latest change first."""
        page = keyset_page(request, self._latest_versions(), "valid_at", LANES_SHOWN)
        chains = [item.chain_id for item in page.rows]
        versions = items.items_of(self.permit).filter(chain_id__in=chains).order_by("version")
        timeline = show_timeline(chains, versions, timezone.localtime())
        return self.shown(request, page, tab="timeline", timeline=timeline)

    def _latest_versions(self) -> QuerySet[MemoryItem]:
        """One row a statement: the latest version of whatever has one among those asked for."""
        own, rows = items.items_of(self.permit), self.rows()
        if self.embedded is not None:
            rows = rows.filter(pk__in=[item.pk for item in self.found(self.embedded)])
        newer = own.filter(chain_id=OuterRef("chain_id"), version__gt=OuterRef("version"))
        return own.filter(~Exists(newer.order_by()), chain_id__in=rows.order_by().values("chain_id"))


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
        item = feedback.give(self.permit, items.confirm(self.permit, memory_id).pk, "positive")
        shown = {"memory": show_memory(item, confirmed=True)}
        htmx = htmx_of(request)
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
    uses = remembered.uses_of(permit, item).select_related("receipt__session")[:USES_SHOWN]
    return {
        "memory": show_memory(item),
        "history": show_history(versions, item, changes_of(permit, item)),
        "undo": show_undo(permit, item),
        "sources": show_sources(sources_of(permit, versions)),
        "uses": show_uses(uses),
        "correct_form": form,
    }
