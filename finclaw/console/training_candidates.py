"""Admin page for the review of training candidates: the object itself is read before it is decided on."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from consent.models import AuditEvent
from finclaw.console.reference_filters import ReferenceKindFilter
from finclaw.console.research_objects import first_words, render_object, summary_of
from foundation.admin import ReadOnlyAdmin, TolerantChangeList, link_to, short_id
from foundation.database.acting_user import on_behalf_of
from foundation.governed_actions import Confirmation, govern_rows, row_by_row
from memory.models import ResearchTask, TrainingAssetCandidate
from memory.research.training_candidates import named_object, objects_named, review_candidate

Status = TrainingAssetCandidate.Status
Withdrawal = TrainingAssetCandidate.Withdrawal


class CandidateKindFilter(ReferenceKindFilter):
    """Candidates by the kind of object they name."""

    kinds = {kind.value: kind.label for kind in ResearchTask.ResultKind if kind != "report"}


class WithdrawalFilter(admin.SimpleListFilter):
    """Candidates by whether their user withdrew them; withdrawn ones are listed only if this filter selects them."""

    title = _("consent")
    parameter_name = "withdrawal_status__exact"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [(value, str(label)) for value, label in Withdrawal.choices]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """A link for each; there is none to all of them together."""
        for value, label in self.lookup_choices:
            query = changelist.get_query_string({self.parameter_name: value})
            yield {"selected": self._status() == value, "query_string": query, "display": label}

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[TrainingAssetCandidate]
    ) -> QuerySet[TrainingAssetCandidate]:
        return queryset.filter(withdrawal_status=self._status())

    def _status(self) -> str:
        return Withdrawal.REVOKED if self.value() == Withdrawal.REVOKED else Withdrawal.NONE


class CandidateList(TolerantChangeList):
    """A list of candidates with the first words of each object, read in one query for each kind."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        made = objects_named([row for row in self.result_list if row.withdrawal_status != Withdrawal.REVOKED])
        for row in self.result_list:
            named = made.get(row.object_ref)
            row.words_shown = summary_of(named) if named else ""


@admin.register(TrainingAssetCandidate)
class TrainingAssetCandidateAdmin(ReadOnlyAdmin):
    """Two governed actions, accept and reject; list and page show the object. No model is trained on it."""

    shows_personal_text = True
    fields = (
        "id", "user", "object_ref", "status", "withdrawal_status", "reviewed_at", "reviewed_by", "consent_version",
        "created_at", "shown_object",
    )  # fmt: skip
    readonly_fields = ("shown_object",)
    list_display = (
        short_id("id"), link_to("user"), "kind", "words", "status", "reviewed_at", "created_at",
    )  # fmt: skip
    list_filter = ("status", WithdrawalFilter, CandidateKindFilter)
    list_select_related = ("user",)
    search_fields = ("=id", "=object_ref", "user__username")
    date_hierarchy = "created_at"
    actions = ("accept", "reject")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return CandidateList

    def rows_opened_by(self, changes: ChangeList) -> Collection[Model]:
        """The candidates of which the list shows words."""
        return [row for row in changes.result_list if row.words_shown]

    @admin.display(description=_("kind"), ordering="object_ref")
    def kind(self, candidate: TrainingAssetCandidate) -> str:
        """The kind of object it names, its reference as the title."""
        name = CandidateKindFilter.kinds[candidate.object_ref.partition(":")[0]]
        return format_html('<span title="{}">{}</span>', candidate.object_ref, name)

    @admin.display(description=_("what was written"))
    def words(self, candidate: TrainingAssetCandidate) -> str:
        """What the object is about and its first words, or why there are none."""
        if candidate.withdrawal_status == Withdrawal.REVOKED:
            return gettext("Taken back: nobody reads it here any more.")
        shown = vars(candidate).get("words_shown")
        return format_html("<blockquote>{}</blockquote>", shown) if shown else gettext("It is forgotten.")

    @admin.display(description=_("what was written"))
    def shown_object(self, candidate: TrainingAssetCandidate) -> SafeString | str:
        """The research object as its user reads it; for a withdrawn candidate, only a note that it was taken back."""
        if candidate.withdrawal_status == Withdrawal.REVOKED:
            return gettext("Taken back: nobody reads it here any more.")
        made = named_object(candidate)
        return render_object(made) if made else gettext("It is forgotten.")

    def has_review_permission(self, request: HttpRequest) -> bool:
        """Whoever may change candidates may decide on them; nobody edits their fields."""
        return request.user.has_perm("memory.change_trainingassetcandidate")

    @admin.action(description=_("Accept"), permissions=["review"])
    def accept(self, request: HttpRequest, queryset: QuerySet[TrainingAssetCandidate]) -> HttpResponseBase | None:
        """Confirm, then accept, audited under the operator's name."""
        sentence = gettext(
            "Each remains a candidate while its owner's consent holds, and is revoked with it. This trains no"
            " model. The audit log records your name."
        )
        question = _confirmation(queryset, "accept", gettext("Accept these?"), gettext("Accept"), sentence)
        return self._decide(request, question, Status.ACCEPTED)

    @admin.action(description=_("Turn down"), permissions=["review"])
    def reject(self, request: HttpRequest, queryset: QuerySet[TrainingAssetCandidate]) -> HttpResponseBase | None:
        """Confirm, then reject; the object stays the user's."""
        sentence = gettext("The objects they refer to stay as they are. The audit log records your name.")
        question = _confirmation(queryset, "reject", gettext("Turn these down?"), gettext("Turn down"), sentence)
        return self._decide(request, question, Status.REJECTED)

    def _decide(self, request: HttpRequest, question: Confirmation, status: Status) -> HttpResponseBase | None:
        return govern_rows(
            self,
            request,
            question,
            row_by_row(partial(_review_candidate, status)),
            note=f"Reviewed: {status.value}.",
            done=ngettext_lazy("%d candidate is decided.", "%d candidates are decided."),
            nothing=_("None of the selected candidates waits for a review."),
        )


def _confirmation(
    candidates: QuerySet[TrainingAssetCandidate], action: str, title: str, button: str, sentence: str
) -> Confirmation:
    waiting = candidates.filter(status=Status.PENDING, withdrawal_status=Withdrawal.NONE)
    return Confirmation(
        title=title,
        sentences=[sentence],
        action=action,
        button=button,
        rows=[(candidate, _reference_and_words(candidate)) for candidate in waiting],
    )


def _reference_and_words(candidate: TrainingAssetCandidate) -> str:
    made = named_object(candidate)
    return f"{candidate.object_ref}: {first_words(made)}" if made else candidate.object_ref


def _review_candidate(status: Status, candidate: TrainingAssetCandidate, actor: UUID) -> None:
    with on_behalf_of(candidate.user_id):
        review_candidate(candidate.user_id, candidate.pk, status.value, actor)
        AuditEvent.objects.create(
            user_id=candidate.user_id,
            actor_id=actor,
            action=f"training_candidate.{status.value}",
            subject_id=candidate.pk,
        )
