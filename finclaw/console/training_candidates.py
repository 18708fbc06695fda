"""Admin page for the review of training candidates: the object itself is read before it is decided on."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from consent.models import AuditEvent
from finclaw.console.reference_filters import ReferenceKindFilter
from finclaw.console.research_objects import first_words, render_object
from foundation.admin import ReadOnlyAdmin, link_to, short_id
from foundation.database.acting_user import on_behalf_of
from foundation.governed_actions import Confirmation, govern_rows, row_by_row
from memory.models import ResearchTask, TrainingAssetCandidate
from memory.research.training_candidates import named_object, review_candidate

Status = TrainingAssetCandidate.Status
Withdrawal = TrainingAssetCandidate.Withdrawal


class CandidateKindFilter(ReferenceKindFilter):
    """Candidates by the kind of object they name."""

    kinds = {kind.value: kind.label for kind in ResearchTask.ResultKind if kind != "report"}


@admin.register(TrainingAssetCandidate)
class TrainingAssetCandidateAdmin(ReadOnlyAdmin):
    """Two governed actions, accept and reject; a candidate's page shows the object. No model is trained on it."""

    shows_personal_text = True
    fields = (
        "id", "user", "object_ref", "status", "withdrawal_status", "reviewed_at", "reviewed_by", "consent_version",
        "created_at", "shown_object",
    )  # fmt: skip
    readonly_fields = ("shown_object",)
    list_display = (
        short_id("id"), link_to("user"), "object_ref", "status", "withdrawal_status", "reviewed_at", "created_at",
    )  # fmt: skip
    list_filter = ("status", "withdrawal_status", CandidateKindFilter)
    list_select_related = ("user",)
    search_fields = ("=id", "=object_ref", "user__username")
    date_hierarchy = "created_at"
    actions = ("accept", "reject")

    @admin.display(description=_("what was written"))
    def shown_object(self, candidate: TrainingAssetCandidate) -> SafeString | str:
        """The research object as its user reads it; nothing of one that was taken back."""
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
