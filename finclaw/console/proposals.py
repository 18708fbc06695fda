"""Admin pages of proposals: memories that users agreed to share with their organisation."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from finclaw.brain import promotion
from foundation.admin import ReadOnlyAdmin, link_to, short_id
from foundation.governed_actions import Confirmation, govern_rows, row_by_row
from memory.models import EvolutionProposal

State = EvolutionProposal.State
Review = Callable[[EvolutionProposal, UUID], object]


@admin.register(EvolutionProposal)
class EvolutionProposalAdmin(ReadOnlyAdmin):
    """Three governed actions: approve, reject, and withdraw what was approved."""

    shows_personal_text = True
    fields = (
        "id", "user", "tenant_id", "state", "shown_text", "thresholds", "agreed_at", "reviewed_at", "reviewed_by",
        "knowledge_id", "created_at",
    )  # fmt: skip
    readonly_fields = ("shown_text", "thresholds")
    list_display = (short_id("id"), link_to("user"), "state", "agreed_at", "reviewed_at", "created_at")
    list_filter = ("state",)
    list_select_related = ("user",)
    search_fields = ("=id", "=chain_id", "user__username")
    date_hierarchy = "created_at"
    actions = ("approve", "reject", "withdraw")

    @admin.display(description=_("text"))
    def shown_text(self, proposal: EvolutionProposal) -> str:
        """The de-identified text; only after the user agreed."""
        seen = {State.AGREED, State.APPROVED, State.REJECTED}
        return proposal.text if proposal.state in seen else gettext("shown once its person agrees")

    @admin.display(description=_("thresholds"))
    def thresholds(self, proposal: EvolutionProposal) -> SafeString:
        """The values of the five thresholds."""
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{}: {}</li>", sorted(proposal.statistics.items())))

    def has_review_permission(self, request: HttpRequest) -> bool:
        """Whoever may change proposals may decide on them; nobody edits their fields."""
        return request.user.has_perm("memory.change_evolutionproposal")

    @admin.action(description=_("Approve into knowledge"), permissions=["review"])
    def approve(self, request: HttpRequest, queryset: QuerySet[EvolutionProposal]) -> HttpResponseBase | None:
        """Confirm, showing the text as it would stand; then approve, audited under the operator's name."""
        sentence = gettext(
            "Answers to every member of the organisation will take this into account. The audit log records your name."
        )
        waiting = queryset.filter(state=State.AGREED)
        question = _confirmation(waiting, "approve", gettext("Approve these?"), gettext("Approve"), sentence)
        return self._decide(request, question, promotion.approve)

    @admin.action(description=_("Turn down"), permissions=["review"])
    def reject(self, request: HttpRequest, queryset: QuerySet[EvolutionProposal]) -> HttpResponseBase | None:
        """Confirm, then reject; the memory stays the user's, and is not proposed again."""
        sentence = gettext(
            "The memory stays with its owner and is not proposed again. The audit log records your name."
        )
        waiting = queryset.filter(state=State.AGREED)
        question = _confirmation(waiting, "reject", gettext("Turn these down?"), gettext("Turn down"), sentence)
        return self._decide(request, question, promotion.reject)

    @admin.action(description=_("Take back from knowledge"), permissions=["review"])
    def withdraw(self, request: HttpRequest, queryset: QuerySet[EvolutionProposal]) -> HttpResponseBase | None:
        """Confirm, then delete the knowledge entry."""
        sentence = gettext("The knowledge entry is deleted at once. The audit log records your name.")
        approved = queryset.filter(state=State.APPROVED)
        question = _confirmation(approved, "withdraw", gettext("Take these back?"), gettext("Take back"), sentence)
        return self._decide(request, question, promotion.withdraw_for)

    def _decide(self, request: HttpRequest, question: Confirmation, review: Review) -> HttpResponseBase | None:
        return govern_rows(
            self,
            request,
            question,
            row_by_row(review),
            note=f"Reviewed: {question.action}.",
            done=ngettext_lazy("%d proposal is decided.", "%d proposals are decided."),
            nothing=_("None of the selected proposals waits for that."),
        )


def _confirmation(
    proposals: QuerySet[EvolutionProposal], action: str, title: str, button: str, sentence: str
) -> Confirmation:
    return Confirmation(
        title=title,
        sentences=[sentence],
        action=action,
        button=button,
        rows=[(proposal, proposal.text) for proposal in proposals],
    )
