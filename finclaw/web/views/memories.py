"""Pages of statements: the list, the timeline, one statement, adding, confirming and correcting."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consent.permit import Permit
from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.services import redact_text, screen_text
from finclaw.statuses import STATUS_OF
from finclaw.web.access import MemberView, htmx_of
from finclaw.web.forms.memories import MemoryAddForm, MemoryCorrectForm, MemoryFilterForm, TimelineFilterForm
from finclaw.web.memory_changes import show_undo
from finclaw.web.pagination import Page, keyset_page
from finclaw.web.presenters import show_history, show_memory, show_sources, show_timeline, show_uses
from finclaw.web.views.memory_tabs import MemoryTab
from finclaw.web.voice import describe_masks
from foundation.personal_data import ConsentScope
from memory.governance import feedback
from memory.models import MemoryItem
from memory.services import item_decisions, item_queries, items, reply_traces
from memory.services.history import changes_of
from memory.services.sources import sources_of

USES_SHOWN = 20
LANES_SHOWN = 20


class StatementsTab(MemoryTab):
    """Statements, searched and filtered."""

    form_class = MemoryFilterForm
    form: MemoryFilterForm

    def rows(self) -> QuerySet[MemoryItem]:
        """The statements that pass the filters."""
        return self.form.apply(item_queries.items_of(self.permit))


class MemoriesPage(StatementsTab):
    """The list of statements."""

    tab = "statements"

    def get(self, request: HttpRequest) -> HttpResponse:
        """One page of the user's statements, or the search results."""
        rows = self.rows()
        page = (
            Page(self.search_rows("item", self.embedded, rows))
            if self.embedded
            else keyset_page(request, rows, "created_at")
        )
        return self.render_list(page, memories=[show_memory(item) for item in page.rows])


class MemoryAdd(MemberView):
    """Adds a statement by hand."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """The empty form; without consent to learning, where to give it."""
        return self.page(MemoryAddForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        """Store the text as written; sensitive input is removed from the text given back, with the reason."""
        form = MemoryAddForm(request.POST)
        if not form.is_valid():
            return self.page(form, status=400)
        content = form.cleaned_data["content"]
        try:
            written = item_decisions.store_statement(self.permit, content, memory_type=form.cleaned_data["memory_type"])
        except SensitiveInput as error:
            again = MemoryAddForm({**form.cleaned_data, "content": redact_text(content)})
            again.add_error("content", _CUT % {"what": error.named})
            return self.page(again, status=STATUS_OF[error.code])
        for line in describe_masks(screen_text("content", content, [self.user.name]).masked):
            messages.info(request, line)
        return self.redirect_saying(_ADDED[written.event] % {"content": written.item.content}, "web:memories")

    def page(self, form: MemoryAddForm, *, status: int = 200) -> HttpResponse:
        """Everything ``web/memory_add.html`` shows."""
        shown = {"form": form, "can_learn": self.permit.allows(ConsentScope.MEMORY_LEARNING)}
        return render(self.request, "web/memory_add.html", shown, status=status)


_CUT = gettext_lazy(
    "None of it was saved: it seems to hold what is never written down here (%(what)s), so that is cut out of your "
    "text above."
)
_ADDED = {
    "ADD": gettext_lazy("I remember it from now on: %(content)s"),
    "UPDATE": gettext_lazy("I knew that, and am surer of it now: %(content)s"),
    "NONE": gettext_lazy("I knew that already: %(content)s"),
}


class TimelinePage(StatementsTab):
    """The timeline: since when each statement has been true, and what was true before it."""

    tab = "timeline"
    form_class = TimelineFilterForm

    def get(self, request: HttpRequest) -> HttpResponse:
        """A page of statements, latest change first."""
        page = keyset_page(request, self._latest_versions(), "valid_at", LANES_SHOWN)
        chains = [item.chain_id for item in page.rows]
        versions = item_queries.items_of(self.permit).filter(chain_id__in=chains).order_by("version")
        return self.render_list(page, timeline=show_timeline(chains, versions, timezone.localtime()))

    def _latest_versions(self) -> QuerySet[MemoryItem]:
        """One row for each statement: the latest version of each chain that passes the filters."""
        own, rows = item_queries.items_of(self.permit), self.rows()
        if self.embedded is not None:
            rows = rows.filter(pk__in=[item.pk for item in self.search_rows("item", self.embedded, rows)])
        newer = own.filter(chain_id=OuterRef("chain_id"), version__gt=OuterRef("version"))
        return own.filter(~Exists(newer.order_by()), chain_id__in=rows.order_by().values("chain_id"))


class MemoryPage(MemberView):
    """One statement: its history, where it came from, when it was used."""

    def get(self, request: HttpRequest, memory_id: UUID) -> HttpResponse:
        """The page with a correction form that holds the present text."""
        item = item_queries.item_of(self.permit, memory_id)
        form = MemoryCorrectForm(initial={"content": item.content})
        return render(request, "web/memory.html", memory_context(self.permit, item, form))


class MemoryConfirm(MemberView):
    """Confirms a statement: the text stays, its certainty rises."""

    def post(self, request: HttpRequest, memory_id: UUID) -> HttpResponse:
        """Confirm; to htmx return only the part of the page that shows the statement."""
        item = feedback.give_feedback(self.permit, items.confirm(self.permit, memory_id).pk, "positive")
        shown = {"memory": show_memory(item, confirmed=True)}
        htmx = htmx_of(request)
        if not htmx:
            return self.redirect_saying(_("Confirmed, thank you."), "web:memory", item.pk)
        whole = htmx.target == "memory"
        template = "web/partials/memory_facts.html" if whole else "components/memory_actions.html"
        return render(request, template, shown)


class MemoryCorrect(MemberView):
    """Replaces a statement by the user's words."""

    def post(self, request: HttpRequest, memory_id: UUID) -> HttpResponse:
        """Save the correction as the newest version."""
        form = MemoryCorrectForm(request.POST)
        if not form.is_valid():
            item = item_queries.item_of(self.permit, memory_id)
            return render(request, "web/memory.html", memory_context(self.permit, item, form), status=400)
        item = item_decisions.correct(self.permit, memory_id, form.cleaned_data["content"], form.cleaned_data["reason"])
        return self.redirect_saying(_("Corrected. From now on I use your words."), "web:memory", item.pk)


def memory_context(permit: Permit, item: MemoryItem, form: MemoryCorrectForm) -> dict[str, Any]:
    """Everything ``web/memory.html`` shows."""
    versions = item_queries.history_of(permit, item)
    uses = reply_traces.uses_of(permit, item).select_related("receipt__session")[:USES_SHOWN]
    return {
        "memory": show_memory(item),
        "history": show_history(versions, item, changes_of(permit, item)),
        "undo": show_undo(permit, item),
        "sources": show_sources(sources_of(permit, versions)),
        "uses": show_uses(uses),
        "correct_form": form,
    }
